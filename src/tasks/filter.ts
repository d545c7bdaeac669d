// A parsed filter over tasks or batches, as GET /tasks, GET /batches, POST /tasks/cancel and DELETE /tasks
// take it. Values of one field are alternatives, fields are combined; an absent field restricts nothing (`*`
// is left out too).
import type { TaskStatus, TaskType } from "./kinds.ts";

/** Moments are microseconds since 1970; both ends are excluded. */
export interface MomentRange {
  after?: number;
  before?: number;
}

export interface TaskFilter {
  uids?: number[];
  batchUids?: number[];
  statuses?: TaskStatus[];
  types?: TaskType[];
  indexUids?: string[];
  canceledBy?: number[];
  enqueuedAt?: MomentRange;
  startedAt?: MomentRange;
  finishedAt?: MomentRange;
}

export interface Paging {
  limit: number;
  /** First uid of the page, included; null starts at the newest (the oldest when reversed). */
  from: number | null;
  reverse: boolean;
}

/** Which indexes the asking key may see; null when it may see all of them. */
export type Visibility = ((indexUid: string) => boolean) | null;

export interface Page<View> {
  results: View[];
  total: number;
  limit: number;
  from: number | null;
  next: number | null;
}

/** A page whose results are made one by one: they may be long. */
export interface PageOfUids<View> extends Omit<Page<View>, "results"> {
  uids: readonly number[];
  /** Null: it is gone since. */
  viewOf(uid: number): View | null;
}

export function wholePage<View>({ uids, viewOf, ...page }: PageOfUids<View>): Page<View> {
  return { results: uids.map(viewOf).filter((view) => view !== null), ...page };
}
