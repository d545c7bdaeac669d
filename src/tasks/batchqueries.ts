// Finding batches: by their own dates, and by the tasks in them. A batch matches when for each field of the
// filter one of its tasks matches, not necessarily the same task.
import { countTasks } from "./batchstats.ts";
import type { BatchTable } from "./batchtable.ts";
import { mergeDetails } from "./details.ts";
import type { MomentRange, Page, Paging, TaskFilter, Visibility } from "./filter.ts";
import { isBefore, matchingRows, visibilityCheck } from "./queries.ts";
import type { RunningBatch } from "./scheduler.ts";
import type { TaskTable } from "./tasktable.ts";
import { momentText } from "./time.ts";
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
    if (visible !== null && !this.#visible(visible).has(uid)) return null;
    const running = this.#running();
    if (running?.uid === uid) return this.#viewRunning(running);
    const dates = this.#batches.dates(uid);
    return dates && viewBatch(dates, this.#batches.body(uid));
  }

  query(filter: TaskFilter, paging: Paging, visible: Visibility): Page<BatchView> {
    const shown = visible && this.#visible(visible);
    const results: BatchView[] = [];
    let total = 0;
    let next: number | null = null;
    const uids = this.#matching(filter);
    if (!paging.reverse) uids.reverse();
    for (const uid of uids) {
      total++;
      if (next !== null || isBefore(uid, paging) || (shown && !shown.has(uid))) continue;
      if (results.length < paging.limit) results.push(this.get(uid, null)!);
      else next = uid;
    }
    return { results, total, limit: paging.limit, from: results[0]?.uid ?? null, next };
  }

  /** Uids, ascending. */
  #matching(filter: TaskFilter): number[] {
    let uids = [...this.#batches.uids()];
    const running = this.#running();
    if (running) uids.push(running.uid);
    if (filter.batchUids) {
      const wanted = new Set(filter.batchUids);
      uids = uids.filter((uid) => wanted.has(uid));
    }
    for (const field of ["uids", "statuses", "types", "indexUids", "canceledBy"] as const) {
      if (!filter[field]) continue;
      const found = this.#batchesOf(matchingRows(this.#tasks, { [field]: filter[field] }));
      uids = uids.filter((uid) => found.has(uid));
    }
    const { enqueuedAt, startedAt, finishedAt } = filter;
    if (!enqueuedAt && !startedAt && !finishedAt) return uids;
    return uids.filter((uid) => {
      const dates = this.#datesOf(uid);
      if (startedAt && !isInside(startedAt, dates.startedAt)) return false;
      if (finishedAt && (dates.finishedAt === null || !isInside(finishedAt, dates.finishedAt))) return false;
      return !enqueuedAt || isInside(enqueuedAt, dates.oldest) || isInside(enqueuedAt, dates.newest);
    });
  }

  #batchesOf(rows: number[]): Set<number> {
    const { batches } = this.#tasks.columns;
    const uids = new Set<number>();
    for (const row of rows) if (batches[row] >= 0) uids.add(batches[row]);
    return uids;
  }

  /** Batches with at least one task that may be seen. */
  #visible(visible: Visibility): Set<number> {
    return this.#batchesOf(matchingRows(this.#tasks, {}).filter(visibilityCheck(this.#tasks, visible)));
  }

  #datesOf(uid: number): { startedAt: number; finishedAt: number | null; oldest: number; newest: number } {
    const running = this.#running();
    if (running?.uid !== uid) return this.#batches.dates(uid)!;
    const { tasks } = running.plan;
    const newest = tasks[tasks.length - 1].enqueuedAt;
    return { startedAt: running.startedAt, finishedAt: null, oldest: tasks[0].enqueuedAt, newest };
  }

  #viewRunning({ uid, plan, startedAt, progress }: RunningBatch): BatchView {
    const tasks = plan.tasks.map((task) => ({ ...task, status: "processing" as const }));
    return {
      uid,
      progress: progress.view(),
      details: mergeDetails(tasks),
      stats: { ...countTasks(tasks), progressTrace: progress.trace() },
      duration: null,
      startedAt: momentText(startedAt),
      finishedAt: null,
      batchStrategy: plan.strategy,
    };
  }
}

function isInside({ after, before }: MomentRange, moment: number): boolean {
  return (after === undefined || moment > after) && (before === undefined || moment < before);
}
