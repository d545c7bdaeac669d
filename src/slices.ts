// Long work in a thread that answers others: it goes on for a slice of time, then lets everything else that
// waits have its turn.
import { setImmediate as turn } from "node:timers/promises";

/**
 * Of one slice. A search crosses the thread three times, and may have to wait for a slice each time: with
 * 4 ms those beside an upload took 13.
 */
const SLICE_MS_MAX = 1;

export class Slices {
  #end = performance.now() + SLICE_MS_MAX;

  /** The slice is over: it is time for a pause. */
  isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Fulfilled after the others had their turn; a new slice begins. */
  async pause(): Promise<void> {
    await turn();
    this.#end = performance.now() + SLICE_MS_MAX;
  }
}
