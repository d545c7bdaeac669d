// The entry point of an engine's worker thread: it takes one of the three roles, answering the calls of
// pool.ts, or is the sandbox of an edit function, answering those of editthread.ts.
import { parentPort, workerData } from "node:worker_threads";
import { coreModule } from "../core/core.ts";
import { FileStorage } from "../storage/file.ts";
import type { SandboxStart } from "./editthread.ts";
import { answerCalls } from "./remote.ts";
import { searchMethods } from "./roles.ts";
import type { EarlyStart, WorkerStart } from "./workerstart.ts";
import { editMethods, mergeMethods, writeMethods } from "./writeroles.ts";

const start = workerData as WorkerStart | SandboxStart | EarlyStart;
if (start.role === "edit") answerCalls(parentPort!, editMethods(), null);
else if (start.root === null) parentPort!.once("message", work);
else work(start);

function work({ role, root, module, options, ring }: WorkerStart): void {
  coreModule(module);
  const make = { search: searchMethods, write: writeMethods, merge: mergeMethods }[role];
  answerCalls(parentPort!, make(new FileStorage(root, options.durable), options), ring);
}
