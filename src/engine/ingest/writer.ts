// The writing side of one index: runs batches one after another, and commits each in one step. Called by
// writethread.ts. A batch that was committed before a crash is recognised by its tasks and not run again.
import type { Interrupt } from "../../segment/interrupt.ts";
import { ManifestLog } from "../../segment/manifest.ts";
import { filesOf } from "../../segment/manifestfiles.ts";
import type { ManifestState, NextState, SegmentEntry } from "../../segment/manifeststate.ts";
import type { MergeJob } from "../../segment/merge.ts";
import type { Storage } from "../../storage/storage.ts";
import type {
  Batch,
  BatchResult,
  IndexDescription,
  Operation,
  OperationResult,
  ProgressListener,
} from "../engine.ts";
import { IndexReader, type OpenSegment } from "../reader.ts";
import type { Work } from "../work.ts";
import { type EarlierTries, runBatch } from "./batchwork.ts";
import { filesOfMerge, mergeName, stateAfterMerge } from "./mergecommit.ts";
import { type MergeReach, planMerges } from "./mergepolicy.ts";
import type { WriterShare } from "./writershare.ts";

/**
 * How long files that are no longer in use are kept, because a reader may be about to open them. A later
 * reader fetches the newest state.
 */
const FILE_GRACE_MS = 2_000;

/** Letters of all remembered names of fields and columns that are no longer in use. */
const FORMER_FIELDS_LETTERS_MAX = 64 * 1024;

export class IndexWriter {
  readonly #share: WriterShare;
  readonly #folder: string;
  readonly #manifest: ManifestLog;
  readonly #reader: IndexReader;
  /** Files of running merges. */
  readonly #merging: Set<string>;

