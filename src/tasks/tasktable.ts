// Every task of the instance in columns: what filters look at lies in typed arrays, one row per task by
// ascending uid; the rest is packed (taskcontents.ts), and unpacked when a task is shown or run. 100,000
// ordinary tasks take about 20 MB this way; long parts of others stay in the journal.
//
//   uids        | 0  | 1  | 4  | 5  | ...        ascending, with holes where tasks were deleted
//   statuses    | 2  | 3  | 2  | 0  | ...        place in TASK_STATUSES
//   indexes     | 1  | 1  | 0  | 2  | ...        number of the index uid; 0: a global kind
import { isDamage } from "../storage/failure.ts";
import {
  type DocumentAddition,
  outlineOf,
  renameInKind,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskKind,
  type TaskStatus,
  type TaskType,
} from "./kinds.ts";
import { NameTable } from "./nametable.ts";
import type { Delivery } from "./outgoing.ts";
import type { RecordSource } from "./recordsource.ts";
import { Rows } from "./rows.ts";
import { NONE, type Task, type TaskBody, type TaskNetwork, type TaskRecord } from "./task.ts";
import { TASK_COLUMNS, type TaskColumns } from "./taskcolumns.ts";
import { type NewPlace, type PackedContent, TaskContents } from "./taskcontents.ts";

export class TaskTable {
  readonly rows = new Rows(TASK_COLUMNS);
  readonly names = new NameTable();
  /** Indexes of tasks that touch more than the one they show: swaps and renames. uid -> index numbers. */
  readonly touched = new Map<number, number[]>();
  readonly #waiting = new Set<number>();
  readonly #contents: TaskContents;

  /** `source`: reads long parts; null: everything is kept in memory. */
  constructor(source: RecordSource | null = null) {
    this.#contents = new TaskContents(this.rows, source);
  }

  get size(): number {
    return this.rows.length;
  }

  get columns(): TaskColumns {
    return this.rows.columns;
  }

  /** Uids of enqueued and processing tasks, ascending. */
  get waiting(): ReadonlySet<number> {
    return this.#waiting;
  }

  /** Roughly the bytes that a journal needs for the bodies, outcomes and payloads of all tasks. */
  get bytes(): number {
    return this.#contents.bytes;
  }

  /** How much of that is in memory. For tests. */
  get arenas(): TaskContents["arenas"] {
    return this.#contents.arenas;
  }

  /** Adds a task whose uid is above all others. `place`: its record in the journal; 0: it has none. */
  add(record: TaskRecord, place = 0): void {
    const row = this.rows.push(record.uid);
    const { columns } = this;
    columns.statuses[row] = TASK_STATUSES.indexOf(record.status);
    columns.types[row] = TASK_TYPES.indexOf(record.kind);
    columns.indexes[row] = record.shown === null ? 0 : this.names.number(record.shown);
    columns.enqueuedAt[row] = record.enqueuedAt;
    columns.startedAt[row] = record.startedAt ?? NONE;
    columns.finishedAt[row] = record.finishedAt ?? NONE;
    columns.batches[row] = record.batchUid ?? NONE;
    columns.canceledBy[row] = record.canceledBy ?? NONE;
    this.#contents.add(row, record, place);
    if (record.touched)
      this.touched.set(
        record.uid,
        record.touched.map((name) => this.names.number(name)),
      );
    if (record.status === "enqueued") this.#waiting.add(record.uid);
  }

  typeAt(row: number): TaskType {
    return TASK_TYPES[this.columns.types[row]];
  }

  /** Waiting additions with their uids, ascending; reads no other task. */
  *waitingAdditions(): Generator<[uid: number, addition: DocumentAddition]> {
    for (const uid of this.#waiting) {
      const row = this.rows.rowOf(uid);
      if (this.typeAt(row) !== "documentAdditionOrUpdate") continue;
      yield [uid, this.at(row).kind as DocumentAddition];
    }
  }

  get(uid: number): Task | null {
    const row = this.rows.rowOf(uid);
    return row < 0 ? null : this.at(row);
  }

  at(row: number): Task {
    return this.#taskOf(row, this.#contents.body(row));
  }

  /**
   * The same without its bulk, for views of the task. A task that is damaged on disk is given as its outline.
   */
  brief(uid: number): Task | null {
    const row = this.rows.rowOf(uid);
    if (row < 0) return null;
    try {
      return this.#taskOf(row, this.#contents.brief(row));
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.outline(row);
    }
  }

