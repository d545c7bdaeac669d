// A disk that is really full: a server on a mount of a few megabytes, which is filled until a write is
// refused, then given room again, and killed while it is full. An index can be deleted all the time.
//
//   node tools/diskfull.mjs [--rounds 3] [--megabytes 24]
//
// Mounting needs rights that not every machine grants: without them it says so and ends with code 0.
// test/crash/disk.test.ts tests the same without a mount.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, megabytes: { type: "string", default: "24" } },
});
const CLI = join(root, "build", "cli.js");
const PORT = 7790;
const URL_BASE = `http://127.0.0.1:${PORT}`;
const WRITES_MAX = 2000;
const DOCUMENTS = 200;
const MiB = 2 ** 20;

const mount = mkdtempSync(join(tmpdir(), "tarsier-full-"));
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${values.megabytes}m`, "tmpfs", mount]);
if (mounted.status !== 0) {
  rmSync(mount, { recursive: true });
  console.log(
    `No mount can be made here (${String(mounted.stderr ?? mounted.error).trim()}): nothing was tried.`,
  );
} else {
  try {
    for (let round = 1; round <= Number(values.rounds); round++) await playRound(round);
  } finally {
    spawnSync("umount", ["-l", mount]);
    rmSync(mount, { recursive: true, force: true });
  }
}

async function playRound(round) {
  const folder = join(mount, `db-${round}`);
  const ballast = join(mount, "ballast");
  mkdirSync(folder);
  let server = await start(folder);
  const kept = new Set();
  let nextId = 0;
  const write = async () => {
    const first = nextId;
    nextId += DOCUMENTS;
    // Random letters cannot be compressed.
    const text = () => Array.from({ length: 20 }, () => Math.random().toString(36).slice(2)).join(" ");
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
      id: first + i,
      text: `almond ${text()}`,
    }));
    const { status, body } = await send("POST", "/indexes/full/documents", documents);
    if (status !== 202) return { status, code: body.code };
    const { error } = await taskOf(body.taskUid);
    if (error === null) for (const { id } of documents) kept.add(id);
    return { status, code: error?.code ?? null };
  };
  expect((await write()).code, null, "the first write");
  await taskOf((await send("POST", "/indexes", { uid: "spare" })).body.taskUid);
  // Leaves little room, so that the disk is soon full.
  const room = statfsSync(mount);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, room.bavail * room.bsize - 4 * MiB)));
  const refusal = await fillUp(write);
  await verify(kept, "while the disk is full");
  server.kill("SIGKILL");
  await once(server, "exit");
  rmSync(ballast);
  server = await start(folder);
  await verify(kept, "after a kill on a full disk");
  const again = statfsSync(mount);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, again.bavail * again.bsize - 2 * MiB)));
  const second = await fillUp(write);
  expect(await dropSpare(), "succeeded", "the deletion of an index on a full disk");
  rmSync(ballast);
  await recover(write);
  await verify(kept, "after there was room again, without a restart");
  server.kill("SIGTERM");
  await once(server, "exit");
  const check = spawnSync(process.execPath, [CLI, "check", "--db-path", folder], { encoding: "utf8" });
  expect(check.status, 0, check.stdout);
  rmSync(folder, { recursive: true });
  const how = [refusal, second].map(({ status, code }) => `${status} ${code}`).join(", then ");
  console.log(`round ${round}: refused with ${how}; ${kept.size} documents kept and found`);
}

/** Writes until one is refused for lack of space. */
async function fillUp(write) {
  for (let count = 0; count < WRITES_MAX; count++) {
    const outcome = await write();
    if (outcome.code === null) continue;
    expect(outcome.code, "no_space_left_on_device", "the refusal of a full disk");
    return outcome;
  }
  throw new Error("the disk did not fill");
}

/** How the deletion of the index ends that nobody needs, on a disk without a free byte. */
async function dropSpare() {
  const last = join(mount, "last");
  const { bavail, bsize } = statfsSync(mount);
  writeFileSync(last, Buffer.alloc(bavail * bsize));
  const { status, body } = await send("DELETE", "/indexes/spare");
  rmSync(last);
  return status === 202 ? (await taskOf(body.taskUid)).status : body.code;
}

/** After a while, writes must succeed again. */
async function recover(write) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) if ((await write()).code === null) return;
  throw new Error("no write succeeds although there is room");
}

async function verify(kept, when) {
  const { status, body } = await send("POST", "/indexes/full/search", { q: "almond", limit: 1 });
  expect(status, 200, `a search ${when}`);
  if (body.hits.length === 0) throw new Error(`${when}: a search finds nothing`);
  const listed = await send("POST", "/indexes/full/documents/fetch", { limit: 1_000_000, fields: ["id"] });
  const found = new Set(listed.body.results.map(({ id }) => id));
  const lost = [...kept].filter((id) => !found.has(id));
  if (lost.length > 0) throw new Error(`${when}: ${lost.length} acknowledged documents are lost`);
}

async function taskOf(uid) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const { body } = await send("GET", `/tasks/${uid}`);
    if (body.status === "succeeded" || body.status === "failed") return body;
    await new Promise((done) => setTimeout(done, 20));
  }
  return { error: { code: "still waiting" } };
}

async function start(folder) {
  const args = [CLI, "serve", "--db-path", folder, "--http-addr", `127.0.0.1:${PORT}`, "--threads", "1"];
  const limits = ["--max-indexing-memory", "96MiB", "--max-search-memory", "64MiB", "--log-level", "error"];
  const server = spawn(process.execPath, [...args, ...limits], { stdio: ["ignore", "ignore", "inherit"] });
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
    if (server.exitCode !== null) throw new Error("the server did not start");
    if ((await send("GET", "/health").catch(() => null))?.status === 200) return server;
  }
  throw new Error("the server does not answer");
}

async function send(method, path, json) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const response = await fetch(URL_BASE + path, {
    method,
    body,
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, body: await response.json() };
}

function expect(found, expected, what) {
  if (found !== expected) throw new Error(`${what}: expected ${expected}, found ${found}`);
}
