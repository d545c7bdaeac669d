// Decides when merges run: after batches, one at a time across all indexes, until the index needs none; and
// once more, going further, when it was not written to for a while. Owned by pool.ts.
//
// Closing first runs the small merges that are due: otherwise a program that opens, writes a little and
// closes would never merge anything, however often it is run.
import { isAborted, TarsierError } from "../errors.ts";
import { later, type Timer } from "../later.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { MergeFigures } from "./figures.ts";
import type { MergeReach } from "./ingest/mergepolicy.ts";
import type { Caller } from "./remote.ts";
import { newStop } from "./stop.ts";

/**
 * Longer than the time for which files from before a merge are kept for readers about to open them
 * (ingest/writer.ts).
 */
const TIDY_AFTER_MS = 3_000;
/** An index that was not written to for this long is at rest. */
export const REST_AFTER_MS = 5_000;

/** Bound of the segments of a merge that a close waits for: about a quarter of a second. */
const CLOSING_BYTES_MAX = 32 * 1024 * 1024;
/** Bound of all such merges together, for slow machines. */
const CLOSING_MS_MAX = 1_000;

/** Gets the outcome of merges. */
export interface MergeListener {
  merged(folder: string, version: number): void;
  /** The next batch will try again. */
  failed(folder: string, error: Error): void;
}

export class MergeSchedule {
  readonly #writer: Caller;
  readonly #merger: Caller;
  readonly #listener: MergeListener;
  readonly #restAfterMs: number;
  /** Folders of indexes that may need merges, and how far to go. */
  readonly #waiting = new Map<string, MergeReach>();
  /** Folders that had the merges they needed, and will be merged further once they are at rest. */
  readonly #restless = new Set<string>();
  /** Timers of indexes that are not being written to. */
  readonly #timers = new Map<string, Timer>();
  /** Number of running batches, by folder. */
  readonly #batches = new Map<string, number>();
  /** `stop`: ends the running merge when its first element is not 0. */
  #running: { folder: string; reach: MergeReach; stop: Int32Array; done: Promise<void> } | null = null;
  #work: Promise<void> | null = null;
  #closed = false;
  /** The merge in progress. */
  #job: MergeJob | null = null;
  readonly #counts = { done: 0, failed: 0, bytesRead: 0, bytesWritten: 0 };

  /**
   * `restAfterMs`: how long an index must not be written to before it is merged further; Infinity: for ever.
   */
  constructor(writer: Caller, merger: Caller, listener: MergeListener, restAfterMs: number) {
    this.#writer = writer;
    this.#merger = merger;
    this.#listener = listener;
    this.#restAfterMs = restAfterMs;
  }

