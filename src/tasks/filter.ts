// A parsed filter on tasks or batches, as GET /tasks, GET /batches, POST /tasks/cancel and DELETE /tasks take
// it. Values of one field are alternatives; all fields must match; an absent field restricts nothing (a `*`
// is dropped, too).
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
  /** First uid of the page; null: the newest (the oldest when reversed). */
  from: number | null;
  reverse: boolean;
}

/** Which indexes the asking key may see; null: all. */
export type Visibility = ((indexUid: string) => boolean) | null;

export interface Page<View> {
  results: View[];
  total: number;
  limit: number;
  from: number | null;
  next: number | null;
}

/** A page whose results are made one at a time: they may be long. */
export interface PageOfUids<View> extends Omit<Page<View>, "results"> {
  uids: readonly number[];
  /** Null when it was removed meanwhile. */
  viewOf(uid: number): View | null;
}

export function wholePage<View>({ uids, viewOf, ...page }: PageOfUids<View>): Page<View> {
  return { results: uids.map(viewOf).filter((view) => view !== null), ...page };
}
