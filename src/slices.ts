// Long work in a thread that answers others: it goes on for a slice of time, then lets everything else that
// waits have its turn.
import { setImmediate as turn } from "node:timers/promises";

/** Of one slice: what others have to wait for at most. */
const SLICE_MS_MAX = 2;

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
