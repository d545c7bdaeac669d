// An ended batch, in the parts that the journal keeps (records.ts), the table (batchtable.ts) and views
// share.
import type { TaskStatus, TaskType } from "./kinds.ts";
import type { Moment } from "./time.ts";

/** The parts of a batch that only a view needs. */
export interface BatchBody {
  details: Record<string, unknown>;
  stats: BatchStats;
  strategy: string;
}

/** An ended batch, as the journal keeps it. */
export interface BatchRecord {
  uid: number;
  startedAt: Moment;
  finishedAt: Moment;
  /** Enqueue dates of its oldest and its newest task. */
  oldest: Moment;
  newest: Moment;
  /** See packBatchBody. */
  body: Uint8Array;
  /**
   * Names, at the end of the batch, of the indexes that its tasks touched. Absent in finish records, where
   * the tasks tell, and in journals of older versions.
   */
  indexes?: string[];
}

export interface BatchStats {
  totalNbTasks: number;
  status: Partial<Record<TaskStatus, number>>;
  types: Partial<Record<TaskType, number>>;
  indexUids: Record<string, number>;
  /** "step > step" -> duration text. */
  progressTrace?: Record<string, string>;
  /** Always zeros: segments are written without a channel between threads, so nothing can congest. */
  writeChannelCongestion?: { attempts: number; blocking_attempts: number; blocking_ratio: number };
  /** Calls of embedders, repeated ones included; absent when there were none. */
  embedderRequests?: { total: number; failed: number; lastError?: string };
  /** Sizes that the batch changed, such as "1.50 MiB (+20.00 KiB)". */
  internalDatabaseSizes?: Record<string, string>;
}
