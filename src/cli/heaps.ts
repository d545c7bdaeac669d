// The heaps of JavaScript in a server whose memory is bounded: what V8 takes beside the cores, in each
// thread. Called by serve.ts before threads start; programs that embed the server keep their own flags.
import { setFlagsFromString } from "node:v8";
import { SMALL_PROCESS_BYTES_MAX } from "../limits.ts";
import type { Options } from "../options.ts";

/**
 * By its defaults V8 keeps some 30 MB a thread for young objects, and collects old ones when they are twice
 * as many as were left: about 130 MB of garbage in a busy server, whatever its bounds are.
 */
export function keepHeapsSmall({ maxIndexingMemory, maxSearchMemory }: Options): void {
  if (process.versions.bun || process.versions.deno) return;
  if (Math.min(maxIndexingMemory, maxSearchMemory) > SMALL_PROCESS_BYTES_MAX) return;
  setFlagsFromString("--heap-growing-percent=20");
  // Else the limit grows by 8 MB at least, which is as much as a thread has.
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--max-semi-space-size=2");
  // Code in three forms (interpreted, plain, optimised) becomes two, and the compiler of the third leaves
  // less memory behind in each thread that it ran in.
  setFlagsFromString("--no-sparkplug");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=200");
  keepYoungPartSmall();
  // A heap that is set up puts the factor of all of them back to 2.
  process.on("worker", (worker) => worker.once("online", keepYoungPartSmall));
}

/** This thread has its heap already, with the default limit; but the young part of it need not grow. */
function keepYoungPartSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
