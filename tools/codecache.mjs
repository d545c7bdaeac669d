// Makes the code caches of the bundled programs: runs them as a server does at its start and for its first
// answers, and keeps what was compiled meanwhile. Called by build.mjs, in a process of its own:
//   node tools/codecache.mjs BUNDLE-FOLDER [--later]      later: for threads that start once the server runs
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BroadcastChannel, isMainThread, workerData } from "node:worker_threads";
import { makeFirstRequests } from "./firstrequests.mjs";

const CHANNEL = "tarsier-code-cache";
const require = createRequire(import.meta.url);
const folder = isMainThread ? resolve(process.argv[2]) : workerData.codeCacheFolder;
const { compile, launch, setOptimizingFlags, writeCache } = require(join(folder, "launcher.cjs"));

/**
 * The launcher changes flags once the server listens, so threads that start later need caches of their own.
 */
const isLater = process.argv[3] === "--later";

if (!isMainThread) runWorker();
else {
  if (isLater) setOptimizingFlags();
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
  await makeFirstRequests(`http://127.0.0.1:${port}`);
  const channel = new BroadcastChannel(CHANNEL);
  const kept = new Promise((done) => {
    channel.onmessage = done;
  });
  channel.postMessage("keep");
  await kept;
  if (!isLater) writeCache(script);
  rmSync(data, { recursive: true, force: true });
  process.exit(0);
}

/** Makes the programs find their threads in this process. */
function startWorkersHere() {
  const threads = require("node:worker_threads");
  threads.Worker = class extends threads.Worker {
    constructor(_url, settings) {
      const data = { ...settings.workerData, codeCacheFolder: folder };
      super(fileURLToPath(import.meta.url), { ...settings, workerData: data });
    }
  };
}

/** Search threads have to start fast. */
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

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
