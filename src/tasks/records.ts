// The records of the journal. Replayed in order they are the state (state.ts); one record is one atomic step.
// Fields are only ever added. An unknown record type stops the start, because skipping it would lose a
// change.
import type { BatchRecord } from "./batch.ts";
import type { CatalogChange } from "./catalog.ts";
import { pack, unpack } from "./codec.ts";
import type { Swap, TaskStatus, TaskType } from "./kinds.ts";
import type { Delivery, Origin, OutgoingWrite } from "./outgoing.ts";
import type { TaskNetwork, TaskRecord } from "./task.ts";
import type { UidRanges } from "./uidranges.ts";

export type JournalRecord =
  | { type: "instance"; uid: string }
  /** A task was registered; in a rewritten journal: a task in any state. */
  | { type: "task"; task: TaskRecord; shared?: SharedParts }
  | FinishRecord
  /** An ended batch, in a rewritten journal. */
  | { type: "batch"; batch: BatchRecord }
  | { type: "catalog"; changes: CatalogChange[] }
  /**
   * A folder will be removed unless an index gets it meanwhile: it is about to be made, or its index was
   * deleted.
   */
  | { type: "drop"; folder: string }
  /** Such a folder has been removed. */
  | { type: "dropped"; folder: string }
  /** Outcome of a task on other servers, as journals noted it before there were deliveries. */
  | { type: "network"; taskUid: number; network: TaskNetwork }
  /** Outcome of a task on another server. */
  | ({ type: "delivery" } & Delivery)
  /**
   * In a rewritten journal: a write that other servers have not received yet; the last write of an origin.
   */
  | { type: "outgoing"; write: OutgoingWrite }
  | ({ type: "origin"; taskUid: number } & Origin)
  /** A key, a webhook and so on; null removes it. */
  | { type: "put"; kind: string; key: string; value: unknown }
  /** Lowest numbers not used yet, in a rewritten journal: numbers of deleted tasks are never reused. */
  | { type: "next"; taskUid: number; batchUid: number };

/** How a task involves other servers: durable together with it, or not at all. */
export interface SharedParts {
  outgoing?: OutgoingWrite;
  origin?: Origin;
}

/** A batch ended: its tasks, the batch itself, and its changes of the catalog and of other tasks. */
export interface FinishRecord {
  type: "finish";
  batch: BatchRecord;
  /** Ended tasks, ascending: uid, whether it succeeded, packed Outcome (null: nothing to tell). */
  ends: [uid: number, succeeded: boolean, outcome: Uint8Array | null][];
  /** Tasks that a cancelation ended. */
  canceled: { tasks: UidRanges; by: number } | null;
  catalog: CatalogChange[];
  /** Folders to remove. */
  drops: string[];
  /** Pairs of uids that were exchanged in the history, in tasks below `renamesBelow`. */
  renames: Swap["indexes"][];
  renamesBelow: number;
  /** Tasks that a deletion removed. */
  deleted: UidRanges;
}

/** The ended batch that a record holds; null: none. */
export function batchIn(record: JournalRecord): BatchRecord | null {
  return record.type === "batch" || record.type === "finish" ? record.batch : null;
}

/** Frequent records have their fields by position instead of by name, which halves the log. */
export function packRecord(record: JournalRecord): Uint8Array {
  if (record.type === "task") return pack(packedTask(record.task, record.shared));
  if (record.type === "batch") return pack(packedEnded(record.batch));
  if (record.type !== "finish") return pack(record);
  const { type, batch, ends, ...effects } = record;
  const isPlain = Object.values(effects).every(
    (effect) => !effect || (Array.isArray(effect) && effect.length === 0),
  );
  return pack([type, ...packedBatch(batch), ends, isPlain ? null : effects] satisfies PackedFinish);
}

export function unpackRecord(bytes: Uint8Array): JournalRecord {
  const record = unpack<JournalRecord | PackedTask | PackedBatch | PackedFinish>(bytes);
  if (!Array.isArray(record)) return record;
  if (record[0] === "task") {
    const task = unpackedTask(record);
    return record[9] ? { type: "task", task, shared: record[9] } : { type: "task", task };
  }
  // By index, not by destructuring, which is slower: a start reads every record of the log.
  const batch: BatchRecord = {
    uid: record[1],
    startedAt: record[2],
    finishedAt: record[3],
    oldest: record[4],
    newest: record[5],
    body: record[6],
  };
  if (record[0] === "batch")
    return { type: "batch", batch: record[7] ? { ...batch, indexes: record[7] } : batch };
  const { canceled, catalog, drops, renames, renamesBelow, deleted } = record[8] ?? NO_EFFECTS;
  return { type: "finish", batch, ends: record[7], canceled, catalog, drops, renames, renamesBelow, deleted };
}

type Effects = Omit<FinishRecord, "type" | "batch" | "ends">;

const NO_EFFECTS: Effects = {
  canceled: null,
  catalog: [],
  drops: [],
  renames: [],
  renamesBelow: 0,
  deleted: [],
};

type BatchFields = [number, number, number, number, number, Uint8Array];
type PackedBatch = ["batch", ...BatchFields, indexes?: string[]];
type PackedFinish = ["finish", ...BatchFields, FinishRecord["ends"], Effects | null];
type PackedTask = [
  type: "task",
  uid: number,
  kind: TaskType,
  shown: string | null,
  touched: string[] | null,
  enqueuedAt: number,
  body: Uint8Array,
  inline: Uint8Array | null,
  end: [TaskStatus, number | null, number | null, number | null, number | null, Uint8Array | null] | null,
  shared?: SharedParts,
];

function packedBatch({ uid, startedAt, finishedAt, oldest, newest, body }: BatchRecord): BatchFields {
  return [uid, startedAt, finishedAt, oldest, newest, body];
}

function packedEnded(batch: BatchRecord): PackedBatch {
  const packed: PackedBatch = ["batch", ...packedBatch(batch)];
  if (batch.indexes) packed.push(batch.indexes);
  return packed;
}

function packedTask(task: TaskRecord, shared?: SharedParts): PackedTask {
  const { uid, kind, shown, touched, enqueuedAt, body, inline, status } = task;
  const { startedAt, finishedAt, batchUid, canceledBy, outcome } = task;
  const end: PackedTask[8] = [status, startedAt, finishedAt, batchUid, canceledBy, outcome];
  const ended = status === "enqueued" ? null : end;
  const packed: PackedTask = ["task", uid, kind, shown, touched, enqueuedAt, body, inline, ended];
  if (shared) packed.push(shared);
  return packed;
}

function unpackedTask(packed: PackedTask): TaskRecord {
  const end = packed[8] ?? WAITING;
  return {
    uid: packed[1],
    kind: packed[2],
    shown: packed[3],
    touched: packed[4],
    status: end[0],
    enqueuedAt: packed[5],
    startedAt: end[1],
    finishedAt: end[2],
    batchUid: end[3],
    canceledBy: end[4],
    body: packed[6],
    outcome: end[5],
    inline: packed[7],
  };
}

const WAITING: NonNullable<PackedTask[8]> = ["enqueued", null, null, null, null, null];
