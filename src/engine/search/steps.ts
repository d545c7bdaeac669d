// Measures how long the parts of a search take, for `showPerformanceDetails`. Each call of a search thread
// has one (searchthread.ts), and so has each federated search (src/network/federatedsearch.ts).

/** Joins the name of a part to the name of the part that contains it. */
const WITHIN = " > ";

export class Steps {
  /** Milliseconds by name, in the order in which the parts began. */
  readonly #spent = new Map<string, number>();

  /** Runs a part; the times of a part that runs several times are added up. */
  time<T>(name: string, run: () => T): T {
    const began = performance.now();
    try {
      return run();
    } finally {
      this.add(name, performance.now() - began);
    }
  }

  /** The same for a part that waits. */
  async wait<T>(name: string, run: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await run();
    } finally {
      this.add(name, performance.now() - began);
    }
  }

  add(name: string, milliseconds: number): void {
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + milliseconds);
  }

  /**
   * Durations for people to read: the whole as `search`, its parts below it; time spent waiting is listed
   * separately.
   */
  told(searchMs: number, queueMs: number): Record<string, string> {
    const parts = [...this.#spent].map(([name, ms]) => [`search${WITHIN}${name}`, durationText(ms)]);
    const whole = { "wait in queue": durationText(queueMs), ...Object.fromEntries(parts) };
    return { ...whole, search: durationText(searchMs) };
  }
}

const MICROSECONDS = 1e3;
const SECOND_MS = 1e3;

/** A duration with two decimals, in the largest unit of which it has at least one. */
export function durationText(milliseconds: number): string {
  if (milliseconds >= SECOND_MS) return `${(milliseconds / SECOND_MS).toFixed(2)}s`;
  return milliseconds >= 1 ? `${milliseconds.toFixed(2)}ms` : `${(milliseconds * MICROSECONDS).toFixed(2)}µs`;
}
