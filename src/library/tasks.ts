// Tasks as users of the library see them: every write is one. Plain declarations; test/library/types.ts holds
// them equal to what the queue keeps.
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

/** What is told of a write once it is durable. */
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
  indexUid: string | null;
  status: TaskStatus;
  type: TaskType;
  canceledBy: number | null;
  details: Record<string, unknown> | null;
  error: ErrorObject | null;
  /** ISO 8601, such as `PT0.05S`. */
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  customMetadata?: string;
}

/**
 * A write. As a promise it is the end of its task: fulfilled when that succeeded (or was canceled), rejected
 * with a TarsierError when the write was refused or its task failed. `enqueued` is fulfilled as soon as the
 * write is durable: it will be done, also after a crash.
 */
export interface PendingTask extends Promise<Task> {
  readonly enqueued: Promise<EnqueuedTask>;
}

/** Values of one field are alternatives, fields are combined. `*` restricts nothing. */
export interface TaskFilter {
  uids?: number[] | "*";
  batchUids?: number[] | "*";
  statuses?: TaskStatus[] | "*";
  types?: TaskType[] | "*";
  indexUids?: string[] | "*";
  canceledBy?: number[] | "*";
  afterEnqueuedAt?: Date | string;
  beforeEnqueuedAt?: Date | string;
  afterStartedAt?: Date | string;
  beforeStartedAt?: Date | string;
  afterFinishedAt?: Date | string;
  beforeFinishedAt?: Date | string;
}

export interface TaskListing extends TaskFilter {
  limit?: number;
  /** Uid of the first one; default: the newest, or the oldest when reversed. */
  from?: number;
  reverse?: boolean;
}

export interface TaskPage {
  results: Task[];
  total: number;
  limit: number;
  from: number | null;
  /** `from` of the next page; null: this is the last one. */
  next: number | null;
}
