// Every task of the instance in columns: what filters look at lies in typed arrays, one row a task in
// ascending uid; the rest is packed in an arena and unpacked when a task is shown or run. 100,000 tasks take
// about 20 MB so.
//
//   uids        | 0  | 1  | 4  | 5  | ...        ascending, with holes where tasks were deleted
//   statuses    | 2  | 3  | 2  | 0  | ...        place in TASK_STATUSES
//   indexes     | 1  | 1  | 0  | 2  | ...        number of the index uid; 0: a global kind
//   bodies      | 4  | 96 | ..                   reference: packed TaskBody
//   outcomes    | 44 | .. | .. | 0  | ...        reference: packed Outcome; 0: none
//   inlines     | 0  | 0  | 0  | 8  | ...        reference: small payload of a waiting task; 0: none
//
// References are into one of two arenas: `lasting`, for what stays for good, or `passing`, for what goes when
// its task ends: payloads, and bodies that are long until then (`isBulky`: lists of ids, settings).
import { ByteArena } from "./arena.ts";
import { pack, unpack } from "./codec.ts";
import {
  renameInKind,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskKind,
  type TaskStatus,
  withoutBulk,
} from "./kinds.ts";
import { NameTable } from "./nametable.ts";
import type { Delivery } from "./outgoing.ts";
import { type Columns, Rows } from "./rows.ts";
import { NONE, type Outcome, type Task, type TaskBody, type TaskNetwork, type TaskRecord } from "./task.ts";

const COLUMNS = {
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
};

export class TaskTable {
  readonly rows = new Rows(COLUMNS);
  readonly names = new NameTable();
  /** Indexes of tasks that touch more than the one they show: swaps and renames. uid -> index numbers. */
  readonly touched = new Map<number, number[]>();
  readonly #waiting = new Set<number>();
  /** Of waiting tasks with a long body: the short one that they will have. To unpack the long one takes long. */
  readonly #briefs = new Map<number, TaskBody>();
  #lasting = new ByteArena();
  #passing = new ByteArena();

  get size(): number {
    return this.rows.length;
  }

  get columns(): Columns<typeof COLUMNS> {
    return this.rows.columns;
  }

  /** Uids of enqueued and processing tasks, ascending. */
  get waiting(): ReadonlySet<number> {
    return this.#waiting;
  }

