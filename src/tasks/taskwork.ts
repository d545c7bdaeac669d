// Batches that work on the queue itself: they cancel waiting tasks and remove ended ones.
import { type BatchContext, type BatchEffects, succeeded } from "./execution.ts";
import type { TaskSelection } from "./kinds.ts";
import type { Task } from "./task.ts";
import { packUids, rangesHave } from "./uidranges.ts";

export async function runCancelation([task]: Task[], { state }: BatchContext): Promise<BatchEffects> {
  const { tasks: matched } = task.kind as TaskSelection;
  const uids = [...state.tasks.waiting].filter((uid) => rangesHave(matched, uid));
  const ends = [succeeded(task, { canceledTasks: uids.length })];
  return { ends, canceled: { tasks: packUids(uids), by: task.uid } };
}

/** All waiting deletions together; a task that several of them match counts for the first. */
export async function runDeletion(tasks: Task[], { state }: BatchContext): Promise<BatchEffects> {
  const { columns, waiting, size } = state.tasks;
  const selections = tasks.map(({ kind }) => (kind as TaskSelection).tasks);
  const counts = tasks.map(() => 0);
  const deleted: number[] = [];
  for (let row = 0; row < size; row++) {
    const uid = columns.uids[row];
    if (waiting.has(uid)) continue;
    const first = selections.findIndex((selection) => rangesHave(selection, uid));
    if (first < 0) continue;
    counts[first]++;
    deleted.push(uid);
  }
  const ends = tasks.map((task, place) => succeeded(task, { deletedTasks: counts[place] }));
  return { ends, deleted: packUids(deleted) };
}
