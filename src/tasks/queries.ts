// Finding tasks: filters become checks on the columns of the table, pages are cut from the rows that pass.
import type { MomentRange, Page, Paging, TaskFilter, Visibility } from "./filter.ts";
import { TASK_STATUSES, TASK_TYPES } from "./kinds.ts";
import type { TaskTable } from "./tasktable.ts";
import { type TaskView, viewTask } from "./views.ts";

/**
 * A page of tasks. `total` counts what the filter matches, hidden tasks included, as clients of the API
 * expect.
 */
export function queryTasks(
  table: TaskTable,
  filter: TaskFilter,
  paging: Paging,
  visible: Visibility,
): Page<TaskView> {
  const { columns } = table;
  const mayShow = visibilityCheck(table, visible);
  const results: TaskView[] = [];
  let total = 0;
  let next: number | null = null;
  const rows = matchingRows(table, filter);
  if (!paging.reverse) rows.reverse();
  for (const row of rows) {
    total++;
    if (next !== null || isBefore(columns.uids[row], paging) || !mayShow(row)) continue;
    if (results.length < paging.limit) results.push(viewTask(table.at(row)));
    else next = columns.uids[row];
  }
  return { results, total, limit: paging.limit, from: results[0]?.uid ?? null, next };
}

/** Uids of the visible tasks that a filter matches, ascending. */
export function matchingUids(table: TaskTable, filter: TaskFilter, visible: Visibility): number[] {
  const mayShow = visibilityCheck(table, visible);
  return matchingRows(table, filter)
    .filter(mayShow)
    .map((row) => table.columns.uids[row]);
}

/** Rows that pass a filter, ascending. */
export function matchingRows(table: TaskTable, filter: TaskFilter): number[] {
  const checks = checksOf(table, filter);
  const rows: number[] = [];
  const passes = (row: number) => {
    for (const check of checks) if (!check(row)) return false;
    return true;
  };
  if (filter.uids) {
    for (const uid of [...new Set(filter.uids)].sort((a, b) => a - b)) {
      const row = table.columns.rowOf(uid);
      if (row >= 0 && passes(row)) rows.push(row);
    }
    return rows;
  }
  for (let row = 0; row < table.columns.length; row++) if (passes(row)) rows.push(row);
  return rows;
}

/** With a limited key, global tasks and those that touch any hidden index cannot be seen. */
export function visibilityCheck(table: TaskTable, visible: Visibility): (row: number) => boolean {
  if (visible === null) return () => true;
  const { columns, touched, names } = table;
  const known = new Map<number, boolean>();
  const mayShow = (index: number): boolean => {
    const answer = known.get(index) ?? visible(names.name(index));
    known.set(index, answer);
    return answer;
  };
  return (row) => {
    if (columns.indexes[row] === 0) return false;
    const all = touched.get(columns.uids[row]);
    return all ? all.every(mayShow) : mayShow(columns.indexes[row]);
  };
}

/** Does a uid stand before the start of the page? */
export function isBefore(uid: number, { from, reverse }: Paging): boolean {
  if (from === null) return false;
  return reverse ? uid < from : uid > from;
}

type Check = (row: number) => boolean;

/** Cheapest and most selective first. */
function checksOf(table: TaskTable, filter: TaskFilter): Check[] {
  const { columns } = table;
  const checks: Check[] = [];
  if (filter.statuses) checks.push(inCodes(columns.statuses, TASK_STATUSES, filter.statuses));
  if (filter.types) checks.push(inCodes(columns.types, TASK_TYPES, filter.types));
  if (filter.indexUids) checks.push(touchesOne(table, filter.indexUids));
  if (filter.batchUids) checks.push(inSet(columns.batches, filter.batchUids));
  if (filter.canceledBy) checks.push(inSet(columns.canceledBy, filter.canceledBy));
  if (filter.enqueuedAt) checks.push(inRange(columns.enqueuedAt, filter.enqueuedAt));
  if (filter.startedAt) checks.push(inRange(columns.startedAt, filter.startedAt));
  if (filter.finishedAt) checks.push(inRange(columns.finishedAt, filter.finishedAt));
  return checks;
}

function inCodes<Name>(column: Uint8Array, all: readonly Name[], wanted: Name[]): Check {
  const codes = new Uint8Array(256);
  for (const name of wanted) codes[all.indexOf(name)] = 1;
  return (row) => codes[column[row]] === 1;
}

/** Global kinds touch no index here, swaps neither: they are only found without this filter. */
function touchesOne({ columns, touched, names }: TaskTable, indexUids: string[]): Check {
  const wanted = new Set(indexUids.map((name) => names.find(name)).filter((number) => number !== 0));
  return (row) => {
    const index = columns.indexes[row];
    if (index === 0) return false;
    return (
      wanted.has(index) || (touched.get(columns.uids[row])?.some((number) => wanted.has(number)) ?? false)
    );
  };
}

function inSet(column: Int32Array, values: number[]): Check {
  const wanted = new Set(values);
  return (row) => column[row] >= 0 && wanted.has(column[row]);
}

function inRange(column: Float64Array, { after, before }: MomentRange): Check {
  return (row) => {
    const moment = column[row];
    return (
      moment >= 0 && (after === undefined || moment > after) && (before === undefined || moment < before)
    );
  };
}
