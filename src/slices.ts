// For long work in a thread that answers requests: it goes on for a slice of time, then lets everything that
// waits have its turn.
import { setImmediate as turn } from "node:timers/promises";

/**
 * Length of one slice. A search crosses this thread three times and may wait for a slice each time: with 4
 * ms, searches beside an upload took 13.
 */
const SLICE_MS_MAX = 1;

export class Slices {
  #end = performance.now() + SLICE_MS_MAX;

  /** Whether the slice is over and it is time to pause. */
  isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Fulfilled after everything that waited had its turn; a new slice begins. */
  async pause(): Promise<void> {
    await turn();
    this.#end = performance.now() + SLICE_MS_MAX;
  }
}
