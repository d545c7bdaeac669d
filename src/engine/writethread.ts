// The writing side of the engine in one thread: batches, and the commits of merges. There is exactly one for a data folder.
// Runs in a worker (worker.ts) or in the caller's thread (pool.ts with no threads).
import type { Storage } from "../storage/storage.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import { readManifest } from "../segment/manifestreader.ts";
import { TarsierError } from "../errors.ts";
import type { Batch, BatchResult, IndexDescription, ProgressListener } from "./engine.ts";
import { IndexingShare } from "./ingest/indexing.ts";
import { IndexWriter, type WriterShare, describe } from "./ingest/writer.ts";
import { openReaderShare } from "./searchthread.ts";

/** Indexes kept open for writing. */
const OPEN_INDEXES_MAX = 16;
/** Part of the indexing memory that holds the words of a run; the rest is for payloads, caches and the host. */
const INVERTER_PART = 0.5;
const CACHE_PART = 0.15;
const INVERTER_BYTES_MIN = 1024 * 1024;
const CACHE_BYTES_MIN = 32 * 1024 * 1024;
const SCRATCH_BYTES = 256 * 1024 * 1024;
const PROGRESS_INTERVAL_MS = 50;

export interface MergeTask {
  folder: string;
  name: string;
  entries: SegmentEntry[];
}

export class WriteThread {
  readonly #share: WriterShare;
  readonly #writers = new Map<string, IndexWriter>();

  constructor(storage: Storage, indexingBytes: number) {
    const cacheBytes = Math.max(CACHE_BYTES_MIN, indexingBytes * CACHE_PART);
    const share = openReaderShare(storage, Math.floor(cacheBytes), SCRATCH_BYTES);
    const inverterBytes = Math.max(INVERTER_BYTES_MIN, Math.floor((indexingBytes * INVERTER_PART) / 16) * 16);
    this.#share = { ...share, indexing: new IndexingShare(share.core, inverterBytes) };
  }

  describe(folder: string): IndexDescription {
    const writer = this.#writers.get(folder);
    if (writer) return writer.description();
    const { storage } = this.#share;
    const names = storage.list(folder);
    const bytes = names.reduce((sum, name) => sum + storage.size(`${folder}/${name}`), 0);
    return describe(readManifest(storage, folder, 0), bytes);
  }

  /** Runs a batch. `stop`: the batch ends with `aborted` when its first element is not 0. */
  run(batch: Batch, stop: Int32Array | null, progress: ProgressListener): BatchResult {
    let noted = 0;
    const interrupt = () => {
      if (stop && Atomics.load(stop, 0) !== 0) throw new TarsierError("aborted");
    };
    const note: ProgressListener = (steps) => {
      if (performance.now() - noted < PROGRESS_INTERVAL_MS) return;
      noted = performance.now();
      progress(steps);
    };
    return this.#open(batch.folder).run(batch, note, interrupt);
  }

  /** The next merge that an index needs, or null. Ends with `commitMerge` or `endMerge`. */
  beginMerge(folder: string): MergeTask | null {
    const job = this.#writers.get(folder)?.beginMerge();
    return job ? { folder, ...job } : null;
  }

  /** Puts the merged segment in place (null: no document was left). Returns the new version. */
  commitMerge(task: MergeTask, merged: SegmentEntry | null): number {
    const writer = this.#open(task.folder);
    writer.commitMerge(task, merged);
    return writer.state.version;
  }

  endMerge(task: MergeTask): void {
    this.#writers.get(task.folder)?.endMerge(task);
  }

  drop(folder: string): void {
    this.#forget(folder);
    this.#share.storage.removeFolder(folder);
  }

  close(): void {
    for (const folder of [...this.#writers.keys()]) this.#forget(folder);
  }

  #open(folder: string): IndexWriter {
    let writer = this.#writers.get(folder);
    this.#writers.delete(folder);
    writer ??= new IndexWriter(this.#share, folder);
    this.#writers.set(folder, writer);
    if (this.#writers.size > OPEN_INDEXES_MAX) this.#forget(this.#writers.keys().next().value!);
    return writer;
  }

  #forget(folder: string): void {
    this.#writers.get(folder)?.close();
    this.#writers.delete(folder);
  }
}