  get figures(): MergeFigures {
    return { ...this.#counts, running: this.#job ? 1 : 0, waiting: this.#waiting.size };
  }

  /** A batch begins: its index is not at rest. */
  begin(folder: string): void {
    this.#batches.set(folder, (this.#batches.get(folder) ?? 0) + 1);
    if (this.#waiting.get(folder) === "rest") {
      this.#waiting.delete(folder);
      this.#restless.add(folder);
    }
    this.#stopTimer(folder);
  }

  /** A batch has ended. `changed`: the index may need merges. */
  end(folder: string, changed: boolean): void {
    const batches = this.#batches.get(folder)! - 1;
    if (batches > 0) this.#batches.set(folder, batches);
    else this.#batches.delete(folder);
    if (changed) this.#enter(folder, "usual");
    else this.#awaitRest(folder);
  }

  /**
   * Merges an index into as few segments as possible. Other merges wait meanwhile.
   * @throws what the merge threw; `aborted` when `stop` was set
   */
  async compact(folder: string, stop: Int32Array): Promise<void> {
    await this.cancel(folder);
    while (this.#work) await this.#work;
    if (this.#closed) throw new TarsierError("aborted");
    const done = this.#mergeAll(folder, stop, "whole");
    this.#running = { folder, reach: "whole", stop, done: done.catch(() => {}) };
    this.#work = this.#running.done.then(() => {
      this.#running = null;
      this.#work = null;
      for (const [waiting, reach] of this.#waiting) this.#enter(waiting, reach);
    });
    await done;
  }

  /** Stops the merges of an index. Fulfilled when none is running. */
  async cancel(folder: string): Promise<void> {
    this.#waiting.delete(folder);
    this.#restless.delete(folder);
    this.#stopTimer(folder);
    const running = this.#running;
    if (running?.folder !== folder) return;
    this.#stopRunning();
    await running.done;
  }

  /** Fulfilled when no merge is running or waiting. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /**
   * Stops all merges, except small ones that indexes need, which get a moment. Fulfilled when none is
   * running.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const folder of [...this.#timers.keys()]) this.#stopTimer(folder);
    for (const [folder, reach] of [...this.#waiting]) if (reach !== "usual") this.#waiting.delete(folder);
    if (this.#running?.reach !== "usual" || (this.#job && !isSmall(this.#job))) this.#stopRunning();
    const timer = later(() => {
      this.#waiting.clear();
      this.#stopRunning();
    }, CLOSING_MS_MAX);
    await this.settled();
    clearTimeout(timer);
  }

  #stopRunning(): void {
    if (this.#running) Atomics.store(this.#running.stop, 0, 1);
  }

  #enter(folder: string, reach: MergeReach): void {
    if (this.#closed) return;
    this.#restless.delete(folder);
    this.#stopTimer(folder);
    this.#waiting.set(folder, reach);
    this.#work ??= this.#run().finally(() => {
      this.#work = null;
    });
  }

  async #run(): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const [folder, reach] = next;
      this.#waiting.delete(folder);
      const stop = newStop();
      const done = this.#mergeAll(folder, stop, reach).then(
        () => {
          if (isSet(stop)) return;
          if (reach === "rest") return this.#tidy(folder);
          this.#restless.add(folder);
          this.#awaitRest(folder);
        },
        (error) => {
          if (!isSet(stop) && !isAborted(error)) this.#listener.failed(folder, error as Error);
        },
      );
      this.#running = { folder, reach, stop, done };
      await done;
      this.#running = null;
    }
  }

  #awaitRest(folder: string): void {
    this.#stopTimer(folder);
    const isBusy = this.#batches.has(folder) || this.#waiting.has(folder);
    if (this.#closed || isBusy || !this.#restless.has(folder)) return;
    if (this.#restAfterMs === Number.POSITIVE_INFINITY) return;
    const rest = () => this.#enter(folder, "rest");
    this.#timers.set(folder, later(rest, this.#restAfterMs));
  }

  #stopTimer(folder: string): void {
    clearTimeout(this.#timers.get(folder));
    this.#timers.delete(folder);
  }

  /** The files from before a merge stay for a moment; without a next batch nobody else would remove them. */
  #tidyLater(folder: string): void {
    later(() => this.#tidy(folder), TIDY_AFTER_MS);
  }

  /** Also removes what batches have replaced. */
  #tidy(folder: string): void {
    if (!this.#closed) this.#writer.call("tidy", [folder]).catch(() => null);
  }

  /** Goes on until there is nothing more to merge, or an error. */
  async #mergeAll(folder: string, stop: Int32Array, reach: MergeReach): Promise<void> {
    for (;;) {
      if (isSet(stop)) throw new TarsierError("aborted");
      const job = await this.#writer.call<MergeJob | null>("beginMerge", [folder, reach]);
      if (!job) return;
      if (this.#closed && !isSmall(job)) {
        await this.#writer.call("endMerge", [job]).catch(() => null);
        throw new TarsierError("aborted");
      }
      try {
        await this.#merge(job, stop);
      } catch (error) {
        // If even this call fails, the writer has ended and no longer knows of the merge.
        await this.#writer.call("endMerge", [job]).catch(() => null);
        throw error;
      }
    }
  }

  async #merge(job: MergeJob, stop: Int32Array): Promise<void> {
    const { folder, entries } = job;
    this.#job = job;
    try {
      const merged = await this.#merger.call<SegmentEntry | null>("merge", [job, stop]);
      this.#listener.merged(folder, await this.#writer.call<number>("commitMerge", [job, merged]));
      this.#counts.done++;
      this.#counts.bytesRead += bytesOf(entries);
      this.#counts.bytesWritten += merged?.bytes ?? 0;
      this.#tidyLater(folder);
    } catch (error) {
      if (!isSet(stop)) this.#counts.failed++;
      throw error;
    } finally {
      this.#job = null;
    }
  }
}

const bytesOf = (entries: readonly SegmentEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0);

const isSmall = ({ entries }: MergeJob): boolean => bytesOf(entries) <= CLOSING_BYTES_MAX;

function isSet(stop: Int32Array): boolean {
  return Atomics.load(stop, 0) !== 0;
}
