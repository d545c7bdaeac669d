// The writing side of the engine in one thread: batches, and the commits of merges. A data folder has exactly
// one. Runs in a worker (worker.ts) or in the caller's thread (pool.ts with no threads).
import { CoreExhausted } from "../core/core.ts";
import type { CallStatistics, EmbedderProvider } from "../embedders/embedder.ts";
import { isAborted, TarsierError } from "../errors.ts";
import type { Interrupt } from "../segment/interrupt.ts";
import { readManifest } from "../segment/manifestreader.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import { folderOf, type Storage } from "../storage/storage.ts";
import type { Batch, BatchResult, IndexDescription, OperationResult, ProgressListener } from "./engine.ts";
import { type IndexingBudget, indexingBudget } from "./ingest/budget.ts";
import { IndexingShare } from "./ingest/indexing.ts";
import { LargeDocument } from "./ingest/largedocument.ts";
import type { MergeReach } from "./ingest/mergepolicy.ts";
import { describe, folderBytes, IndexWriter } from "./ingest/writer.ts";
import type { WriterShare } from "./ingest/writershare.ts";
import { openReaderShare } from "./searchthread.ts";
import { openEmbedders } from "./vectors/sources.ts";
import { complete, type Work } from "./work.ts";

/** Indexes kept open for writing. */
const OPEN_INDEXES_MAX = 16;
const PROGRESS_INTERVAL_MS = 50;
/**
 * Of the tasks that made a document too large, so many are refused one after another, each with a try of the
 * batch whether the others fit without it. From then on each try refuses as many as all before it.
 */
const SINGLY_REFUSED_MAX = 8;

export class WriteThread {
  readonly #storage: Storage;
  readonly #budget: IndexingBudget;
  readonly #embedders: EmbedderProvider;
  #share: WriterShare;
  /** No batch has used its core yet. */
  #isFresh = true;
  #failed = false;
  /** By folder, the most recently used last. */
  readonly #writers = new Map<string, IndexWriter>();
  /** Files of running merges, by folder: kept here because writers come and go meanwhile. */
  readonly #merging = new Map<string, Set<string>>();

  /** `threads`: number of threads that build a segment together. */
  constructor(
    storage: Storage,
    indexingBytes: number,
    embedders: EmbedderProvider = openEmbedders(),
    threads = 1,
  ) {
    this.#storage = storage;
    this.#budget = indexingBudget(indexingBytes, threads);
    this.#embedders = embedders;
    this.#share = openWriterShare(storage, this.#budget, embedders);
  }

  /** Memory that the core has handed out so far, in bytes, including what was never touched. */
  get reservedBytes(): number {
    return this.#share.core.reservedBytes;
  }

  describe(folder: string): IndexDescription {
    const writer = this.#writers.get(folder);
    if (writer) return writer.description();
    return describe(readManifest(this.#storage, folder, 0), folderBytes(this.#storage, folder));
  }

  /**
   * Runs a batch. `stop`: the batch ends with `aborted` when its first element is not 0. The batch is
   * finished on return, unless embedders are called; no other method may be called before it is finished.
   */
  run(batch: Batch, stop: Int32Array | null, progress: ProgressListener): BatchResult | Promise<BatchResult> {
    let last: Parameters<ProgressListener> | null = null;
    let noted = 0;
    let callsNoted = 0;
    const interrupt = () => {
      if (stop && Atomics.load(stop, 0) !== 0) throw new TarsierError("aborted");
    };
    const tell = (...news: Parameters<ProgressListener>) => {
      noted = performance.now();
      callsNoted = countOf(news[1]);
      progress(...news);
    };
    const note: ProgressListener = (...news) => {
      last = news;
      if (performance.now() - noted >= PROGRESS_INTERVAL_MS) tell(...news);
    };
    const noteCalls = () => {
      if (last !== null && countOf(last[1]) !== callsNoted) tell(...last);
    };
    return this.#guard(() => complete(this.#run(batch, note, interrupt), stop, noteCalls));
  }

  /** Bytes of the segments of an index, not counting those about to be removed. */
  size(folder: string): number {
    return this.#guard(() => this.#open(folder).size());
  }

  /** The next merge of an index, or null. Ends with `commitMerge` or `endMerge`. */
  beginMerge(folder: string, reach?: MergeReach): MergeJob | null {
    return this.#guard(() => this.#open(folder).beginMerge(reach));
  }

  /** Puts the merged segment in place (null: no document was left). Returns the new version. */
  commitMerge(job: MergeJob, merged: SegmentEntry | null): number {
    return this.#guard(() => {
      const writer = this.#open(job.folder);
      writer.commitMerge(job, merged);
      return writer.state.version;
    });
  }

