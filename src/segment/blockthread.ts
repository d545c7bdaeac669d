// The entry of a thread that compresses blocks of documents: an instance of the core over the memory of the
// thread that makes them. Started by blockhelper.ts.
import { workerData } from "node:worker_threads";
import { helperCore } from "../core/helpercore.ts";
import { compressSlot, FILLED, HELPED, HELPERS, helperTableAt, SLOTS, slotAt } from "./blockslots.ts";

/** What the thread is told at its start. */
export interface BlockThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  press: number;
}

/**
 * The thread ends after this time without blocks: that frees its memory, and that of a core that was given
 * up.
 */
const IDLE_MS = 1_000;

const { module, memory, press } = workerData as BlockThreadStart;
const cells = new Int32Array(memory.buffer);
const head = press >>> 2;
try {
  const exports = helperCore(module, memory);
  for (let isIdle = false; !isIdle; ) {
    const filled = Atomics.load(cells, head + FILLED);
    let done = 0;
    for (let slot = 0; slot < SLOTS; slot++)
      if (compressSlot(cells, exports, slotAt(press, slot), helperTableAt(press))) done++;
    Atomics.add(cells, head + HELPED, done);
    if (done === 0) isIdle = Atomics.wait(cells, head + FILLED, filled, IDLE_MS) === "timed-out";
  }
} finally {
  Atomics.store(cells, head + HELPERS, 0);
}
