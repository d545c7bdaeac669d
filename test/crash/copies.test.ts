// Dumps and snapshots of a server that is at work, and that is killed while it makes them: what bears the
// name of one is whole, and holds one moment.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pause, Server } from "./server.ts";

const place = mkdtempSync(join(tmpdir(), "tarsier-crash-copies-"));
after(() => rmSync(place, { recursive: true }));

const KILLS = 3;
const BATCHES = 30;

interface Task {
  status: string;
  details: { dumpUid: string } | null;
}

function start(name: string, more: readonly string[] = []): Promise<Server> {
  mkdirSync(join(place, name), { recursive: true });
  const folders = ["--dump-dir", join(place, "dumps"), "--snapshot-dir", join(place, "snapshots")];
  return Server.start(join(place, name), undefined, [...folders, ...more]);
}

const ended = async (server: Server, uid: unknown): Promise<Task> => {
  for (;;) {
    const task = await server.get<Task>(`/tasks/${uid}`);
    if (!["enqueued", "processing"].includes(task.status)) return task;
    await pause(5);
  }
};

/** Sends a write; returns the number of its task. */
async function write(server: Server, path: string, body?: unknown): Promise<number> {
  const { status, body: answer } = await server.send("POST", path, body);
  assert.equal(status, 202);
  return (answer as { taskUid: number }).taskUid;
}

/** Each batch writes the same round into every document: a copy that holds two rounds is torn. */
const round = (number: number) => Array.from({ length: 40 }, (_, id) => ({ id, round: number }));

async function rounds(server: Server): Promise<number[]> {
  const { results } = await server.get<{ results: { round: number }[] }>("/indexes/teas/documents?limit=100");
  assert.equal(results.length, 40);
  return [...new Set(results.map((document) => document.round))];
}

test("copies that are made while documents change hold one state of them", async () => {
  const server = await start("busy");
  await server.ready();
  await ended(server, await write(server, "/indexes/teas/documents", round(0)));
  const copies: number[] = [];
  let last = 0;
  for (let number = 1; number <= BATCHES; number++) {
    last = await write(server, "/indexes/teas/documents", round(number));
    if (number % 10 === 5) copies.push(await write(server, "/snapshots"), await write(server, "/dumps"));
    await pause(3);
  }
  await ended(server, last);
  const tasks = await Promise.all(copies.map((uid) => ended(server, uid)));
  assert.deepEqual([...new Set(tasks.map(({ status }) => status))], ["succeeded"]);
  await server.kill();
  const dumps = tasks.flatMap(({ details }) =>
    details ? [["--import-dump", dumpPath(details.dumpUid)]] : [],
  );
  const sources = [...dumps, ["--import-snapshot", join(place, "snapshots", "busy.snapshot")]];
  for (const [number, source] of sources.entries()) {
    const copy = await start(`copy${number}`, source);
    await copy.ready();
    // What waited when the copy was made is done by now or later: whole rounds, in any case.
    assert.equal((await rounds(copy)).length, 1);
    await copy.kill();
  }
});

const dumpPath = (uid: string) => join(place, "dumps", `${uid}.dump`);

test("a server that is killed while it copies goes on; every copy that has a name is whole", async () => {
  let server = await start("killed");
  await server.ready();
  const documents = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    text: `words of document ${id} `.repeat(9),
  }));
  await ended(server, await write(server, "/indexes/teas/documents", documents));
  const before = readdirSync(join(place, "dumps")).filter((name) => name.endsWith(".dump"));
  const copies: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    copies.push(await write(server, "/dumps"), await write(server, "/snapshots"));
    await pause(60 * kill);
    await server.kill();
    server = await start("killed");
    await server.ready();
  }
  for (const uid of copies) assert.equal((await ended(server, uid)).status, "succeeded");
  await server.kill();
  const dumps = readdirSync(join(place, "dumps")).filter(
    (name) => name.endsWith(".dump") && !before.includes(name),
  );
  assert.ok(dumps.length >= KILLS, `${dumps.length} dumps`);
  const last = await start("last", ["--import-dump", join(place, "dumps", dumps[0])]);
  await last.ready();
  assert.equal((await last.get<{ total: number }>("/indexes/teas/documents")).total, documents.length);
  await last.kill();
  const snapshot = await start("snapshot", [
    "--import-snapshot",
    join(place, "snapshots", "killed.snapshot"),
  ]);
  await snapshot.ready();
  assert.equal((await snapshot.get<{ total: number }>("/indexes/teas/documents")).total, documents.length);
  await snapshot.kill();
});