  /** The same without reading the journal: of long tasks only type and index. */
  outline(row: number): Task {
    const kind = outlineAt(this.columns, this.names, row);
    return this.#taskOf(row, this.#contents.isPlaced(row) ? { kind } : this.#contents.brief(row));
  }

  /** Remembers the body, so that the first `brief` of a new task need not read it. */
  keepBrief(uid: number, body: TaskBody): void {
    const row = this.rows.rowOf(uid);
    if (row >= 0) this.#contents.keepBrief(row, body);
  }

  #taskOf(row: number, { kind, ...rest }: TaskBody): Task {
    const { columns } = this;
    const outcome = this.#contents.outcome(row);
    return {
      uid: columns.uids[row],
      kind: this.#withShownIndex(kind, columns.indexes[row]),
      status: TASK_STATUSES[columns.statuses[row]],
      batchUid: orNull(columns.batches[row]),
      canceledBy: orNull(columns.canceledBy[row]),
      error: outcome?.error ?? null,
      counters: outcome?.counters ?? null,
      enqueuedAt: columns.enqueuedAt[row],
      startedAt: orNull(columns.startedAt[row]),
      finishedAt: orNull(columns.finishedAt[row]),
      ...rest,
    };
  }

  /** All tasks as the journal keeps them, as they are now; may be consumed later, while the table changes. */
  snapshot(): Iterable<TaskRecord> {
    const { columns, length } = this.rows.clone();
    const touched = new Map(this.touched);
    const { names } = this;
    const contentAt = this.#contents.packer(columns, (row) => ({ kind: outlineAt(columns, names, row) }));
    return {
      *[Symbol.iterator]() {
        for (let row = 0; row < length; row++) yield recordAt(row, columns, touched, names, contentAt(row));
      },
    };
  }

  /** A copy of the small payload of a waiting task; null when it has none. */
  inlinePayload(uid: number): Uint8Array | null {
    const row = this.rows.rowOf(uid);
    return row < 0 ? null : this.#contents.inline(row);
  }

  /** Roughly what the task takes in memory while it runs, beyond what every task takes. */
  memoryBytes(row: number): number {
    return this.#contents.memoryBytes(row);
  }

  /** Whether a part of the task is only in the journal. */
  isPlaced(uid: number): boolean {
    const row = this.rows.rowOf(uid);
    return row >= 0 && this.#contents.isPlaced(row);
  }

  /** The journal was rewritten: the records of such tasks are now at these places. */
  move(places: ReadonlyMap<number, NewPlace>): void {
    this.#contents.move(places);
  }

  /** In memory only: the journal never records that a task is being processed. */
  startProcessing(uids: number[], batchUid: number, startedAt: number): void {
    for (const uid of uids) this.#mark(uid, "processing", batchUid, startedAt);
  }

  stopProcessing(uids: number[]): void {
    for (const uid of uids) this.#mark(uid, "enqueued", NONE, NONE);
  }

  finish(
    uid: number,
    end: { status: TaskStatus; canceledBy: number | null; outcome: Uint8Array | null },
  ): void {
    const row = this.rows.rowOf(uid);
    this.#contents.end(row, TASK_STATUSES.indexOf(end.status), end.outcome);
    this.columns.canceledBy[row] = end.canceledBy ?? NONE;
    this.#waiting.delete(uid);
    this.#contents.collectGarbage(this.#waiting);
  }

  setBatch(uid: number, batchUid: number, startedAt: number, finishedAt: number): void {
    const row = this.rows.rowOf(uid);
    this.columns.batches[row] = batchUid;
    this.columns.startedAt[row] = startedAt;
    this.columns.finishedAt[row] = finishedAt;
  }

  /** Numbers of the indexes that these tasks touch; global tasks touch none. */
  indexesOf(uids: readonly number[]): number[] {
    const { indexes } = this.columns;
    const found = new Set<number>();
    for (const uid of uids) {
      const row = this.rows.rowOf(uid);
      const index = row < 0 ? 0 : indexes[row];
      if (index === 0) continue;
      found.add(index);
      for (const other of this.touched.get(uid) ?? []) found.add(other);
    }
    return [...found];
  }

  /** Does nothing if the task is gone. */
  setNetwork(uid: number, network: TaskNetwork): void {
    const row = this.rows.rowOf(uid);
    if (row >= 0) this.#contents.setNetwork(row, network);
  }

  /** Notes the outcome of the task on one of the servers that share it. */
  noteDelivery({ taskUid, remote, outcome }: Delivery): void {
    const row = this.rows.rowOf(taskUid);
    if (row >= 0) this.#contents.addNetwork(row, { remotes: { [remote]: outcome } });
  }

  /** Removes the rows for which `doomed` holds. */
  remove(doomed: (row: number) => boolean): void {
    this.rows.removeRows((row) => {
      if (!doomed(row)) return false;
      this.#contents.remove(row);
      this.touched.delete(this.columns.uids[row]);
      return true;
    });
    this.#contents.collectGarbage(this.#waiting);
  }

  /**
   * Exchanges the two names of each pair, pair after pair, wherever tasks below `uid` mention them (history
   * of swaps). Passes over each task once, however many pairs there are.
   */
  renameBelow(uid: number, pairs: readonly (readonly [string, string])[]): void {
    if (pairs.length === 0) return;
    const { columns } = this;
    const renames = renamesOf(pairs);
    const numbers = new Map(
      [...renames].map(([from, to]) => [this.names.number(from), this.names.number(to)]),
    );
    const rename = (number: number) => numbers.get(number) ?? number;
    const end = this.rows.firstRowFrom(uid);
    for (let row = 0; row < end; row++) columns.indexes[row] = rename(columns.indexes[row]);
    const renameUid = (name: string) => renames.get(name) ?? name;
    for (const [other, touched] of this.touched) {
      if (other >= uid || !touched.some((number) => numbers.has(number))) continue;
      this.touched.set(other, touched.map(rename));
      const renamed = (body: TaskBody) => ({ ...body, kind: renameInKind(body.kind, renameUid) });
      this.#contents.rewrite(this.rows.rowOf(other), renamed);
    }
  }

  #mark(uid: number, status: TaskStatus, batchUid: number, startedAt: number): void {
    const row = this.rows.rowOf(uid);
    this.columns.statuses[row] = TASK_STATUSES.indexOf(status);
    this.columns.batches[row] = batchUid;
    this.columns.startedAt[row] = startedAt;
  }

  /** Swaps do not rewrite the bodies of ordinary tasks, so the current name comes from the column. */
  #withShownIndex(kind: TaskKind, index: number): TaskKind {
    if (!("indexUid" in kind) || (kind.type === "indexUpdate" && kind.newIndexUid !== null)) return kind;
    const name = this.names.name(index);
    return kind.indexUid === name ? kind : { ...kind, indexUid: name };
  }
}

