// The first search thread of a server, started while the server itself is still being loaded: both take about
// as long, and on two processors neither waits for the other. Begun by src/cli/serve.ts, taken over by
// pool.ts, which tells it what it is to search.
import { Worker } from "node:worker_threads";
import type { EarlyStart } from "./worker.ts";

let early: Worker | null = null;

/** Who begins one opens an engine with threads. One that nobody takes keeps no process alive. */
export function beginThread(): void {
  const workerData: EarlyStart = { role: "search", root: null };
  early = new Worker(new URL("./worker.js", import.meta.url), { workerData });
  early.unref();
  early.once("error", forget);
  early.once("exit", forget);
}

/** Null: there is none, or it failed, and the next one tells why. */
export function takeThread(): Worker | null {
  const worker = early;
  forget();
  worker?.off("error", forget);
  worker?.off("exit", forget);
  worker?.ref();
  return worker;
}

function forget(): void {
  early = null;
}
