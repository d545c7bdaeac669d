// Tasks and batches as clients read them: exact keys in their order. Called by instance.ts, batchqueries.ts
// and webhookdelivery.ts.
import type { ErrorObject } from "../errors.ts";
import type { BatchBody, BatchStats } from "./batch.ts";
import { detailsOf } from "./details.ts";
import { indexUidOf, type TaskStatus, type TaskType } from "./kinds.ts";
import type { Task, TaskNetwork } from "./task.ts";
import { durationText, type Moment, momentText } from "./time.ts";

export interface SummarizedTask {
  taskUid: number;
  indexUid: string | null;
  status: "enqueued";
  type: TaskType;
  enqueuedAt: string;
  customMetadata?: string;
}

export interface TaskView {
  uid: number;
  batchUid: number | null;
  indexUid: string | null;
  status: TaskStatus;
  type: TaskType;
  canceledBy: number | null;
  details: Record<string, unknown> | null;
  error: ErrorObject | null;
  duration: string | null;
  enqueuedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  network?: TaskNetwork;
  customMetadata?: string;
}

export interface ProgressStep {
  currentStep: string;
  finished: number;
  total: number;
}

export interface BatchView {
  uid: number;
  progress: { steps: ProgressStep[]; percentage: number } | null;
  details: Record<string, unknown>;
  stats: BatchStats;
  duration: string | null;
  startedAt: string;
  finishedAt: string | null;
  batchStrategy: string;
}

export function summarize(task: Task): SummarizedTask {
  return {
    taskUid: task.uid,
    indexUid: indexUidOf(task.kind),
    status: "enqueued",
    type: task.kind.type,
    enqueuedAt: momentText(task.enqueuedAt),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

export function viewTask(task: Task): TaskView {
  const { startedAt, finishedAt } = task;
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: indexUidOf(task.kind),
    status: task.status,
    type: task.kind.type,
    canceledBy: task.canceledBy,
    details: detailsOf(task),
    error: task.error,
    duration: startedAt === null || finishedAt === null ? null : durationText(finishedAt - startedAt),
    enqueuedAt: momentText(task.enqueuedAt),
    startedAt: startedAt === null ? null : momentText(startedAt),
    finishedAt: finishedAt === null ? null : momentText(finishedAt),
    ...(task.network === undefined ? {} : { network: task.network }),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

export function viewBatch(uid: number, startedAt: Moment, finishedAt: Moment, body: BatchBody): BatchView {
  const { details, stats, strategy } = body;
  return {
    uid,
    progress: null,
    details,
    stats,
    duration: durationText(finishedAt - startedAt),
    startedAt: momentText(startedAt),
    finishedAt: momentText(finishedAt),
    batchStrategy: strategy,
  };
}
