// The `stats` of a batch: counts of its tasks by status, type and index, in the order of the lists of
// statuses and types, and of index names.
import type { BatchStats } from "./batch.ts";
import { indexUidOf, TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from "./kinds.ts";
import type { Task } from "./task.ts";

export function countTasks(tasks: Iterable<Pick<Task, "kind" | "status">>): BatchStats {
  const statuses = new Map<TaskStatus, number>();
  const types = new Map<TaskType, number>();
  const indexUids = new Map<string, number>();
  let total = 0;
  for (const { kind, status } of tasks) {
    total++;
    increment(statuses, status);
    increment(types, kind.type);
    const indexUid = indexUidOf(kind);
    if (indexUid !== null) increment(indexUids, indexUid);
  }
  return {
    totalNbTasks: total,
    status: inOrder(statuses, TASK_STATUSES),
    types: inOrder(types, TASK_TYPES),
    indexUids: inOrder(indexUids, [...indexUids.keys()].sort()),
  };
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function inOrder<Key extends string>(counts: Map<Key, number>, keys: readonly Key[]): Record<Key, number> {
  const known = keys.filter((key) => counts.has(key));
  return Object.fromEntries(known.map((key) => [key, counts.get(key)!])) as Record<Key, number>;
}
