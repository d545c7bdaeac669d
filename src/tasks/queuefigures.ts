// How full the queue is: numbers of tasks and sizes, for monitoring. Called by instance.ts.
import { JOURNAL_BYTES_MAX } from "../limits.ts";
import type { DurationFigures } from "./durations.ts";
import type { Journal } from "./journal.ts";
import { TASK_STATUSES, TASK_TYPES } from "./kinds.ts";
import type { Moment } from "./time.ts";

export interface QueueFigures {
  /** Tasks by status and by type, zeros included; and by index, without tasks of no index. */
  statuses: Map<string, number>;
  types: Map<string, number>;
  indexes: Map<string, number>;
  /** When the oldest task that waits or runs was enqueued. */
  oldestWaiting: Moment | null;
  bytes: number;
  /** From this size on, no task is accepted. */
  bytesMax: number;
  /** How long the disk took to make records of tasks durable. */
  syncs: DurationFigures;
}

export function queueFigures({ state, bytes, syncs }: Journal): QueueFigures {
  const { columns, size, names, waiting, rows } = state.tasks;
  const statuses = new Uint32Array(TASK_STATUSES.length);
  const types = new Uint32Array(TASK_TYPES.length);
  const indexes = new Uint32Array(names.size);
  for (let row = 0; row < size; row++) {
    statuses[columns.statuses[row]]++;
    types[columns.types[row]]++;
    indexes[columns.indexes[row]]++;
  }
  const [oldest] = waiting;
  return {
    statuses: new Map(TASK_STATUSES.map((name, place) => [name, statuses[place]])),
    types: new Map(TASK_TYPES.map((name, place) => [name, types[place]])),
    indexes: new Map(
      Array.from(indexes, (count, number): [string, number] => [names.name(number), count])
        .slice(1)
        .filter(([, count]) => count > 0),
    ),
    oldestWaiting: oldest === undefined ? null : columns.enqueuedAt[rows.rowOf(oldest)],
    bytes,
    bytesMax: JOURNAL_BYTES_MAX,
    syncs,
  };
}
