// When merges run: after batches, one at a time over all indexes, until an index needs none. Owned by
// pool.ts.
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { Caller } from "./remote.ts";

/** Longer than the files of a merge are kept for readers that are about to open them (ingest/writer.ts). */
const TIDY_AFTER_MS = 3_000;

/** Told of what becomes of merges. */
export interface MergeListener {
  merged(folder: string, version: number): void;
  /** The next batch tries again. */
  failed(folder: string, error: Error): void;
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

  constructor(writer: Caller, merger: Caller, listener: MergeListener) {
    this.#writer = writer;
    this.#merger = merger;
    this.#listener = listener;
  }

  /** Looks after an index that has changed. */
  request(folder: string): void {
    if (this.#closed) return;
    this.#waiting.add(folder);
    this.#work ??= this.#run().finally(() => {
      this.#work = null;
    });
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
      const stop = new Int32Array(new SharedArrayBuffer(4));
      const done = this.#mergeAll(folder, stop);
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
    setTimeout(tidy, TIDY_AFTER_MS).unref();
  }

  async #mergeAll(folder: string, stop: Int32Array): Promise<void> {
    while (Atomics.load(stop, 0) === 0) {
      let job: MergeJob | null = null;
      try {
        job = await this.#writer.call<MergeJob | null>("beginMerge", [folder]);
        if (!job) return;
        const merged = await this.#merger.call<SegmentEntry | null>("merge", [job, stop]);
        this.#listener.merged(folder, await this.#writer.call<number>("commitMerge", [job, merged]));
        this.#tidyLater(folder);
      } catch (error) {
        if (Atomics.load(stop, 0) === 0) this.#listener.failed(folder, error as Error);
        // A writer that cannot even be told has lost what it knew of the merge.
        if (job) await this.#writer.call("endMerge", [job]).catch(() => null);
        return;
      }
    }
  }
}
