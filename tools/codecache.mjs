// Makes the code caches of the bundled programs: runs them as a server does at its start and for its first
// answers, and keeps what was compiled meanwhile. Called by build.mjs, in a process of its own:
//   node tools/codecache.mjs BUNDLE-FOLDER [--embedded]      as the command line starts it, or other programs
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BroadcastChannel, isMainThread, workerData } from "node:worker_threads";

const CHANNEL = "tarsier-code-cache";
const POLL_MS = 20;
const WAIT_MS_MAX = 60_000;
const require = createRequire(import.meta.url);
const folder = isMainThread ? resolve(process.argv[2]) : workerData.codeCacheFolder;
const { compile, launch, optimizeSooner, writeCache } = require(join(folder, "launcher.cjs"));

if (!isMainThread) runWorker();
else {
  if (process.argv[3] !== "--embedded") optimizeSooner();
  await runServer();
}

async function runServer() {
  const data = mkdtempSync(join(tmpdir(), "tarsier-code-cache-"));
  const port = await freePort();
  startWorkersHere();
  const script = compile("cli.cjs");
  const options = ["--db-path", data, "--http-addr", `127.0.0.1:${port}`, "--log-level", "off"];
  void launch("cli.cjs", script)
    .commands()
    .runCommandLine(["serve", ...options]);
  await use(`http://127.0.0.1:${port}`);
  const channel = new BroadcastChannel(CHANNEL);
  const kept = new Promise((done) => {
    channel.onmessage = done;
  });
  channel.postMessage("keep");
  await kept;
  writeCache(script);
  rmSync(data, { recursive: true, force: true });
  process.exit(0);
}

/** The programs find their threads in this file. */
function startWorkersHere() {
  const threads = require("node:worker_threads");
  threads.Worker = class extends threads.Worker {
    constructor(_url, settings) {
      const data = { ...settings.workerData, codeCacheFolder: folder };
      super(fileURLToPath(import.meta.url), { ...settings, workerData: data });
    }
  };
}

/** Of the threads, those that search have to be quick at their start. */
function runWorker() {
  const script = compile("worker.cjs");
  launch("worker.cjs", script);
  if (workerData.role !== "search") return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => {
    writeCache(script);
    channel.postMessage("kept");
  };
}

/** What a client does first. */
async function use(url) {
  const send = async (method, path, body) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    return response.json();
  };
  await until(() => send("GET", "/health").catch(() => null));
  const documents = Array.from({ length: 200 }, (_, id) => ({
    id,
    title: `The ${["red", "green", "night"][id % 3]} animal ${id}`,
    text: `Some animals sleep by day and wake at night, number ${id} does not`,
  }));
  const { taskUid } = await send("POST", "/indexes/animals/documents", documents);
  await until(async () => (await send("GET", `/tasks/${taskUid}`)).status === "succeeded");
  for (const q of ["", "an", "animal", "anmal", "red night", "the animals sleep by day", '"by day" -red']) {
    const { hits } = await send("POST", "/indexes/animals/search", { q, showRankingScore: true });
    if (hits.length === 0) throw new Error(`The bundled server finds nothing for "${q}"`);
  }
}

/** A server that does not come up must fail the build, not stop it. */
async function until(holds) {
  const end = performance.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("The bundled server does not answer as it should");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
