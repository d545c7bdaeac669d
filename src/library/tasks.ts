// Tasks as users of the library see them: every write is one. Only declarations; test/library/types.ts checks
// that they equal what the queue keeps.
import type { ErrorObject } from "../errors.ts";

export type TaskStatus = "enqueued" | "processing" | "succeeded" | "failed" | "canceled";

export type TaskType =
  | "documentAdditionOrUpdate"
  | "documentEdition"
  | "documentDeletion"
  | "settingsUpdate"
  | "indexCreation"
  | "indexDeletion"
  | "indexUpdate"
  | "indexSwap"
  | "taskCancelation"
  | "taskDeletion"
  | "dumpCreation"
  | "snapshotCreation"
  | "export"
  | "upgradeDatabase"
  | "indexCompaction"
  | "networkTopologyChange";

/** The answer to a write once it is durable. */
export interface EnqueuedTask {
  taskUid: number;
  indexUid: string | null;
  status: "enqueued";
  type: TaskType;
  enqueuedAt: string;
  customMetadata?: string;
}

export interface Task {
  uid: number;
  batchUid: number | null;
  /** Null for tasks of no single index, such as swaps. */
  indexUid: string | null;
  status: TaskStatus;
  type: TaskType;
  /** Uid of the task that canceled it. */
  canceledBy: number | null;
  /** What was asked for and what was done; the fields depend on `type`. */
  details: Record<string, unknown> | null;
  /** Null unless the task failed. */
  error: ErrorObject | null;
  /** From `startedAt` to `finishedAt`, as an ISO 8601 duration such as `PT0.05S`; null before the end. */
  duration: string | null;
  /** RFC 3339, like the two below, which are null until then. */
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  customMetadata?: string;
}

/**
 * A write, and a promise of the end of its task: fulfilled when the task succeeded or was canceled, rejected
 * with a TarsierError when the write was refused or the task failed. `enqueued` is fulfilled as soon as the
 * write is durable: from then on it will be done, even after a crash.
 *
 * If the store is closed before the end, the promise is rejected with `aborted`. A write that was enqueued is
 * then done after the next `open` of the folder; in memory it is lost.
 */
export interface PendingTask extends Promise<Task> {
  readonly enqueued: Promise<EnqueuedTask>;
}

/** The values of one field are alternatives; several fields must all match. `*` matches any value. */
export interface TaskFilter {
  /** Tasks by uid. */
  uids?: number[] | "*";
  batchUids?: number[] | "*";
  statuses?: TaskStatus[] | "*";
  types?: TaskType[] | "*";
  indexUids?: string[] | "*";
  /** Tasks that these cancelations canceled. */
  canceledBy?: number[] | "*";
  /** A Date, or a text such as `2026-01-31T08:00:00Z` or `2026-01-31`; that moment or day is excluded. */
  afterEnqueuedAt?: Date | string;
  beforeEnqueuedAt?: Date | string;
  afterStartedAt?: Date | string;
  beforeStartedAt?: Date | string;
  afterFinishedAt?: Date | string;
  beforeFinishedAt?: Date | string;
}

export interface TaskListing extends TaskFilter {
  /** Default: 20. */
  limit?: number;
  /** Uid of the first task of the page. Default: the newest, or the oldest when reversed. */
  from?: number;
  /** True: oldest first. Default: false. */
  reverse?: boolean;
}

export interface TaskPage {
  results: Task[];
  /** All tasks that match, not only this page. */
  total: number;
  limit: number;
  from: number | null;
  /** `from` of the next page; null on the last one. */
  next: number | null;
}