  /** Removes files of an index that were replaced, once readers have had time to let go of them. */
  tidy(folder: string): void {
    if (this.#storage.exists(folder)) this.#guard(() => this.#open(folder).tidy());
  }

  /** Gives a merge up. An index has at most one at a time. */
  endMerge(job: MergeJob): void {
    const writer = this.#writers.get(job.folder);
    if (writer) writer.endMerge(job);
    else this.#merging.delete(job.folder);
  }

  drop(folder: string): void {
    this.#forget(folder);
    this.#merging.delete(folder);
    this.#storage.removeFolder(folder);
    // The journal forgets the folder after this, so its removal must be durable. An index that was never
    // written has no folder.
    const parent = folderOf(folder);
    if (this.#storage.exists(parent)) this.#storage.syncFolder(parent);
  }

  /**
   * Closes everything and returns true when a new thread could take over from this one: not while merges run,
   * nor after a failure, of which a new thread would not know.
   */
  rest(): boolean {
    if (this.#failed || [...this.#merging.values()].some((files) => files.size > 0)) return false;
    this.close();
    return true;
  }

  close(): void {
    for (const folder of [...this.#writers.keys()]) this.#forget(folder);
  }

  /**
   * Where the memory of the core has run out, the batch is run again with a new one, whose memory is not in
   * pieces yet; and where that is no help, without the document that needs so much.
   */
  *#run(batch: Batch, note: ProgressListener, interrupt: Interrupt): Work<BatchResult> {
    const refused = new Map<number, OperationResult>();
    const refusedFor = new Map<string | null, number>();
    const earlier = { refused, calls: { total: 0, failed: 0, lastError: null } };
    for (;;) {
      const isFresh = this.#isFresh;
      this.#isFresh = false;
      try {
        return yield* this.#open(batch.folder, batch.version).run(batch, earlier, note, interrupt);
      } catch (error) {
        const isLarge = error instanceof LargeDocument;
        if (!isLarge && !(error instanceof CoreExhausted)) throw error;
        this.#renew();
        if (!isFresh && !(isLarge && error.shortage === "words")) continue;
        if (!isLarge) throw error;
        const { documentId, taskUids, refusal } = error;
        if (taskUids.length === 0) throw refusal;
        const before = refusedFor.get(documentId) ?? 0;
        const some = taskUids.slice(0, before < SINGLY_REFUSED_MAX ? 1 : before);
        for (const taskUid of some) refused.set(taskUid, { taskUid, error: refusal.toObject() });
        refusedFor.set(documentId, before + some.length);
      }
    }
  }

  /** Goes on with a new core. */
  #renew(): void {
    for (const [folder, writer] of [...this.#writers]) if (!writer.isInDoubt) this.#forget(folder);
    this.#share = openWriterShare(this.#storage, this.#budget, this.#embedders);
    this.#isFresh = true;
  }

  #open(folder: string, version = 0): IndexWriter {
    let writer = this.#writers.get(folder);
    this.#writers.delete(folder);
    const merging = this.#merging.get(folder) ?? new Set();
    this.#merging.set(folder, merging);
    writer ??= new IndexWriter(this.#share, folder, merging, version);
    this.#writers.set(folder, writer);
    if (this.#writers.size > OPEN_INDEXES_MAX) this.#forgetOldest();
    return writer;
  }

  /** An index whose last commit is in doubt stays open: opened again, it would look sound. */
  #forgetOldest(): void {
    const [oldest] = [...this.#writers].find(([, writer]) => !writer.isInDoubt) ?? [];
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(folder: string): void {
    this.#writers.get(folder)?.close();
    this.#writers.delete(folder);
    if (this.#merging.get(folder)?.size === 0) this.#merging.delete(folder);
  }

  /**
   * A failure that is not a refusal may have left the core in any state: the thread goes on with a new one.
   */
  #guard<T>(work: () => T): T {
    const fail = (error: unknown): never => {
      this.#failed ||= !isAborted(error);
      if (error instanceof TarsierError) throw error;
      this.#renew();
      throw error;
    };
    try {
      const done = work();
      return done instanceof Promise ? (done.catch(fail) as T) : done;
    } catch (error) {
      return fail(error);
    }
  }
}

/** Grows with every call, and once more when it fails. */
const countOf = ({ total, failed }: CallStatistics): number => total + failed;

function openWriterShare(storage: Storage, budget: IndexingBudget, embedders: EmbedderProvider): WriterShare {
  const share = openReaderShare(storage, budget.cacheBytes, budget.scratchBytes);
  return { ...share, indexing: new IndexingShare(share.core, budget), embedders };
}
