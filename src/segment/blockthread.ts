// The entry of a thread that compresses blocks of documents: an instance of the core over the memory of the
// thread that makes them. Started by blockhelper.ts.
import { workerData } from "node:worker_threads";
import { helperCore } from "../core/helpercore.ts";
import { compressSlot, FILLED, HELPERS, helperTableAt, SLOTS, slotAt } from "./blockslots.ts";

/** What the thread is told at its start. */
export interface BlockThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  press: number;
}

/** It ends when no block came for so long: its memory goes, and that of a core that is given up. */
const IDLE_MS = 1_000;

const { module, memory, press } = workerData as BlockThreadStart;
const cells = new Int32Array(memory.buffer);
const exports = helperCore(module, memory);
const table = helperTableAt(press);
const filledAt = (press >>> 2) + FILLED;
for (let isIdle = false; !isIdle; ) {
  const filled = Atomics.load(cells, filledAt);
  let done = 0;
  for (let slot = 0; slot < SLOTS; slot++)
    if (compressSlot(cells, exports, slotAt(press, slot), table)) done++;
  if (done === 0) isIdle = Atomics.wait(cells, filledAt, filled, IDLE_MS) === "timed-out";
}
Atomics.store(cells, (press >>> 2) + HELPERS, 0);
