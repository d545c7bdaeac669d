// How long a task waits for another server that is away: longer and longer, then no more. Used by exports.ts
// and network/moving.ts; the scheduler runs other tasks in between.

/** Longest time without progress. */
export const PATIENCE_MS_MAX = 15 * 60_000;
const WAIT_MS_FIRST = 250;
const WAIT_GROWTH = 1.5;
const WAIT_MS_MAX = 60_000;

interface PatienceOptions {
  /** Counted from the first failure. */
  totalMs?: number;
  /** Longest time between two attempts. */
  waitMsMax?: number;
}

export class Patience {
  readonly #totalMs: number;
  readonly #waitMsMax: number;
  #waitMs = WAIT_MS_FIRST;
  #since: number | null = null;

  constructor({ totalMs = PATIENCE_MS_MAX, waitMsMax = WAIT_MS_MAX }: PatienceOptions = {}) {
    this.#totalMs = totalMs;
    this.#waitMsMax = waitMsMax;
  }

  /** For how long nothing has been done. */
  get stalledMs(): number {
    return this.#since === null ? 0 : performance.now() - this.#since;
  }

  /** Starts over, because something was done that need not be repeated. */
  restore(): void {
    this.#since = null;
    this.#waitMs = WAIT_MS_FIRST;
  }

  /** Milliseconds until the next attempt; null: give up. */
  waitMs(): number | null {
    this.#since ??= performance.now();
    if (performance.now() - this.#since > this.#totalMs) return null;
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(this.#waitMsMax, waitMs * WAIT_GROWTH);
    return waitMs;
  }
}
