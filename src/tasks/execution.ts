// What running a batch needs and gives: the shapes shared by the scheduler and the files that do the work
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
   * A folder name that never was used. It is removed at the next start unless an index of the catalog has it
   * then.
   */
  reserveFolder(): Promise<string>;
  /** Puts an empty index into the catalog, durably: it stays even when the batch fails. */
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
  /** An index before and after work of the engine on it. */
  indexed?: { before: IndexDescription; after: IndexDescription };
}

/** The tasks cannot go on for now: they wait again, and others run meanwhile. */
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

/** Called often by what takes long. @throws TarsierError `aborted` when the batch is to stop */
export function refuseAborted({ signal }: BatchContext): void {
  if (signal.aborted) throw new TarsierError("aborted");
}

/**
 * An index with a damaged file is only read: what is written could rest on wrong bytes, and a merge would
 * carry them on. Deleting it, or renaming it, touches no file.
 */
export function refuseDamaged(indexUid: string, folder: string, { engine }: BatchContext): void {
  const damage = engine.damageOf(folder);
  if (damage === null) return;
  const advice = "stop the server and see `tarsier repair --dry-run`, or take a snapshot back";
  const message = `Index \`${indexUid}\` is only read until it is repaired: ${advice}. ${damage}`;
  throw new TarsierError("invalid_store_file", { message });
}
