// Finds batches by their own dates and indexes, and by the tasks in them. A batch matches when for each field
// of the filter one of its tasks matches, not necessarily the same one. A key that may see only some of the
// tasks of a batch sees a batch of those.
import type { BatchBody } from "./batch.ts";
import { countTasks } from "./batchstats.ts";
import type { BatchTable } from "./batchtable.ts";
import { mergeDetails, mergeRunningDetails } from "./details.ts";
import type { MomentRange, PageOfUids, Paging, TaskFilter, Visibility } from "./filter.ts";
import { type Check, PageCut, rowsOf, visibilityCheck } from "./queries.ts";
import type { RunningBatch } from "./scheduler.ts";
import type { Task } from "./task.ts";
import type { TaskTable } from "./tasktable.ts";
import { type Moment, momentText } from "./time.ts";
import { type BatchView, viewBatch } from "./views.ts";

export class BatchQueries {
  readonly #tasks: TaskTable;
  readonly #batches: BatchTable;
  readonly #running: () => RunningBatch | null;

  constructor(tasks: TaskTable, batches: BatchTable, running: () => RunningBatch | null) {
    this.#tasks = tasks;
    this.#batches = batches;
    this.#running = running;
  }

  /** Null for an unknown batch, and for one whose indexes are all hidden. */
  get(uid: number, visible: Visibility): BatchView | null {
    const mayShow = visibilityCheck(this.#tasks, visible);
    const shown = mayShow && this.#shownTasks([uid], mayShow);
    return this.#view(uid, shown && this.#rowsOf(shown.get(uid), visible));
  }

  query(filter: TaskFilter, paging: Paging, visible: Visibility): PageOfUids<BatchView> {
    const mayShow = visibilityCheck(this.#tasks, visible);
    const shown = mayShow && this.#marks([this.#rowsWhere(mayShow)]);
    const passes = this.#checkOf(filter, mayShow);
    const page = new PageCut(paging);
    const { columns } = this.#batches;
    const running = this.#running();
    const size = this.#batches.size + (running ? 1 : 0);
    let total = 0;
    for (let at = 0; at < size; at++) {
      const place = paging.reverse ? at : size - 1 - at;
      // The running batch comes after all ended ones.
      const uid = place < this.#batches.size ? columns.uids[place] : running!.uid;
      if (passes && !passes(uid, place)) continue;
      total++;
      if (!page.isFull && (shown === null || shown.all(uid))) page.offer(uid);
      // Without a filter, the total is the number of all batches.
      if (page.isFull && passes === null) break;
    }
    const tasks = mayShow && this.#shownTasks(page.uids, mayShow);
    return page.end(passes === null ? size : total, (uid) =>
      this.#view(uid, tasks && this.#rowsOf(tasks.get(uid), visible)),
    );
  }

  /** Null when the filter restricts nothing. */
  #checkOf(filter: TaskFilter, mayShow: Check | null): BatchCheck | null {
    const checks: BatchCheck[] = [];
    if (filter.batchUids) {
      const wanted = new Set(filter.batchUids);
      checks.push((uid) => wanted.has(uid));
    }
    const { enqueuedAt, startedAt, finishedAt } = filter;
    if (enqueuedAt || startedAt || finishedAt) checks.push((_, place) => this.#hasDates(place, filter));
    const { indexUids } = filter;
    if (indexUids && !mayShow) checks.push(this.#touchesOne(indexUids));
    const fields = (["uids", "statuses", "types"] as const).filter((field) => filter[field]);
    const lists = fields.map((field) => rowsOf(this.#tasks, { [field]: filter[field] }));
    // A limited key is shown the current names of indexes, so it also searches by them.
    if (indexUids && mayShow) lists.push(rowsOf(this.#tasks, { indexUids }).filter(mayShow));
    if (filter.canceledBy) lists.push(this.#cancelations(filter.canceledBy));
    if (lists.length > 0) {
      const marks = this.#marks(lists);
      checks.push((uid) => marks.all(uid));
    }
    return checks.length === 0 ? null : (uid, place) => checks.every((check) => check(uid, place));
  }

  /**
   * By the names that indexes had when the batch ended: later swaps and renames change its tasks, not the
   * batch.
   */
  #touchesOne(indexUids: string[]): BatchCheck {
    const { names } = this.#tasks;
    const wanted = new Set(indexUids.map((uid) => names.find(uid)));
    return (_, place) => {
      const touched =
        place < this.#batches.size
          ? this.#batches.indexesAt(place)
          : this.#tasks.indexesOf(this.#running()!.plan.tasks.map((task) => task.uid));
      return touched.some((number) => wanted.has(number));
    };
  }

  /** Rows of those that succeeded, whether or not they canceled anything. */
  #cancelations(uids: number[]): Uint32Array {
    return rowsOf(this.#tasks, { uids, types: ["taskCancelation"], statuses: ["succeeded"] });
  }

  *#rowsWhere(check: Check): Iterable<number> {
    for (let row = 0; row < this.#tasks.size; row++) if (check(row)) yield row;
  }

  /** Returns a function that tells whether every list holds the row of some task of a batch. */
  #marks(lists: Iterable<number>[]): { all(uid: number): boolean } {
    const { batches } = this.#tasks.columns;
    const running = this.#running();
    const lowest = this.#batches.size > 0 ? this.#batches.columns.uids[0] : (running?.uid ?? 0);
    const highest =
      running?.uid ?? (this.#batches.size > 0 ? this.#batches.columns.uids[this.#batches.size - 1] : 0);
    const marks = new Uint8Array(highest - lowest + 1);
    lists.forEach((rows, bit) => {
      for (const row of rows) if (batches[row] >= 0) marks[batches[row] - lowest] |= 1 << bit;
    });
    const wanted = (1 << lists.length) - 1;
    return { all: (uid) => marks[uid - lowest] === wanted };
  }

  #hasDates(place: number, { enqueuedAt, startedAt, finishedAt }: TaskFilter): boolean {
    const dates = this.#datesOf(place);
    if (startedAt && !isInside(startedAt, dates.startedAt)) return false;
    if (finishedAt && (dates.finishedAt === null || !isInside(finishedAt, dates.finishedAt))) return false;
    return !enqueuedAt || isInside(enqueuedAt, dates.oldest) || isInside(enqueuedAt, dates.newest);
  }

  #datesOf(place: number): Dates {
    const { columns, size } = this.#batches;
    if (place >= size) {
      const { startedAt, plan } = this.#running()!;
      const newest = plan.tasks[plan.tasks.length - 1].enqueuedAt;
      return { startedAt, finishedAt: null, oldest: plan.tasks[0].enqueuedAt, newest };
    }
    return {
      startedAt: columns.startedAt[place],
      finishedAt: columns.finishedAt[place],
      oldest: columns.oldest[place],
      newest: columns.newest[place],
    };
  }

  /** For each batch, the uids of its tasks that may be shown. */
  #shownTasks(uids: readonly number[], mayShow: Check): Map<number, number[]> {
    const { batches, uids: tasks } = this.#tasks.columns;
    const wanted = new Set(uids);
    const shown = new Map<number, number[]>();
    for (let row = 0; row < this.#tasks.size; row++) {
      const batch = batches[row];
      if (!wanted.has(batch) || !mayShow(row)) continue;
      const known = shown.get(batch);
      if (known) known.push(tasks[row]);
      else shown.set(batch, [tasks[row]]);
    }
    return shown;
  }

  /** Rows of the tasks that may still be shown: the table can change while a page is made. */
  #rowsOf(uids: number[] | undefined, visible: Visibility): number[] {
    const mayShow = visibilityCheck(this.#tasks, visible);
    const rows = this.#tasks.rows.rowsOf(uids ?? []);
    return mayShow ? rows.filter(mayShow) : rows;
  }

  /** `rows`: those of the tasks that may be shown; null: all of them. */
  #view(uid: number, rows: readonly number[] | null): BatchView | null {
    if (rows?.length === 0) return null;
    const running = this.#running();
    // A running batch is on one index, or on none, so it is shown as a whole or not at all.
    if (running?.uid === uid) return viewRunning(running);
    const row = this.#batches.rows.rowOf(uid);
    if (row < 0) return null;
    const { startedAt, finishedAt } = this.#batches.columns;
    const body = this.#batches.body(row);
    return viewBatch(uid, startedAt[row], finishedAt[row], rows ? this.#bodyOf(rows, body) : body);
  }

  /** The batch as if it had had only these tasks, and its indexes their current names. */
  #bodyOf(rows: readonly number[], { details, stats, strategy }: BatchBody): BatchBody {
    const counts = countTasks(rows.map((row) => this.#tasks.outline(row)));
    const isRenamed = Object.keys(counts.indexUids).some((name) => !Object.hasOwn(stats.indexUids, name));
    const told = isRenamed ? NO_STRATEGY : strategy;
    if (rows.length < stats.totalNbTasks)
      return { details: mergeDetails(this.#briefs(rows)), stats: counts, strategy: told };
    return { details, stats: { ...stats, indexUids: counts.indexUids }, strategy: told };
  }

  /** Read one at a time: they may be long. */
  *#briefs(rows: readonly number[]): Generator<Task> {
    for (const row of rows) yield this.#tasks.brief(this.#tasks.columns.uids[row])!;
  }
}

/** Stands for a strategy text that may hold the old name of an index, which another index may have now. */
const NO_STRATEGY = "unspecified";

/** `place`: row of the table, or its size for the running batch. */
type BatchCheck = (uid: number, place: number) => boolean;

interface Dates {
  startedAt: Moment;
  finishedAt: Moment | null;
  oldest: Moment;
  newest: Moment;
}

function viewRunning({ uid, plan, startedAt, progress }: RunningBatch): BatchView {
  const tasks = plan.tasks.map((task) => ({ ...task, status: "processing" as const }));
  return {
    uid,
    progress: progress.view(),
    details: mergeRunningDetails(tasks),
    stats: { ...countTasks(tasks), ...progress.stats() },
    duration: null,
    startedAt: momentText(startedAt),
    finishedAt: null,
    batchStrategy: plan.strategy,
  };
}

function isInside({ after, before }: MomentRange, moment: number): boolean {
  return (after === undefined || moment > after) && (before === undefined || moment < before);
}
