// The entry point of an engine's worker thread: it takes one of the three roles, answering the calls of
// pool.ts, or is the sandbox of an edit function, answering those of editthread.ts.
import { parentPort, workerData } from "node:worker_threads";
import { coreModule } from "../core/core.ts";
import { FileStorage } from "../storage/file.ts";
import type { RingEnd } from "./callring.ts";
import { answerCalls } from "./remote.ts";
import { type EngineOptions, searchMethods } from "./roles.ts";
import { editMethods, mergeMethods, writeMethods } from "./writeroles.ts";

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

/** A sandbox is told nothing else: no folder, no options. */
export interface SandboxStart {
  role: "edit";
}

/** A thread that starts before there is an engine (earlythread.ts): its options come as the first message. */
export interface EarlyStart {
  role: "search";
  root: null;
}

const start = workerData as WorkerStart | SandboxStart | EarlyStart;
if (start.role === "edit") answerCalls(parentPort!, editMethods(), null);
else if (start.root === null) parentPort!.once("message", work);
else work(start);

function work({ role, root, module, options, ring }: WorkerStart): void {
  coreModule(module);
  const make = { search: searchMethods, write: writeMethods, merge: mergeMethods }[role];
  answerCalls(parentPort!, make(new FileStorage(root, options.durable), options), ring);
}
