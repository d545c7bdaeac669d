// Starts a thread that compresses blocks beside the one that makes them; it ends by itself after a while
// without blocks. Called by blockpress.ts; the thread runs blockthread.ts.
import { Worker } from "node:worker_threads";
import { type Core, coreModule } from "../core/core.ts";
import { HELPERS } from "./blockslots.ts";
import type { BlockThreadStart } from "./blockthread.ts";

/** The thread has nothing in its own heap but this program. */
const LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

/** If the thread cannot start, nothing is lost: the blocks are compressed all the same. */
export function startBlockHelper({ memory, i32 }: Core, press: number): void {
  const workerData: BlockThreadStart = { module: coreModule(), memory, press };
  const url = new URL("./blockthread.js", import.meta.url);
  const forget = () => {
    Atomics.store(i32, (press >>> 2) + HELPERS, 0);
  };
  try {
    const worker = new Worker(url, { workerData, resourceLimits: LIMITS });
    worker.on("error", forget);
    worker.unref();
  } catch {
    // For instance because there are too many threads already.
    forget();
  }
}
