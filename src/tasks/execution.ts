// What running a batch needs and gives: the types shared by the scheduler and the files that do the work
// (indexwork.ts, catalogwork.ts, taskwork.ts).
import type { Engine, IndexDescription } from "../engine/engine.ts";
import { TarsierError } from "../errors.ts";
import type { CatalogChange, CatalogEntry } from "./catalog.ts";
import type { Progress } from "./progress.ts";
import type { FinishRecord } from "./records.ts";
import type { State } from "./state.ts";
import type { Counters, Task, TaskEnd } from "./task.ts";
import type { Moment } from "./time.ts";

export interface BatchContext {
  readonly state: State;
  readonly engine: Engine;
  readonly progress: Progress;
  /** Fires when the batch must stop: a cancelation wants one of its tasks, or the instance closes. */
  readonly signal: AbortSignal;
  readonly startedAt: Moment;
  now(): Moment;
  /**
   * A new folder name, never used before. The folder is removed at the next start unless an index of the
   * catalog has it by then.
   */
  reserveFolder(): Promise<string>;
  /** Puts an empty index into the catalog, durably: it stays even if the batch fails. */
  createIndex(uid: string): Promise<CatalogEntry>;
}

/** Everything a batch changes; written as one record. */
export interface BatchEffects {
  ends: TaskEnd[];
  canceled?: FinishRecord["canceled"];
  catalog?: CatalogChange[];
  drops?: string[];
  renames?: FinishRecord["renames"];
  renamesBelow?: number;
  deleted?: FinishRecord["deleted"];
  /** An index before and after the engine worked on it. */
  indexed?: { before: IndexDescription; after: IndexDescription };
}

/** The tasks cannot proceed for now: they wait again while others run. */
export interface Postponement {
  waitMs: number;
}

export type Executor = (tasks: Task[], context: BatchContext) => Promise<BatchEffects | Postponement>;

export function succeeded(task: Task, counters: Counters | null = null): TaskEnd {
  return { uid: task.uid, status: "succeeded", canceledBy: null, error: null, counters };
}

export function failed(task: Task, error: TarsierError): TaskEnd {
  return { uid: task.uid, status: "failed", canceledBy: null, error: error.toObject(), counters: null };
}

export function indexNotFound(indexUid: string): TarsierError {
  return new TarsierError("index_not_found", { indexUid });
}

/** Long work calls it often. @throws TarsierError `aborted` when the batch is to stop */
export function refuseAborted({ signal }: BatchContext): void {
  if (signal.aborted) throw new TarsierError("aborted");
}

/**
 * Refuses writes to an index with a damaged file: new segments could rest on wrong bytes, and a merge would
 * copy them. Reading goes on; deleting or renaming the index touches no file and is allowed.
 */
export function refuseDamaged(indexUid: string, folder: string, { engine }: BatchContext): void {
  const damage = engine.damageOf(folder);
  if (damage === null) return;
  const advice = "stop the server and see `tarsier repair --dry-run`, or take a snapshot back";
  const message = `Index \`${indexUid}\` is only read until it is repaired: ${advice}. ${damage}`;
  throw new TarsierError("invalid_store_file", { message });
}
