// The entry of a thread that helps to build a graph: an instance of the core over the memory of the thread
// that builds it. It inserts items as long as there are any, and ends. Started by graphhelpers.ts.
import { workerData } from "node:worker_threads";
import { helperCore } from "../core/helpercore.ts";
import { BUILDER_STOP_AT } from "../core/vectorgraph.ts";
import { enter, leave } from "./graphattendance.ts";

/** What the thread is told at its start. */
export interface GraphThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  attendance: Int32Array;
  builder: number;
  room: number;
}

/** Number of items after which it checks whether the graph is still wanted. */
const SLICE_ITEMS = 8;

const { module, memory, attendance, builder, room } = workerData as GraphThreadStart;
if (enter(attendance)) {
  const cells = new Int32Array(memory.buffer);
  const stop = (builder + BUILDER_STOP_AT) >>> 2;
  let isWell = false;
  try {
    const { graphInsert } = helperCore(module, memory);
    while (Atomics.load(cells, stop) === 0 && graphInsert(builder, room, SLICE_ITEMS) > 0);
    isWell = true;
  } finally {
    // Nodes that it had locked stay locked: the other threads must not wait for these.
    if (!isWell) Atomics.store(cells, stop, 1);
    leave(attendance, isWell);
  }
}
