// The writing side of one index: runs batches, one after the other, and commits each in one step. Called by local.ts in the
// thread that owns the core. A batch that was committed before a crash is recognised by its tasks and not run again.
import { TarsierError, type ErrorObject } from "../../errors.ts";
import { ManifestLog } from "../../segment/manifest.ts";
import type { ManifestState, NextState, SegmentEntry } from "../../segment/manifeststate.ts";
import { readTombstones, type Tombstones, writeTombstones } from "../../segment/tombstones.ts";
import type { Batch, BatchResult, IndexDescription, Operation, OperationResult, ProgressListener } from "../engine.ts";
import { mergeSettings } from "../settings.ts";
import { settingsHash } from "../settingshash.ts";
import { IndexReader, type ReaderShare, settingsOf } from "../reader.ts";
import { BatchDocuments } from "./batchdocuments.ts";
import { IndexingRun, type IndexingShare } from "./indexing.ts";
import { planMerge } from "./mergepolicy.ts";
import { rebuild } from "./rebuild.ts";

/** Files that a reader may be about to open are kept so long after they went out of use. */
const FILE_GRACE_MS = 10_000;

export interface WriterShare extends ReaderShare {
  indexing: IndexingShare;
}

/** Throws when the batch is to stop. Called every few documents. */
export type Interrupt = () => void;

export class IndexWriter {
  readonly #share: WriterShare;
  readonly #folder: string;
  readonly #manifest: ManifestLog;
  readonly #reader: IndexReader;
  /** Files of merges that run. */
  readonly #merging = new Set<string>();