  /**
   * `merging`: files of merges that an earlier writer of this index began. `atLeastVersion`: version of the
   * manifest that was acknowledged to others.
   * @throws TarsierError when files are damaged
   */
  constructor(share: WriterShare, folder: string, merging: Set<string>, atLeastVersion = 0) {
    this.#share = share;
    this.#folder = folder;
    this.#merging = merging;
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

  /** True when it is unknown whether the last commit is on disk: then no batch runs until the next start. */
  get isInDoubt(): boolean {
    return this.#manifest.isInDoubt;
  }

  get state(): ManifestState {
    return this.#manifest.state;
  }

  description(): IndexDescription {
    return describe(this.#manifest.state, folderBytes(this.#share.storage, this.#folder));
  }

  /**
   * Runs a batch, perhaps again. Throws when the whole batch fails; then nothing has changed.
   */
  *run(
    batch: Batch,
    earlier: EarlierTries,
    progress: ProgressListener,
    interrupt: Interrupt,
  ): Work<BatchResult> {
    this.#manifest.refuseFailed();
    this.#reader.refresh(this.state.version, this.state);
    const repeated = this.#repeated(batch.operations);
    const operations = batch.operations.filter(({ taskUid }) => !repeated.has(taskUid));
    if (operations.length === 0 && repeated.size > 0) {
      const results = batch.operations.map(({ taskUid }) => repeated.get(taskUid)!);
      return { results, index: this.description(), changed: true };
    }
    try {
      const work = { batch, operations, earlier, progress, interrupt };
      const { next, results: fresh } = yield* runBatch(this.#share, this.#reader, work);
      const all = new Map([...repeated, ...fresh.map((result) => [result.taskUid, result] as const)]);
      const results = batch.operations.map(({ taskUid }) => all.get(taskUid)!);
      if (next) this.#commit({ ...next, lastBatch: { results } });
      const { calls } = earlier;
      const requests = calls.total > 0 && { embedderRequests: calls };
      return { results, index: this.description(), changed: next !== null, ...requests };
    } catch (error) {
      // Nothing refers to the files that the batch wrote, unless the commit is in doubt: then none is
      // removed.
      tryTo(() => this.#removeObsolete(FILE_GRACE_MS));
      throw error;
    }
  }

  /** Bytes of the segments in use and of their tombstones. */
  size(): number {
    const { storage } = this.#share;
    return filesOf(this.state).reduce((bytes, name) => bytes + storage.size(`${this.#folder}/${name}`), 0);
  }

  /**
   * Segments to merge now, with the name of the result, or null. An index with vectors is not merged just
   * because it is at rest: merging builds their graphs anew.
   */
  beginMerge(reach: MergeReach = "usual"): MergeJob | null {
    const plan = planMerges[reach === "rest" && this.state.embeddings.vectors > 0 ? "usual" : reach];
    const entries = plan(this.state.segments.filter(({ name }) => !this.#merging.has(name)));
    if (!entries) return null;
    const job = { folder: this.#folder, name: mergeName(entries), entries };
    for (const file of filesOfMerge(job)) this.#merging.add(file);
    return job;
  }

  /** Replaces the sources of a merge by the merged segment; null: no document was left. */
  commitMerge(job: MergeJob, merged: SegmentEntry | null): void {
    this.#manifest.refuseFailed();
    const next = stateAfterMerge(this.#share.storage, this.state, job, merged);
    if (next) this.#commit(next);
    this.endMerge(job);
  }

  /** Forgets a merge that is done or was given up. */
  endMerge(job: MergeJob): void {
    for (const file of filesOfMerge(job)) this.#merging.delete(file);
    this.#removeObsolete(FILE_GRACE_MS);
  }

  /** Removes files that are no longer needed. */
  tidy(): void {
    tryTo(() => this.#removeObsolete(FILE_GRACE_MS));
  }

  close(): void {
    this.tidy();
    this.#reader.close();
    this.#manifest.close();
  }

  #commit(next: NextState): void {
    const state = this.#manifest.commit({ ...next, formerFields: this.#formerFields(next) });
    // From here on, a failure must not look like a failure of the commit.
    tryTo(() => this.#reader.refresh(state.version, state));
    tryTo(() => this.#removeObsolete(FILE_GRACE_MS));
  }

  /** Names that this commit puts out of use are remembered, in addition to earlier ones. */
  #formerFields({ segments, fields }: NextState): string[] {
    this.#reader.refresh(this.state.version, this.state);
    const kept = new Set(segments.map(({ name }) => name));
    const stays = ({ segment }: OpenSegment) => kept.has(segment.name);
    const columnsOf = (some: readonly OpenSegment[]) => some.flatMap(({ segment }) => segment.columnNames);
    const gone = this.#reader.segments.filter((open) => !stays(open));
    const lost = missingIn(fields, this.state.fields);
    const former = new Set([...this.state.formerFields, ...columnsOf(gone), ...lost]);
    // Most commits only add segments: then there is no need to go through all columns, which may be very
    // many.
    if (former.size === 0) return [];
    for (const name of columnsOf(this.#reader.segments.filter(stays))) former.delete(name);
    // Names that still exist as fields come last: they need remembering least.
    const there = new Set(fields);
    return firstNames([...former].sort((a, b) => Number(there.has(a)) - Number(there.has(b))));
  }

  /** Results of operations that the last batch of the manifest committed already. */
  #repeated(operations: readonly Operation[]): Map<number, OperationResult> {
    const wanted = new Set(operations.map(({ taskUid }) => taskUid));
    const last = (this.state.lastBatch?.results ?? []) as OperationResult[];
    return new Map(
      last.filter(({ taskUid }) => wanted.has(taskUid)).map((result) => [result.taskUid, result]),
    );
  }

  #removeObsolete(graceMs: number): void {
    for (const name of this.#manifest.obsoleteFiles(graceMs, this.#merging)) {
      this.#share.storage.remove(`${this.#folder}/${name}`);
    }
  }
}

/** The earlier names that no longer exist. Usually names are only added at the end. */
function missingIn(names: readonly string[], before: readonly string[]): string[] {
  if (before.every((name, place) => names[place] === name)) return [];
  const there = new Set(names);
  return before.filter((name) => !there.has(name));
}

/** Every commit writes all names anew: so if there are very many, only the first ones are remembered. */
function firstNames(names: readonly string[]): string[] {
  let left = FORMER_FIELDS_LETTERS_MAX;
  return names.filter((name) => {
    left -= name.length + 1;
    return left >= 0;
  });
}

/** The description of an index that the instance gets. */
export function describe(state: ManifestState, diskBytes: number): IndexDescription {
  const { version, primaryKey, numberOfDocuments, fieldDistribution, rawDocumentBytes, embeddings } = state;
  return {
    version,
    primaryKey,
    numberOfDocuments,
    fieldDistribution,
    rawDocumentBytes,
    embeddings,
    diskBytes,
  };
}

/**
 * Bytes of the files in the folder of an index. Files of a merge may vanish meanwhile, and a committed batch
 * must not fail over a figure: a file that cannot be looked at counts as empty.
 */
export function folderBytes(storage: Storage, folder: string): number {
  let bytes = 0;
  tryTo(() => {
    for (const name of storage.list(folder)) {
      tryTo(() => {
        bytes += storage.size(`${folder}/${name}`);
      });
    }
  });
  return bytes;
}

/** Does something that need not succeed: after a failure, the next batch tries again or reports it. */
function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // See above.
  }
}