/** Old name -> name after all swaps, applied one after the other. */
function renamesOf(pairs: readonly (readonly [string, string])[]): Map<string, string> {
  const [now, once] = [new Map<string, string>(), new Map<string, string>()];
  for (const [a, b] of pairs) {
    const [left, right] = [once.get(a) ?? a, once.get(b) ?? b];
    now.set(left, b).set(right, a);
    once.set(b, left).set(a, right);
  }
  return now;
}

function outlineAt({ types, indexes }: TaskColumns, names: NameTable, row: number): TaskKind {
  return outlineOf(TASK_TYPES[types[row]], indexes[row] === 0 ? "" : names.name(indexes[row]));
}

function recordAt(
  row: number,
  columns: TaskColumns,
  touched: ReadonlyMap<number, number[]>,
  names: NameTable,
  content: PackedContent,
): TaskRecord {
  const uid = columns.uids[row];
  const status = TASK_STATUSES[columns.statuses[row]];
  const processing = status === "processing";
  return {
    uid,
    kind: TASK_TYPES[columns.types[row]],
    shown: columns.indexes[row] === 0 ? null : names.name(columns.indexes[row]),
    touched: touched.get(uid)?.map((number) => names.name(number)) ?? null,
    status: processing ? "enqueued" : status,
    enqueuedAt: columns.enqueuedAt[row],
    startedAt: processing ? null : orNull(columns.startedAt[row]),
    finishedAt: orNull(columns.finishedAt[row]),
    batchUid: processing ? null : orNull(columns.batches[row]),
    canceledBy: orNull(columns.canceledBy[row]),
    ...content,
  };
}

function orNull(value: number): number | null {
  return value === NONE ? null : value;
}
