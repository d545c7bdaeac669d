// The columns of the table of tasks (tasktable.ts). Some of them say where the rest of a task is packed
// (taskcontents.ts).
import { codesOf, TASK_STATUSES, TASK_TYPES } from "./kinds.ts";
import type { Columns } from "./rows.ts";

export const TASK_COLUMNS = {
  uids: Uint32Array,
  statuses: Uint8Array,
  types: Uint8Array,
  indexes: Uint32Array,
  batches: Int32Array,
  canceledBy: Int32Array,
  enqueuedAt: Float64Array,
  startedAt: Float64Array,
  finishedAt: Float64Array,
  bodies: Uint32Array,
  outcomes: Uint32Array,
  inlines: Uint32Array,
  places: Float64Array,
  bodyBytes: Uint32Array,
  inlineBytes: Uint32Array,
};

export type TaskColumns = Columns<typeof TASK_COLUMNS>;

export function isWaiting({ statuses }: TaskColumns, row: number): boolean {
  return WAITING.has(statuses[row]);
}

/** Whether the body becomes shorter when the task ends (withoutBulk). */
export function hasBulk({ types }: TaskColumns, row: number): boolean {
  return BULKY.has(types[row]);
}

export function changesSettings({ types }: TaskColumns, row: number): boolean {
  return types[row] === SETTINGS;
}

/** Whether a later swap may change names in its body. */
export function holdsNames({ types }: TaskColumns, row: number): boolean {
  return RENAMED.has(types[row]);
}

const WAITING = new Set((["enqueued", "processing"] as const).map((status) => TASK_STATUSES.indexOf(status)));

const SETTINGS = TASK_TYPES.indexOf("settingsUpdate");

const RENAMED = codesOf(["indexSwap", "indexUpdate"]);

const BULKY = codesOf([
  "documentDeletion",
  "settingsUpdate",
  "taskCancelation",
  "taskDeletion",
  "dumpCreation",
]);