  /** Bytes that a journal needs for the bodies, outcomes and payloads of all tasks. */
  get bytes(): number {
    return [this.#lasting, this.#passing].reduce((sum, { length, garbage }) => sum + length - garbage, 0);
  }

  /** What the arenas hold, and how much of it was forgotten. For tests. */
  get arenas(): Record<"lasting" | "passing", Readonly<Pick<ByteArena, "length" | "garbage">>> {
    return { lasting: this.#lasting, passing: this.#passing };
  }

  /** Adds a task whose uid is above all others. */
  add(record: TaskRecord): void {
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
    columns.bodies[row] = this.#bodiesFor(row).add(record.body);
    columns.outcomes[row] = record.outcome ? this.#lasting.add(record.outcome) : 0;
    columns.inlines[row] = record.inline ? this.#passing.add(record.inline) : 0;
    if (record.touched)
      this.touched.set(
        record.uid,
        record.touched.map((name) => this.names.number(name)),
      );
    if (record.status === "enqueued") this.#waiting.add(record.uid);
  }

  get(uid: number): Task | null {
    const row = this.rows.rowOf(uid);
    return row < 0 ? null : this.at(row);
  }

  at(row: number): Task {
    return this.#taskOf(row, this.#body(row));
  }

  /** The same without the bulk of its work, for those who tell of the task. */
  brief(uid: number): Task | null {
    const row = this.rows.rowOf(uid);
    return row < 0 ? null : this.#taskOf(row, this.#briefBody(row));
  }

  /** Spares the first `brief` of a new task the unpacking. */
  keepBrief(uid: number, body: TaskBody): void {
    const row = this.rows.rowOf(uid);
    if (row >= 0 && isBulky(this.columns, row)) this.#briefs.set(uid, withoutBulkOf(body));
  }

  #taskOf(row: number, { kind, ...rest }: TaskBody): Task {
    const { columns } = this;
    const packed = this.#lasting.readIfAny(columns.outcomes[row]);
    const outcome = packed && unpack<Outcome>(packed);
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

  /** All tasks as the journal keeps them, as of now; may be consumed later, while the table changes. */
  snapshot(): Iterable<TaskRecord> {
    const rows = this.rows.clone();
    const touched = new Map(this.touched);
    const [names, lasting, passing] = [this.names, this.#lasting, this.#passing];
    return {
      *[Symbol.iterator]() {
        for (let row = 0; row < rows.length; row++)
          yield recordAt(row, rows.columns, touched, names, { lasting, passing });
      },
    };
  }

  /** A copy of the small payload of a waiting task; null when it has none. */
  inlinePayload(uid: number): Uint8Array | null {
    return this.#passing.readIfAny(this.columns.inlines[this.rows.rowOf(uid)])?.slice() ?? null;
  }

  /** In memory only: the journal never says that a task is being processed. */
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
    const { columns } = this;
    const row = this.rows.rowOf(uid);
    const brief = isBulky(columns, row) ? this.#briefBody(row) : null;
    if (brief) this.#forgetBody(row);
    columns.statuses[row] = TASK_STATUSES.indexOf(end.status);
    columns.canceledBy[row] = end.canceledBy ?? NONE;
    this.#lasting.forget(columns.outcomes[row]);
    columns.outcomes[row] = end.outcome ? this.#lasting.add(end.outcome) : 0;
    this.#passing.forget(columns.inlines[row]);
    columns.inlines[row] = 0;
    if (brief) this.#putBody(row, brief);
    this.#waiting.delete(uid);
    this.#collectGarbage();
  }

  setBatch(uid: number, batchUid: number, startedAt: number, finishedAt: number): void {
    const row = this.rows.rowOf(uid);
    this.columns.batches[row] = batchUid;
    this.columns.startedAt[row] = startedAt;
    this.columns.finishedAt[row] = finishedAt;
  }

  /** Numbers of the indexes that tasks touch; those of global tasks do not count. */
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

  /** Nothing happens when the task is not there any more. */
  setNetwork(uid: number, network: TaskNetwork): void {
    const row = this.rows.rowOf(uid);
    if (row >= 0) this.#rewriteBody(row, (body) => ({ ...body, network }));
  }

  /** What became of the task on one of the servers that share it. */
  noteDelivery({ taskUid, remote, outcome }: Delivery): void {
    const row = this.rows.rowOf(taskUid);
    if (row < 0) return;
    this.#rewriteBody(row, (body) => {
      const before = body.network && "remotes" in body.network ? body.network.remotes : {};
      return { ...body, network: { remotes: { ...before, [remote]: outcome } } };
    });
  }

  /** Removes the rows for which `doomed` holds. */
  remove(doomed: (row: number) => boolean): void {
    const { columns } = this;
    this.rows.removeRows((row) => {
      if (!doomed(row)) return false;
      this.#forgetBody(row);
      this.#lasting.forget(columns.outcomes[row]);
      this.#passing.forget(columns.inlines[row]);
      this.touched.delete(columns.uids[row]);
      return true;
    });
    this.#collectGarbage();
  }

  /**
   * Turns every mention of `a` into `b` and the other way round, in tasks below `uid` (history of a swap).
   */
  renameBelow(uid: number, a: string, b: string): void {
    const { columns } = this;
    const [left, right] = [this.names.number(a), this.names.number(b)];
    const rename = (number: number) => (number === left ? right : number === right ? left : number);
    const end = this.rows.firstRowFrom(uid);
    for (let row = 0; row < end; row++) columns.indexes[row] = rename(columns.indexes[row]);
    for (const [other, numbers] of this.touched) {
      if (other >= uid) continue;
      this.touched.set(other, numbers.map(rename));
      const renamed = (body: TaskBody) => ({ ...body, kind: renameInKind(body.kind, a, b) });
      this.#rewriteBody(this.rows.rowOf(other), renamed);
    }
  }

