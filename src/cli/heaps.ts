// The JavaScript heaps of a server with bounded memory: what V8 takes in each thread, besides the cores.
// Called by serve.ts before threads start; programs that embed the server keep their own flags.
import { setFlagsFromString } from "node:v8";
import { SMALL_PROCESS_BYTES_MAX } from "../limits.ts";
import type { Options } from "../options.ts";
import { IS_NODE } from "../runtime.ts";

/**
 * By default V8 keeps some 30 MB per thread for young objects, and collects old ones when they have doubled
 * since the last time: about 130 MB of garbage in a busy server, whatever its bounds.
 */
export function keepHeapsSmall({ maxIndexingMemory, maxSearchMemory }: Options): void {
  if (!IS_NODE) return;
  if (Math.min(maxIndexingMemory, maxSearchMemory) > SMALL_PROCESS_BYTES_MAX) return;
  setFlagsFromString("--heap-growing-percent=20");
  // Otherwise the limit grows by at least 8 MB, which is as much as a thread holds.
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--max-semi-space-size=2");
  // Two forms of code (interpreted, optimised) instead of three; and the optimising compiler leaves less
  // memory behind in each thread that it ran in.
  setFlagsFromString("--no-sparkplug");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=200");
  keepYoungPartSmall();
  // Setting up a heap resets the factor of all heaps to 2.
  process.on("worker", (worker) => worker.once("online", keepYoungPartSmall));
}

/** This thread already has its heap, with the default limit; but the young part need not grow any more. */
function keepYoungPartSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