  /** `atLeastVersion`: of the manifest, acknowledged to others. @throws TarsierError when files are damaged */
  constructor(share: WriterShare, folder: string, atLeastVersion = 0) {
    this.#share = share;
    this.#folder = folder;
    share.storage.makeFolder(folder);
    this.#manifest = ManifestLog.open(share.storage, folder, undefined, atLeastVersion);
    this.#reader = new IndexReader(share, folder);
    try {
      this.#reader.refresh(this.#manifest.state.version, this.#manifest.state);
      this.#removeObsolete(0);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** True when it is not known whether the last commit is on disk: then no batch runs until the next start. */
  get isInDoubt(): boolean {
    return this.#manifest.isInDoubt;
  }

  /** Runs a batch. Throws what makes the whole batch fail; then nothing changed. */
  run(batch: Batch, progress: ProgressListener, interrupt: Interrupt): BatchResult {
    this.#manifest.refuseFailed();
    this.#reader.refresh(this.state.version, this.state);
    const repeated = this.#repeated(batch.operations);
    const operations = batch.operations.filter(({ taskUid }) => !repeated.has(taskUid));
    if (operations.length === 0 && repeated.size > 0) {
      const results = batch.operations.map(({ taskUid }) => repeated.get(taskUid)!);
      return { results, index: describe(this.#manifest.state, this.#diskBytes()), changed: true };
    }
    const work = new BatchWork(this.#share, this.#reader, this.#manifest.state, batch, progress, interrupt);
    try {
      const { next, results, changed } = work.run(operations);
      const all = new Map([...repeated, ...results.map((result) => [result.taskUid, result] as const)]);
      const ordered = batch.operations.map(({ taskUid }) => all.get(taskUid)!);
      if (changed) this.#commit({ ...next, lastBatch: { results: ordered } });
      return { results: ordered, index: describe(this.#manifest.state, this.#diskBytes()), changed };
    } catch (error) {
      work.abandon(!this.isInDoubt);
      throw error;
    }
  }

  get state(): ManifestState {
    return this.#manifest.state;
  }

  description(): IndexDescription {
    return describe(this.#manifest.state, this.#diskBytes());
  }

  /** Segments worth merging now, with the name of the result, or null. */
  beginMerge(): { name: string; entries: SegmentEntry[] } | null {
    const entries = planMerge(this.state.segments.filter(({ name }) => !this.#merging.has(name)));
    if (!entries) return null;
    const name = `segment-merge-${entries[0].name.slice("segment-".length)}.tmp`;
    this.#merging.add(name);
    this.#merging.add(spoolOf(name));
    for (const entry of entries) this.#merging.add(entry.name);
    return { name, entries };
  }

  /** Puts a merged segment in the place of its sources; documents deleted meanwhile stay deleted. */
  commitMerge(job: { name: string; entries: SegmentEntry[] }, merged: SegmentEntry | null): void {
    const { storage } = this.#share;
    const state = this.state;
    const sources = new Map(job.entries.map((entry) => [entry.name, entry]));
    const current = state.segments.filter(({ name }) => sources.has(name));
    if (current.length === sources.size) {
      const name = `segment-${String(state.nextSegment).padStart(8, "0")}`;
      const kept = state.segments.filter((entry) => !sources.has(entry.name));
      if (merged) {
        storage.rename(`${this.#folder}/${job.name}`, `${this.#folder}/${name}`);
        const deleted = deletedSince(current, sources, (entry) => readTombstones(storage, this.#folder, entry));
        const dead = deleted.length === merged.documents;
        const version = state.version + 1;
        const tombstones = readTombstones(storage, this.#folder, null).with(deleted);
        const entry = writeTombstones(storage, this.#folder, name, version, tombstones);
        if (!dead) kept.push({ ...merged, name, tombstones: entry });
      }
      this.#commit({ ...state, segments: kept, nextSegment: state.nextSegment + 1 });
    }
    this.endMerge(job);
  }

  /** Forgets a merge, done or given up. */
  endMerge(job: { name: string; entries: SegmentEntry[] }): void {
    this.#merging.delete(job.name);
    this.#merging.delete(spoolOf(job.name));
    for (const { name } of job.entries) this.#merging.delete(name);
    this.#removeObsolete(FILE_GRACE_MS);
  }

  close(): void {
    this.#reader.close();
    this.#manifest.close();
  }

  #commit(next: NextState): void {
    const state = this.#manifest.commit(next);
    // What fails from here on must not look like a failure of what is committed.
    try {
      this.#reader.refresh(state.version, state);
      this.#removeObsolete(FILE_GRACE_MS);
    } catch {
      // The next batch catches up, or tells what is wrong.
    }
  }

  /** Results of operations that the last batch of the manifest committed already. */
  #repeated(operations: readonly Operation[]): Map<number, OperationResult> {
    const wanted = new Set(operations.map(({ taskUid }) => taskUid));
    const last = (this.state.lastBatch?.results ?? []) as OperationResult[];
    return new Map(last.filter(({ taskUid }) => wanted.has(taskUid)).map((result) => [result.taskUid, result]));
  }

  #removeObsolete(graceMs: number): void {
    for (const name of this.#manifest.obsoleteFiles(graceMs, this.#merging)) {
      this.#share.storage.remove(`${this.#folder}/${name}`);
    }
  }

  #diskBytes(): number {
    const { storage } = this.#share;
    return storage.list(this.#folder).reduce((sum, name) => sum + storage.size(`${this.#folder}/${name}`), 0);
  }
}

/** Docids deleted in the sources after the merge had read their tombstones. */
function deletedSince(
  current: readonly SegmentEntry[],
  before: ReadonlyMap<string, SegmentEntry>,
  read: (entry: SegmentEntry["tombstones"]) => Tombstones,
): number[] {
  return current.flatMap(({ name, tombstones }) => {
    const known = read(before.get(name)!.tombstones);
    return [...read(tombstones).docids].filter((docid) => !known.has(docid));
  });
}

/** What the instance is told of an index. */
export function describe(state: ManifestState, diskBytes: number): IndexDescription {
  const { version, primaryKey, numberOfDocuments, fieldDistribution, rawDocumentBytes } = state;
  return { version, primaryKey, numberOfDocuments, fieldDistribution, rawDocumentBytes, diskBytes };
}

/** One batch while it runs. */
class BatchWork {
  readonly #share: WriterShare;
  readonly #reader: IndexReader;
  readonly #state: ManifestState;
  readonly #batch: Batch;
  readonly #interrupt: Interrupt;
  readonly #progress: ProgressListener;
  #run: IndexingRun | null = null;
  #documents: BatchDocuments | null = null;

  constructor(
    share: WriterShare,
    reader: IndexReader,
    state: ManifestState,
    batch: Batch,
    progress: ProgressListener,
    interrupt: Interrupt,
  ) {
    this.#share = share;
    this.#reader = reader;
    this.#state = state;
    this.#batch = batch;
    this.#progress = progress;
    this.#interrupt = interrupt;
  }

  run(operations: readonly Operation[]): { next: NextState; results: OperationResult[]; changed: boolean } {
    const before = settingsOf(this.#state);
    let settings = before;
    let { primaryKey } = this.#state;
    const results: OperationResult[] = [];
    const documents = new BatchDocuments(this.#share, this.#reader, this.#batch, primaryKey);
    this.#documents = documents;
    let settingsChanged = false;
    for (const operation of operations) {
      this.#interrupt();
      this.#progress([{ currentStep: "computing document changes", finished: results.length, total: operations.length }]);
      const result = attempt(operation.taskUid, () => {
        if (operation.kind === "settings") {
          settings = mergeSettings(settings, operation.patch);
          settingsChanged = true;
          return {};
        }
        return documents.apply(operation, settings);
      });
      results.push(result);
    }
    primaryKey = documents.primaryKey;
    const rebuilds = settingsHash(before) !== settingsHash(settings);
    const target = {
      storage: this.#share.storage,
      folder: this.#batch.folder,
      nextSegment: this.#state.nextSegment,
      settings,
      fields: rebuilds ? [] : this.#state.fields,
    };
    const indexing = new IndexingRun(this.#share.indexing, target);
    this.#run = indexing;
    const next = documents.write(indexing, settings, this.#step, this.#interrupt);
    if (rebuilds && next.segments.length > 0 && !documents.cleared) {
      next.segments = rebuild(this.#reader, indexing, this.#step, this.#interrupt);
    }
    documents.close();
    const changed = settingsChanged || documents.changed || primaryKey !== this.#state.primaryKey;
    return {
      next: {
        ...this.#state,
        ...next,
        primaryKey,
        settings,
        fields: indexing.fields,
        nextSegment: indexing.nextSegment,
      },
      results,
      changed,
    };
  }

  /** Ends an unfinished batch. `removeFiles`: nobody can come to name what it wrote. */
  abandon(removeFiles: boolean): void {
    this.#documents?.close();
    this.#run?.abandon();
    if (!removeFiles) return;
    for (const name of this.#run?.files ?? []) this.#share.storage.remove(`${this.#batch.folder}/${name}`);
  }

  readonly #step = (finished: number, total: number): void => {
    this.#progress([
      { currentStep: "indexing", finished: 0, total: 1 },
      { currentStep: "extracting words", finished, total },
    ]);
  };
}

/** Runs one operation; a refusal becomes its result. Anything else fails the batch. */
function attempt(taskUid: number, apply: () => Omit<OperationResult, "taskUid" | "error">): OperationResult {
  try {
    return { taskUid, error: null, ...apply() };
  } catch (error) {
    if (!(error instanceof TarsierError) || error.type !== "invalid_request") throw error;
    return { taskUid, error: error.toObject() satisfies ErrorObject };
  }
}
