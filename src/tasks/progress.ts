// What a running batch tells of itself: its current steps, how far each has come, and how long each took.
import type { CallStatistics } from "../embedders/embedder.ts";
import type { BatchStats } from "./batch.ts";
import { type Moment, shortDurationText } from "./time.ts";
import type { ProgressStep } from "./views.ts";

/** Steps of the batch itself; those of the engine are inside the first one. */
const BATCH_STEPS = ["processing tasks", "writing tasks to disk"] as const;

export class Progress {
  /** Calls of embedders so far. */
  embedderRequests: CallStatistics | null = null;
  readonly #now: () => Moment;
  #steps: ProgressStep[] = [];
  #startedAt: Moment[] = [];
  readonly #spent = new Map<string, number>();

  constructor(now: () => Moment) {
    this.#now = now;
    this.enter("processing tasks");
  }

  /** Enters a step of the batch; `inner` are the steps inside it, outermost first. */
  enter(step: (typeof BATCH_STEPS)[number], inner: ProgressStep[] = []): void {
    const outer = { currentStep: step, finished: BATCH_STEPS.indexOf(step), total: BATCH_STEPS.length };
    const steps = [outer, ...inner.map((each) => ({ ...each }))];
    let same = 0;
    while (same < steps.length && steps[same].currentStep === this.#steps[same]?.currentStep) same++;
    const now = this.#now();
    this.#leaveFrom(same, now);
    this.#steps = steps;
    while (this.#startedAt.length < steps.length) this.#startedAt.push(now);
  }

  view(): { steps: ProgressStep[]; percentage: number } {
    let percentage = 0;
    let factor = 1;
    for (const { finished, total } of this.#steps) {
      factor *= Math.max(1, total);
      percentage += finished / factor;
    }
    return { steps: this.#steps, percentage: Math.fround(percentage * 100) };
  }

  /** The parts of the stats of a batch that come from here. */
  stats(): Pick<BatchStats, "progressTrace" | "embedderRequests"> {
    const { total, failed, lastError } = this.embedderRequests ?? { total: 0, failed: 0, lastError: null };
    const embedderRequests = { total, failed, ...(lastError !== null && { lastError }) };
    return { progressTrace: this.trace(), ...(total > 0 && { embedderRequests }) };
  }

  /** "step > inner step" -> duration text, sorted; running steps count up to now. */
  trace(): Record<string, string> {
    const now = this.#now();
    const spent = new Map(this.#spent);
    for (let depth = 0; depth < this.#steps.length; depth++) {
      const path = this.#path(depth);
      spent.set(path, (spent.get(path) ?? 0) + now - this.#startedAt[depth]);
    }
    const byPath = [...spent].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byPath.map(([path, microseconds]) => [path, shortDurationText(microseconds)]));
  }

  #leaveFrom(depth: number, now: Moment): void {
    for (let left = this.#steps.length - 1; left >= depth; left--) {
      const path = this.#path(left);
      this.#spent.set(path, (this.#spent.get(path) ?? 0) + now - this.#startedAt[left]);
    }
    this.#startedAt.length = Math.min(this.#startedAt.length, depth);
  }

  #path(depth: number): string {
    return this.#steps
      .slice(0, depth + 1)
      .map((step) => step.currentStep)
      .join(" > ");
  }
}
