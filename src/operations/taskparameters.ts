// The query parameters that select tasks, shared by GET /tasks, GET /batches, POST /tasks/cancel and DELETE
// /tasks. Lists are separated by commas; `*` as a date or in a list restricts nothing, but the rest of the
// list is checked all the same.
import { type ErrorCode, TarsierError } from "../errors.ts";
import { INDEX_UID_EXPECTED, INDEX_UID_PATTERN, isIndexUid } from "../schemas/indexuid.ts";
import {
  flag,
  listOf,
  PAGE_LIMIT_DEFAULT,
  type Parameter,
  type ParameterKind,
  parameter,
  readParameters,
  u32,
} from "../schemas/parameters.ts";
import { nameList } from "../schemas/phrases.ts";
import type { MomentRange, Paging, TaskFilter } from "../tasks/filter.ts";
import { TASK_STATUSES, TASK_TYPES, type TaskType, UNBUILT_TYPES } from "../tasks/kinds.ts";
import { parseMoment } from "../tasks/time.ts";

/** At least one filter must be sent, so that nobody cancels or deletes everything by accident. */
export function readTaskSelection(query: unknown): TaskFilter {
  const values = readParameters(query, filterParameters);
  if (Object.keys(values).length === 0)
    throw new TarsierError("missing_task_filters", { accepted: nameList(Object.keys(filterParameters)) });
  return filterOf(values);
}

/** The filter and the page of a listing. */
export function readTaskPage(query: unknown): { filter: TaskFilter; paging: Paging } {
  const {
    limit = PAGE_LIMIT_DEFAULT,
    from = null,
    reverse = false,
    ...values
  } = readParameters(query, pageParameters);
  return { filter: filterOf(values), paging: { limit, from, reverse } };
}

const ANY = "*";
type Any = typeof ANY;
const ANY_SHOWN = { const: ANY };

const indexUid: ParameterKind<string> = {
  expected: INDEX_UID_EXPECTED,
  shown: { type: "string", pattern: INDEX_UID_PATTERN },
  read: (raw, refuse) => (isIndexUid(raw) ? raw : refuse()),
};

export const filterParameters = {
  uids: parameter(listOrAny(u32), "invalid_task_uids"),
  batchUids: parameter(listOrAny(u32), "invalid_batch_uids"),
  canceledBy: parameter(listOrAny(u32), "invalid_task_canceled_by"),
  types: parameter(listOrAny(wordOf([...TASK_TYPES, ...UNBUILT_TYPES])), "invalid_task_types"),
  statuses: parameter(listOrAny(wordOf(TASK_STATUSES)), "invalid_task_statuses"),
  indexUids: parameter(listOrAny(indexUid), "invalid_index_uid"),
  afterEnqueuedAt: dateParameter("after", "invalid_task_after_enqueued_at"),
  beforeEnqueuedAt: dateParameter("before", "invalid_task_before_enqueued_at"),
  afterStartedAt: dateParameter("after", "invalid_task_after_started_at"),
  beforeStartedAt: dateParameter("before", "invalid_task_before_started_at"),
  afterFinishedAt: dateParameter("after", "invalid_task_after_finished_at"),
  beforeFinishedAt: dateParameter("before", "invalid_task_before_finished_at"),
};

export const pageParameters = {
  limit: parameter(u32, "invalid_task_limit"),
  from: parameter(u32, "invalid_task_from"),
  reverse: parameter(flag, "invalid_task_reverse"),
  ...filterParameters,
};

function filterOf(values: ReturnType<typeof readParameters<typeof filterParameters>>): TaskFilter {
  const set = <T>(value: T | Any | undefined) => (value === ANY ? undefined : value);
  const range = (
    after: number | Any | undefined,
    before: number | Any | undefined,
  ): MomentRange | undefined => {
    const bounds = { after: set(after), before: set(before) };
    return bounds.after === undefined && bounds.before === undefined ? undefined : bounds;
  };
  return {
    uids: set(values.uids),
    batchUids: set(values.batchUids),
    canceledBy: set(values.canceledBy),
    // No task here has one of the other types: a list of only those becomes empty and matches nothing.
    types: set(values.types)?.filter((type): type is TaskType => !UNBUILT_TYPES.includes(type)),
    statuses: set(values.statuses),
    indexUids: set(values.indexUids),
    enqueuedAt: range(values.afterEnqueuedAt, values.beforeEnqueuedAt),
    startedAt: range(values.afterStartedAt, values.beforeStartedAt),
    finishedAt: range(values.afterFinishedAt, values.beforeFinishedAt),
  };
}

function listOrAny<T>(kind: ParameterKind<T>): ParameterKind<T[] | Any> {
  const list = listOf<T | Any>({
    expected: kind.expected,
    shown: { anyOf: [kind.shown, ANY_SHOWN] },
    read: (raw, refuse) => (raw === ANY ? ANY : kind.read(raw, refuse)),
  });
  return {
    expected: `${list.expected}, or \`*\``,
    shown: list.shown,
    read: (raw, refuse) => {
      const items = list.read(raw, refuse);
      return items.includes(ANY) ? ANY : (items as T[]);
    },
  };
}

/** One of the given words, in any case. */
function wordOf<Word extends string>(words: readonly Word[]): ParameterKind<Word> {
  return {
    expected: `one of ${nameList(words)}`,
    shown: { enum: words },
    read: (raw, refuse) => words.find((word) => word.toLowerCase() === raw.toLowerCase()) ?? refuse(),
  };
}

const DAY_MICROSECONDS = 86_400_000_000;
/** Length of a date without a time. */
const DAY_LETTERS = 10;

function dateParameter(side: "after" | "before", code: ErrorCode): Parameter<number | Any> {
  const kind: ParameterKind<number | Any> = {
    expected: "a date such as `2024-01-31` or `2024-01-31T08:00:00Z`, or `*`",
    shown: {
      anyOf: [{ type: "string", format: "date" }, { type: "string", format: "date-time" }, ANY_SHOWN],
    },
    read: (raw, refuse) => (raw === ANY ? ANY : (momentOf(raw, side) ?? refuse())),
  };
  return parameter(kind, code);
}

/** A bare day bounds `before` by its first moment, and `after` by the first moment of the next day. */
function momentOf(raw: string, side: "after" | "before"): number | null {
  const moment = parseMoment(raw);
  const isDay = raw.length === DAY_LETTERS;
  return moment !== null && isDay && side === "after" ? moment + DAY_MICROSECONDS : moment;
}
