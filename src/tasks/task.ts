// One task, as the rest of src/tasks handles it (Task) and as the journal keeps it (TaskRecord).
import type { ErrorObject } from "../errors.ts";
import type { TaskKind, TaskStatus, TaskType } from "./kinds.ts";
import type { Moment } from "./time.ts";

export interface Task {
  uid: number;
  kind: TaskKind;
  status: TaskStatus;
  batchUid: number | null;
  canceledBy: number | null;
  error: ErrorObject | null;
  /**
   * What `details` fills in at the end, such as indexedDocuments. Null before the end, or when there is
   * nothing to tell.
   */
  counters: Counters | null;
  enqueuedAt: Moment;
  startedAt: Moment | null;
  finishedAt: Moment | null;
  customMetadata?: string;
  network?: TaskNetwork;
  sharers?: readonly string[];
  isMove?: true;
}

/**
 * The task of another server that this one repeats; or the outcomes of this one on other servers, by name.
 */
export type TaskNetwork =
  | { origin: { remoteName: string; taskUid: number } }
  | { remotes: Record<string, { task_uid: number } | { error: string }> };

/** Values of `details` that are known only at the end of a task. */
export type Counters = Record<string, unknown>;

/** What registration fixes; packed, as few readers need it. */
export interface TaskBody {
  kind: TaskKind;
  customMetadata?: string;
  network?: TaskNetwork;
  /** Of a write that is shared: the servers among which documents are spread, for whom sent it. Sorted. */
  sharers?: readonly string[];
  /** The write is part of a move of documents between servers. */
  isMove?: true;
}

/** What the end of a task adds; packed, too. */
export interface Outcome {
  error: ErrorObject | null;
  counters: Counters | null;
}

/** How a task ended. */
export interface TaskEnd extends Outcome {
  uid: number;
  status: "succeeded" | "failed" | "canceled";
  canceledBy: number | null;
}

/**
 * A task in the journal: enqueued when it is registered; in any state but `processing` after the journal was
 * rewritten.
 */
export interface TaskRecord {
  uid: number;
  kind: TaskType;
  /** Index that the task shows. */
  shown: string | null;
  /** All indexes that it touches, if there are others than the one shown. */
  touched: string[] | null;
  status: TaskStatus;
  enqueuedAt: Moment;
  startedAt: Moment | null;
  finishedAt: Moment | null;
  batchUid: number | null;
  canceledBy: number | null;
  /** Packed TaskBody. */
  body: Uint8Array;
  /** Packed Outcome. */
  outcome: Uint8Array | null;
  /** A small payload, kept in the journal so that accepting it costs no sync of a file of its own. */
  inline: Uint8Array | null;
}

/** Stands for null in a column of numbers. */
export const NONE = -1;
