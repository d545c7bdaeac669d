// Time limit of reads that nothing else bounds: filters, listings, facets, many queries at once. Rankings
// have a limit of their own, after which they show what they have (search/limits.ts). Set by searchthread.ts
// for each call, checked wherever work is repeated for each of many things.
import { TarsierError } from "../errors.ts";

export const REQUEST_MS_MAX = 60_000;

const CALLS_A_LOOK = 1024;

export class Deadline {
  #end = Number.POSITIVE_INFINITY;
  #ms = 0;
  #calls = 0;

  /** Sets the limit, counted from now. */
  set(milliseconds: number): void {
    this.#ms = milliseconds;
    this.#end = performance.now() + milliseconds;
  }

  /** When the time is over, on the clock of performance.now(). */
  get end(): number {
    return this.#end;
  }

  /**
   * The same for steps that are shorter than a look at the clock: only looks once in a while.
   * @throws as `check`
   */
  checkAtTimes(): void {
    if (++this.#calls % CALLS_A_LOOK === 0) this.check();
  }

  /** @throws TarsierError `request_timeout` */
  check(): void {
    if (performance.now() < this.#end) return;
    throw new TarsierError("request_timeout", { seconds: this.#ms / 1000 });
  }
}