  #mark(uid: number, status: TaskStatus, batchUid: number, startedAt: number): void {
    const row = this.rows.rowOf(uid);
    this.columns.statuses[row] = TASK_STATUSES.indexOf(status);
    this.columns.batches[row] = batchUid;
    this.columns.startedAt[row] = startedAt;
  }

  /** Bodies of ordinary tasks are not rewritten by a swap: the column knows the index of today. */
  #withShownIndex(kind: TaskKind, index: number): TaskKind {
    if (!("indexUid" in kind) || (kind.type === "indexUpdate" && kind.newIndexUid !== null)) return kind;
    const name = this.names.name(index);
    return kind.indexUid === name ? kind : { ...kind, indexUid: name };
  }

  #rewriteBody(row: number, change: (body: TaskBody) => TaskBody): void {
    const changed = change(this.#body(row));
    this.#forgetBody(row);
    this.#putBody(row, changed);
  }

  #body(row: number): TaskBody {
    return unpack<TaskBody>(this.#bodiesFor(row).read(this.columns.bodies[row]));
  }

  #briefBody(row: number): TaskBody {
    if (!isBulky(this.columns, row)) return this.#body(row);
    const uid = this.columns.uids[row];
    const known = this.#briefs.get(uid);
    if (known) return known;
    const brief = withoutBulkOf(this.#body(row));
    this.#briefs.set(uid, brief);
    return brief;
  }

  #forgetBody(row: number): void {
    this.#bodiesFor(row).forget(this.columns.bodies[row]);
    this.#briefs.delete(this.columns.uids[row]);
  }

  #putBody(row: number, body: TaskBody): void {
    this.columns.bodies[row] = this.#bodiesFor(row).add(pack(body));
  }

  #bodiesFor(row: number): ByteArena {
    return isBulky(this.columns, row) ? this.#passing : this.#lasting;
  }

  /** Copies what is still needed out of an arena of which that is less than half. */
  #collectGarbage(): void {
    const { columns } = this;
    const { bodies, outcomes, inlines } = columns;
    if (this.#lasting.isMostlyGarbage) {
      const kept = new ByteArena();
      for (let row = 0; row < this.size; row++) {
        if (!isBulky(columns, row)) bodies[row] = kept.copyOf(this.#lasting, bodies[row]);
        outcomes[row] = kept.copyOf(this.#lasting, outcomes[row]);
      }
      this.#lasting = kept;
    }
    if (this.#passing.isMostlyGarbage) {
      const kept = new ByteArena();
      for (const uid of this.#waiting) {
        const row = this.rows.rowOf(uid);
        if (isBulky(columns, row)) bodies[row] = kept.copyOf(this.#passing, bodies[row]);
        inlines[row] = kept.copyOf(this.#passing, inlines[row]);
      }
      this.#passing = kept;
    }
  }
}

const withoutBulkOf = (body: TaskBody): TaskBody => ({ ...body, kind: withoutBulk(body.kind) });

function recordAt(
  row: number,
  columns: Columns<typeof COLUMNS>,
  touched: ReadonlyMap<number, number[]>,
  names: NameTable,
  { lasting, passing }: Record<"lasting" | "passing", ByteArena>,
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
    body: (isBulky(columns, row) ? passing : lasting).read(columns.bodies[row]),
    outcome: lasting.readIfAny(columns.outcomes[row]),
    inline: passing.readIfAny(columns.inlines[row]),
  };
}

function orNull(value: number): number | null {
  return value === NONE ? null : value;
}

/** Does the task wait with a body that will be shorter (withoutBulk)? */
function isBulky({ statuses, types }: Columns<typeof COLUMNS>, row: number): boolean {
  return BULKY.has(types[row]) && WAITING.has(statuses[row]);
}

const WAITING = new Set((["enqueued", "processing"] as const).map((status) => TASK_STATUSES.indexOf(status)));

const BULKY = new Set(
  (["documentDeletion", "settingsUpdate", "taskCancelation", "taskDeletion", "dumpCreation"] as const).map(
    (type) => TASK_TYPES.indexOf(type),
  ),
);
