// The first search thread of a server, started while the server itself is still being loaded: both take about
// as long, so on two processors neither waits for the other. Started by src/cli/serve.ts, taken over by
// pool.ts, which tells it what to search.
import { Worker } from "node:worker_threads";
import type { EarlyStart } from "./workerstart.ts";

let early: Worker | null = null;

/**
 * The caller must go on to open an engine with threads. A thread that nobody takes keeps no process alive.
 */
export function beginThread(): void {
  const workerData: EarlyStart = { role: "search", root: null };
  early = new Worker(new URL("./worker.js", import.meta.url), { workerData });
  early.unref();
  early.once("error", forget);
  early.once("exit", forget);
}

/** Null when there is none or it failed; in that case the next thread reports why. */
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
