// Which batch runs next: urgent kinds in strict priority, then the index of the oldest waiting task.
import type { TarsierError } from "../errors.ts";
import { isDamage } from "../storage/failure.ts";
import { autobatch, type BatchLimits, type Candidate, type IndexWork } from "./autobatch.ts";
import { codesOf, indexUidOf, TASK_STATUSES, TASK_TYPES, type TaskType } from "./kinds.ts";
import type { State } from "./state.ts";
import { strategies } from "./strategy.ts";
import type { Task } from "./task.ts";

export interface BatchPlan {
  work: Exclude<IndexWork, "single"> | TaskType;
  /** Ascending uid, at least one. */
  tasks: Task[];
  /** Index that the batch works on; null for global work. */
  indexUid: string | null;
  strategy: string;
  /** Fails the tasks without running them: they are damaged on disk. */
  failure?: TarsierError;
}

/**
 * The next batch, or null when nothing is to run. `postponed`: uids of urgent tasks that are not to run yet.
 */
export function chooseBatch(
  state: State,
  limits: BatchLimits,
  postponed: ReadonlySet<number> = new Set(),
): BatchPlan | null {
  const [oldest] = state.tasks.waiting;
  if (oldest === undefined) return null;
  const found = findPriorities(state, oldest);
  const { uids } = state.tasks.columns;
  for (const { type, take } of PRIORITIES) {
    const rows = found.rows.get(TASK_TYPES.indexOf(type)) ?? [];
    const ready = rows.filter((row) => !postponed.has(uids[row]));
    if (ready.length === 0) continue;
    // All tasks of such a kind run together, postponed ones too, or an older one would run after a newer one.
    const chosen = take === "all" ? rows : [ready.at(take === "latest" ? -1 : 0)!];
    return planOfType(state, type, withinMemory(state, chosen, limits), take);
  }
  return found.ordinary < 0 ? null : planOfIndex(state, found.ordinary, limits);
}

/** Kinds that run before all others, most urgent first, and how many of them run together. */
const PRIORITIES: { type: TaskType; take: "latest" | "oldest" | "all" }[] = [
  { type: "taskCancelation", take: "latest" },
  { type: "upgradeDatabase", take: "all" },
  { type: "networkTopologyChange", take: "all" },
  { type: "taskDeletion", take: "all" },
  { type: "indexCompaction", take: "oldest" },
  { type: "export", take: "oldest" },
  { type: "snapshotCreation", take: "all" },
  { type: "dumpCreation", take: "oldest" },
];

const PRIORITY_TYPES = codesOf(PRIORITIES.map(({ type }) => type));
const ENQUEUED = TASK_STATUSES.indexOf("enqueued");

/** Rows of the waiting tasks of urgent kinds, by kind, and that of the oldest other one to run (-1: none). */
function findPriorities(
  { tasks, held }: State,
  oldest: number,
): { rows: Map<number, number[]>; ordinary: number } {
  const { columns } = tasks;
  const rows = new Map<number, number[]>();
  let ordinary = -1;
  for (let row = tasks.rows.rowOf(oldest); row < tasks.size; row++) {
    if (columns.statuses[row] !== ENQUEUED) continue;
    const type = columns.types[row];
    if (PRIORITY_TYPES.has(type)) append(rows, type, row);
    else if (ordinary < 0 && !held.has(columns.uids[row])) ordinary = row;
  }
  return { rows, ordinary };
}

function planOfType(state: State, type: TaskType, rows: number[], take: string): BatchPlan {
  const found = rows.map((row) => readTask(state, row));
  const damaged = found.find((each) => "failure" in each);
  if (damaged) return planOfDamaged(damaged);
  const tasks = found.map(({ task }) => task);
  const last = tasks[tasks.length - 1].uid;
  const strategy = take === "all" ? strategies.sameType(type, last) : strategies.single(type, last);
  return { work: type, tasks, indexUid: null, strategy };
}

/** As many of the rows as memory allows, but at least one. */
function withinMemory({ tasks }: State, rows: number[], { memoryBytesMax }: BatchLimits): number[] {
  let bytes = 0;
  const end = rows.findIndex((row, place) => {
    bytes += tasks.memoryBytes(row);
    return place > 0 && bytes > memoryBytesMax;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function planOfIndex(state: State, row: number, limits: BatchLimits): BatchPlan {
  const read = readTask(state, row);
  if ("failure" in read) return planOfDamaged(read);
  const first = read.task;
  const uid = "indexUid" in first.kind ? first.kind.indexUid : null;
  if (uid === null) {
    const strategy = strategies.single(first.kind.type, first.uid);
    return { work: first.kind.type, tasks: [first], indexUid: null, strategy };
  }
  const entry = state.catalog.get(uid);
  const index = { uid, exists: entry !== undefined, primaryKey: entry?.description.primaryKey ?? null };
  const { work, tasks, stop } = autobatch(candidates(state, first, row), index, limits);
  const all =
    tasks.length === state.tasks.waiting.size ? strategies.allEnqueued() : strategies.allOfIndex(uid);
  return { work: work === "single" ? first.kind.type : work, tasks, indexUid: uid, strategy: stop ?? all };
}

/** The task at `row`, and the later waiting tasks that touch its index. */
function* candidates(state: State, first: Task, row: number): Iterable<Candidate> {
  const { tasks, held } = state;
  const { columns, touched } = tasks;
  const index = columns.indexes[row];
  yield { task: first, memoryBytes: tasks.memoryBytes(row) };
  for (let at = row + 1; at < tasks.size; at++) {
    if (columns.statuses[at] !== ENQUEUED || PRIORITY_TYPES.has(columns.types[at])) continue;
    if (columns.indexes[at] !== index && !touched.get(columns.uids[at])?.includes(index)) continue;
    if (held.has(columns.uids[at])) continue;
    const read = readTask(state, at);
    // It will be the first of the next batch, and fail alone.
    if ("failure" in read) return;
    yield { task: read.task, memoryBytes: tasks.memoryBytes(at) };
  }
}

type Read = { task: Task } | { task: Task; failure: TarsierError };

/** The task, or its outline with the failure when it cannot be read. */
function readTask({ tasks }: State, row: number): Read {
  try {
    return { task: tasks.at(row) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { task: tasks.outline(row), failure: error };
  }
}

function planOfDamaged({ task, failure }: Extract<Read, { failure: TarsierError }>): BatchPlan {
  const { uid, kind } = task;
  const strategy = strategies.single(kind.type, uid);
  return { work: kind.type, tasks: [task], indexUid: indexUidOf(kind), strategy, failure };
}

function append(rows: Map<number, number[]>, type: number, row: number): void {
  const known = rows.get(type);
  if (known) known.push(row);
  else rows.set(type, [row]);
}
