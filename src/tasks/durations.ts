// Counts how long something took, by upper bounds, as histograms of Prometheus do. journal.ts notes its syncs
// here; the metrics show them.

/** What was noted so far. */
export interface DurationFigures {
  /** Upper bounds in seconds, and how many took no longer than each. */
  bounds: readonly number[];
  counts: readonly number[];
  /** How many there were, including those beyond the last bound. */
  count: number;
  seconds: number;
}

export class Durations implements DurationFigures {
  readonly bounds: readonly number[];
  readonly counts: number[];
  count = 0;
  seconds = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  note(seconds: number): void {
    this.count++;
    this.seconds += seconds;
    for (let i = this.bounds.length - 1; i >= 0 && seconds <= this.bounds[i]; i--) this.counts[i]++;
  }
}
