// How long a read may take that nothing else ends: filters, listings, facets, many queries at once. Rankings
// have a bound of their own, after which they show what they have (search/limits.ts). Set by searchthread.ts
// for each call, looked at wherever work is repeated for each of many things.
import { TarsierError } from "../errors.ts";

export const REQUEST_MS_MAX = 60_000;

const CALLS_A_LOOK = 1024;

export class Deadline {
  #end = Number.POSITIVE_INFINITY;
  #ms = 0;
  #calls = 0;

  /** From now on. */
  set(milliseconds: number): void {
    this.#ms = milliseconds;
    this.#end = performance.now() + milliseconds;
  }

  /** By performance.now(). */
  get end(): number {
    return this.#end;
  }

  /** For what takes less time than looking at the clock: looks every so often. @throws as `check` */
  checkAtTimes(): void {
    if (++this.#calls % CALLS_A_LOOK === 0) this.check();
  }

  /** @throws TarsierError `request_timeout` */
  check(): void {
    if (performance.now() < this.#end) return;
    throw new TarsierError("request_timeout", { seconds: this.#ms / 1000 });
  }
}
