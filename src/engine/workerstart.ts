// What a worker thread is told at its start (worker.ts), by what starts it.
import type { RingEnd } from "./callring.ts";
import type { EngineOptions } from "./roles.ts";

/** What the thread is told at its start. */
export interface WorkerStart {
  role: "search" | "write" | "merge";
  /** Path of the data folder. */
  root: string;
  module: WebAssembly.Module;
  options: EngineOptions;
  /** The end through which calls come; null: they come as messages. */
  ring: RingEnd | null;
}

/** A thread that starts before there is an engine (earlythread.ts): its options come as the first message. */
export interface EarlyStart {
  role: "search";
  root: null;
}
