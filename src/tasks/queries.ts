// Finding tasks: filters become checks on the columns of the table, pages are cut from the rows that pass.
import type { MomentRange, Page, Paging, TaskFilter, Visibility } from "./filter.ts";
import { TASK_STATUSES, TASK_TYPES } from "./kinds.ts";
import type { TaskTable } from "./tasktable.ts";
import { type TaskView, viewTask } from "./views.ts";

/** Tells whether the task of a row passes. */
export type Check = (row: number) => boolean;

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
  const { uids } = table.columns;
  const passes = checkOf(table, filter);
  const mayShow = visibilityCheck(table, visible);
  const page = new PageCut(paging);
  let total = 0;
  const rows = filter.uids ? table.rows.rowsOf(filter.uids) : null;
  const size = rows?.length ?? table.size;
  for (let at = 0; at < size; at++) {
    const place = paging.reverse ? at : size - 1 - at;
    const row = rows ? rows[place] : place;
    if (passes && !passes(row)) continue;
    total++;
    if (!page.isFull && (mayShow === null || mayShow(row))) page.offer(uids[row]);
    // Without a filter all rows count.
    if (page.isFull && passes === null) break;
  }
  return page.end(passes === null ? table.size : total, (uid) => viewTask(table.get(uid)!));
}

/** Uids of the visible tasks that a filter matches, ascending. */
export function matchingUids(table: TaskTable, filter: TaskFilter, visible: Visibility): number[] {
  const passes = checkOf(table, filter);
  const mayShow = visibilityCheck(table, visible);
  const uids: number[] = [];
  for (let row = 0; row < table.size; row++) {
    if ((!passes || passes(row)) && (!mayShow || mayShow(row))) uids.push(table.columns.uids[row]);
  }
  return uids;
}

/** One check for all fields of a filter; null when it restricts nothing. */
export function checkOf(table: TaskTable, filter: TaskFilter): Check | null {
  const checks = checksOf(table, filter);
  if (checks.length < 2) return checks[0] ?? null;
  return (row) => {
    for (const check of checks) if (!check(row)) return false;
    return true;
  };
}

/** With a limited key, global tasks and those that touch any hidden index cannot be seen. Null: all can. */
export function visibilityCheck(table: TaskTable, visible: Visibility): Check | null {
  if (visible === null) return null;
  const { columns, touched, names } = table;
  const known: (boolean | undefined)[] = [];
  const mayShow = (index: number): boolean => {
    known[index] ??= visible(names.name(index));
    return known[index];
  };
  return (row) => {
    if (columns.indexes[row] === 0) return false;
    const all = touched.get(columns.uids[row]);
    return all ? all.every(mayShow) : mayShow(columns.indexes[row]);
  };
}

/** Takes the uids of one page, and the one behind it, from uids offered in the order of the pages. */
export class PageCut {
  readonly #paging: Paging;
  readonly #uids: number[] = [];
  #next: number | null = null;

  constructor(paging: Paging) {
    this.#paging = paging;
  }

  /** Nothing more is needed. */
  get isFull(): boolean {
    return this.#next !== null;
  }

  offer(uid: number): void {
    const { from, reverse, limit } = this.#paging;
    if (from !== null && (reverse ? uid < from : uid > from)) return;
    if (this.#uids.length < limit) this.#uids.push(uid);
    else this.#next ??= uid;
  }

  end<View>(total: number, view: (uid: number) => View): Page<View> {
    const { limit } = this.#paging;
    return { results: this.#uids.map(view), total, limit, from: this.#uids[0] ?? null, next: this.#next };
  }
}

/** Cheapest and most selective first. */
function checksOf(table: TaskTable, filter: TaskFilter): Check[] {
  const { columns } = table;
  const checks: Check[] = [];
  if (filter.uids) checks.push(inSet(columns.uids, filter.uids));
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
  const wanted = new Uint8Array(names.size);
  for (const name of indexUids) if (names.find(name) !== 0) wanted[names.find(name)] = 1;
  return (row) => {
    const index = columns.indexes[row];
    if (index === 0) return false;
    if (wanted[index] === 1) return true;
    return touched.get(columns.uids[row])?.some((number) => wanted[number] === 1) ?? false;
  };
}

function inSet(column: Uint32Array | Int32Array, values: number[]): Check {
  const wanted = new Set(values.filter((value) => value >= 0));
  return (row) => wanted.has(column[row]);
}

function inRange(column: Float64Array, { after, before }: MomentRange): Check {
  const [low, high] = [after ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY];
  return (row) => column[row] >= 0 && column[row] > low && column[row] < high;
}
