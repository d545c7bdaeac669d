// When merges run: after batches, one at a time over all indexes, until an index needs none. Owned by
// pool.ts.
import { TarsierError } from "../errors.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { Caller } from "./remote.ts";
import { newStop } from "./stop.ts";

/** Longer than the files of a merge are kept for readers that are about to open them (ingest/writer.ts). */
const TIDY_AFTER_MS = 3_000;

/** Told of what becomes of merges. */
interface MergeListener {
  merged(folder: string, version: number): void;
  /** The next batch tries again. */
  failed(folder: string, error: Error): void;
}

/** Merges since the start; indexes of which some wait. */
export interface MergeFigures {
  running: number;
  waiting: number;
  done: number;
  failed: number;
  /** Of the segments that were merged, and of those that were made. */
  bytesRead: number;
  bytesWritten: number;
}

export class MergeSchedule {
  readonly #writer: Caller;
  readonly #merger: Caller;
  readonly #listener: MergeListener;
  /** Folders of indexes that may need merges. */
  readonly #waiting = new Set<string>();
  /** `stop`: ends the running merge when its first element is not 0. */
  #running: { folder: string; stop: Int32Array; done: Promise<void> } | null = null;
  #work: Promise<void> | null = null;
  #closed = false;
  #isMerging = false;
  readonly #counts = { done: 0, failed: 0, bytesRead: 0, bytesWritten: 0 };

  constructor(writer: Caller, merger: Caller, listener: MergeListener) {
    this.#writer = writer;
    this.#merger = merger;
    this.#listener = listener;
  }

  get figures(): MergeFigures {
    return { ...this.#counts, running: this.#isMerging ? 1 : 0, waiting: this.#waiting.size };
  }

  /** Looks after an index that has changed. */
  request(folder: string): void {
    if (this.#closed) return;
    this.#waiting.add(folder);
    this.#work ??= this.#run().finally(() => {
      this.#work = null;
    });
  }

  /**
   * Merges an index into as few segments as may be. Other merges wait meanwhile.
   * @throws what the merge threw; `aborted` when `stop` was set
   */
  async compact(folder: string, stop: Int32Array): Promise<void> {
    await this.cancel(folder);
    while (this.#work) await this.#work;
    if (this.#closed) throw new TarsierError("aborted");
    const done = this.#mergeAll(folder, stop, true);
    this.#running = { folder, stop, done: done.catch(() => {}) };
    this.#work = this.#running.done.then(() => {
      this.#running = null;
      this.#work = null;
      for (const waiting of this.#waiting) this.request(waiting);
    });
    await done;
  }

  /** Stops the merges of an index. Fulfilled when none runs. */
  async cancel(folder: string): Promise<void> {
    this.#waiting.delete(folder);
    const running = this.#running;
    if (running?.folder !== folder) return;
    Atomics.store(running.stop, 0, 1);
    await running.done;
  }

  /** Fulfilled when no merge runs or waits. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** Stops all merges. Fulfilled when none runs. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    if (this.#running) Atomics.store(this.#running.stop, 0, 1);
    await this.settled();
  }

  async #run(): Promise<void> {
    for (let [folder] = this.#waiting; folder !== undefined; [folder] = this.#waiting) {
      this.#waiting.delete(folder);
      const stop = newStop();
      const done = this.#mergeAll(folder, stop, false).catch((error) => {
        if (!isSet(stop)) this.#listener.failed(folder, error as Error);
      });
      this.#running = { folder, stop, done };
      await done;
      this.#running = null;
    }
  }

  /** The files of a merge stay for a moment; without a next batch nobody else would remove them. */
  #tidyLater(folder: string): void {
    const tidy = () => {
      if (!this.#closed) this.#writer.call("tidy", [folder]).catch(() => null);
    };
    const timer: { unref?(): void } = setTimeout(tidy, TIDY_AFTER_MS);
    // Keeps no process alive; in browsers it is but a number.
    timer.unref?.();
  }

  /** Until there is nothing more to merge, or an error. `whole`: all that can be merged. */
  async #mergeAll(folder: string, stop: Int32Array, whole: boolean): Promise<void> {
    for (;;) {
      if (isSet(stop)) throw new TarsierError("aborted");
      const job = await this.#writer.call<MergeJob | null>("beginMerge", [folder, whole]);
      if (!job) return;
      try {
        await this.#merge(job, stop);
      } catch (error) {
        // A writer that cannot even be told has lost what it knew of the merge.
        await this.#writer.call("endMerge", [job]).catch(() => null);
        throw error;
      }
    }
  }

  async #merge(job: MergeJob, stop: Int32Array): Promise<void> {
    const { folder, entries } = job;
    this.#isMerging = true;
    try {
      const merged = await this.#merger.call<SegmentEntry | null>("merge", [job, stop]);
      this.#listener.merged(folder, await this.#writer.call<number>("commitMerge", [job, merged]));
      this.#counts.done++;
      this.#counts.bytesRead += entries.reduce((sum, { bytes }) => sum + bytes, 0);
      this.#counts.bytesWritten += merged?.bytes ?? 0;
      this.#tidyLater(folder);
    } catch (error) {
      if (!isSet(stop)) this.#counts.failed++;
      throw error;
    } finally {
      this.#isMerging = false;
    }
  }
}

function isSet(stop: Int32Array): boolean {
  return Atomics.load(stop, 0) !== 0;
}
