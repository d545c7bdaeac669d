// How long a task waits for another server that is away: longer and longer, and then no more. Used by
// exports and by the move of documents; the scheduler runs other tasks in between.

/** Without getting on. */
export const PATIENCE_MS_MAX = 15 * 60_000;
const WAIT_MS_FIRST = 250;
const WAIT_GROWTH = 1.5;
const WAIT_MS_MAX = 60_000;

export class Patience {
  readonly #totalMs: number;
  #waitMs = WAIT_MS_FIRST;
  #since: number | null = null;

  /** `totalMs`: from the first failure on. */
  constructor(totalMs: number = PATIENCE_MS_MAX) {
    this.#totalMs = totalMs;
  }

  /** Something was done that need not be done again. */
  restore(): void {
    this.#since = null;
    this.#waitMs = WAIT_MS_FIRST;
  }

  /** Milliseconds to the next try; null: there is none. */
  waitMs(): number | null {
    this.#since ??= performance.now();
    if (performance.now() - this.#since > this.#totalMs) return null;
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(WAIT_MS_MAX, waitMs * WAIT_GROWTH);
    return waitMs;
  }
}
