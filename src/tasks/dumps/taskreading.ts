// Reads tasks and batches from the lines of a dump (see tasklines.ts), which any version of another program
// may have written: unknown parts are left out, missing ones take their defaults, and what makes no sense is
// refused. Called by import.ts.
import { shownPatch } from "../../engine/settingsview.ts";
import { type ErrorObject, type ErrorType, errorObjectOf, isErrorCode } from "../../errors.ts";
import { isIndexUid } from "../../schemas/indexuid.ts";
import type { SettingsPatch } from "../../schemas/settings.ts";
import { parseSize, wholeSize } from "../../sizes.ts";
import type { BatchRecord, BatchStats } from "../batch.ts";
import { packBatchBody } from "../batchtable.ts";
import { withoutUnknown } from "../details.ts";
import { TASK_STATUSES, type TaskKind, type TaskStatus, UNBUILT_TYPES } from "../kinds.ts";
import type { Counters, Task, TaskNetwork } from "../task.ts";
import { type Moment, parseMoment } from "../time.ts";
import { packUids } from "../uidranges.ts";
import { objectOf } from "./put.ts";
import { decodeRoaring } from "./roaring.ts";
import { readSettings } from "./settingsreading.ts";
import { type BatchLine, isWaitingMove, type TaskLine } from "./tasklines.ts";

type Fields = Record<string, unknown>;

/** The most that the tables of tasks and batches can hold, less room for those that follow. */
const NUMBER_MAX = 2 ** 31 - 2 ** 24;

/** @throws TypeError when the line is not a task */
export function readTaskUid(line: TaskLine): number {
  return wholeNumber(line.uid, "uid");
}

/**
 * Null: the kind of the task is not built here, or it moves documents between servers. Its payload is left
 * to the caller.
 * @throws TypeError, RangeError when the line is not a task
 */
export function readTask(line: TaskLine): Task | null {
  const [type] = taggedOf(line.type);
  if (UNBUILT_TYPES.includes(type) || isWaitingMove({ type, status: line.status })) return null;
  const enqueuedAt = momentIn(line.enqueuedAt, "enqueuedAt");
  if (!TASK_STATUSES.includes(line.status))
    throw new TypeError(`unknown status ${JSON.stringify(line.status)}`);
  const status: TaskStatus = line.status === "processing" ? "enqueued" : line.status;
  const waits = status === "enqueued";
  const [, details] = taggedOf(line.details ?? "none");
  const kind = kindOf(line, details, waits);
  return {
    uid: readTaskUid(line),
    kind,
    status,
    batchUid: waits ? null : optionalNumber(line.batchUid, "batchUid"),
    canceledBy: optionalNumber(line.canceledBy, "canceledBy"),
    error: line.error ? readError(line.error) : null,
    counters: waits ? null : countersOf(kind, details, status),
    enqueuedAt,
    startedAt: waits ? null : optionalMoment(line.startedAt),
    finishedAt: waits ? null : (optionalMoment(line.finishedAt) ?? enqueuedAt),
    ...(line.network && { network: line.network as TaskNetwork }),
    ...(typeof line.customMetadata === "string" && { customMetadata: line.customMetadata }),
  };
}

/** @throws TypeError when the line is not a batch */
export function readBatch(line: BatchLine): BatchRecord {
  const startedAt = momentIn(line.startedAt, "startedAt");
  const stats = line.stats as unknown as BatchStats;
  const { totalNbTasks = 0, status = {}, types = {}, indexUids = {}, ...rest } = stats;
  return {
    uid: wholeNumber(line.uid, "uid"),
    startedAt,
    finishedAt: optionalMoment(line.finishedAt) ?? startedAt,
    newest: optionalMoment(line.enqueuedAt?.earliest) ?? startedAt,
    oldest: optionalMoment(line.enqueuedAt?.oldest) ?? startedAt,
    body: packBatchBody({
      details: withoutUnknown(objectOf(line.details ?? {})),
      stats: { totalNbTasks, status, types, indexUids, ...rest },
      strategy: strategyOf(line.stopReason),
    }),
    indexes: textsOr(line.touchedIndexes, Object.keys(indexUids)),
  };
}

/** Whether readTask leaves out every task of the batch. */
export function isUnbuiltBatch({ stats }: BatchLine): boolean {
  const types = Object.keys(stats.types ?? {});
  return types.length > 0 && types.every((type) => UNBUILT_TYPES.includes(type));
}

/** The error of a task, with our link; codes that are not ours are kept. */
export function readError({ message, code, type }: Partial<ErrorObject>): ErrorObject {
  const known = code !== undefined && isErrorCode(code) ? code : "unretrievable_error_code";
  const object = errorObjectOf(known, String(message ?? ""));
  const types: readonly string[] = ["invalid_request", "internal", "auth", "system"] satisfies ErrorType[];
  return type !== undefined && types.includes(type) ? { ...object, type } : object;
}

/** The only key of an object and its value; a text stands for a tag without fields. */
export function taggedOf(value: unknown): [tag: string, fields: Fields] {
  if (typeof value === "string") return [value, {}];
  const entries = Object.entries(objectOf(value));
  if (entries.length !== 1) throw new TypeError(`expected one tag, but found ${entries.length}`);
  const [[tag, fields]] = entries;
  return [tag, typeof fields === "object" && fields !== null ? (fields as Fields) : {}];
}

function kindOf(line: TaskLine, details: Fields, waits: boolean): TaskKind {
  const [tag, fields] = taggedOf(line.type);
  const read = Object.hasOwn(READERS, tag) ? READERS[tag] : null;
  if (!read) throw new TypeError(`unknown type ${JSON.stringify(tag)}`);
  const indexUid = () => {
    if (typeof line.indexUid !== "string") throw new TypeError(`a task of type \`${tag}\` names no index`);
    return namedIndex(line.indexUid, waits);
  };
  return read(fields, indexUid, details, waits);
}

/** An ended task may name anything; a waiting one would create an index of that name. */
function namedIndex(uid: string, waits: boolean): string {
  if (!waits || isIndexUid(uid)) return uid;
  throw new TypeError(`it waits, and ${JSON.stringify(uid)} is no name of an index`);
}

type Reader = (fields: Fields, indexUid: () => string, details: Fields, waits: boolean) => TaskKind;

const readSelection =
  (type: "taskCancelation" | "taskDeletion"): Reader =>
  (fields, _indexUid, details, waits) => {
    const uids = waits ? [...decodeRoaring(Uint8Array.from(fields.tasks as number[]))] : [];
    return {
      type,
      originalFilter: textOr(fields.query, "?"),
      tasks: packUids(uids),
      matched: numberOr(details.matched_tasks, uids.length),
    };
  };

/** Tag of a `type` -> the kind. */
const READERS: Record<string, Reader> = {
  documentImport: (fields, indexUid, details) => ({
    type: "documentAdditionOrUpdate",
    indexUid: indexUid(),
    method: fields.method === "UpdateDocuments" ? "update" : "replace",
    primaryKey: textOr(fields.primary_key, null),
    documentsCount: numberOr(fields.documents_count, numberOr(details.received_documents, 0)),
    payload: null,
    payloadBytes: 0,
    allowIndexCreation: fields.allow_index_creation !== false,
    skipCreation: fields.skip_creation === true,
  }),
  documentDeletion: (fields, indexUid, details, waits) => {
    const ids = Array.isArray(fields.documents_ids) ? fields.documents_ids.map(String) : [];
    const count = numberOr(details.provided_ids, ids.length);
    return { type: "documentDeletion", indexUid: indexUid(), by: "ids", ids: waits ? ids : [], count };
  },
  documentDeletionByFilter: ({ filter }, indexUid) => {
    return { type: "documentDeletion", indexUid: indexUid(), by: "filter", filter };
  },
  documentClear: (_fields, indexUid) => ({ type: "documentDeletion", indexUid: indexUid(), by: "all" }),
  documentEdition: (fields, indexUid) => ({
    type: "documentEdition",
    indexUid: indexUid(),
    filter: fields.filter ?? null,
    context: fields.context ? objectOf(fields.context) : null,
    function: String(fields.function ?? ""),
  }),
  settings: (fields, indexUid, details, waits) => {
    const patch = readSettings(fields.settings ?? {}, waits);
    const shown = waits ? patch : readSettings(details.settings ?? patch, false);
    return {
      type: "settingsUpdate",
      indexUid: indexUid(),
      patch: waits ? patch : {},
      shown: shownPatch(shown as SettingsPatch),
      isDeletion: fields.is_deletion === true,
      allowIndexCreation: fields.allow_index_creation !== false,
    };
  },
  indexCreation: (fields, indexUid) => {
    return { type: "indexCreation", indexUid: indexUid(), primaryKey: textOr(fields.primary_key, null) };
  },
  indexUpdate: (fields, indexUid, { old_index_uid: oldUid, new_index_uid: newUid }, waits) => ({
    type: "indexUpdate",
    indexUid: indexUid(),
    primaryKey: textOr(fields.primary_key, null),
    newIndexUid: typeof fields.uid === "string" ? namedIndex(fields.uid, waits) : null,
    ...(typeof oldUid === "string" && typeof newUid === "string" && { toldUids: [oldUid, newUid] }),
  }),
  indexDeletion: (_fields, indexUid) => ({ type: "indexDeletion", indexUid: indexUid() }),
  indexSwap: (fields, _indexUid, _details, waits) => {
    const swaps = (Array.isArray(fields.swaps) ? fields.swaps : []).map(objectOf);
    const pairs = swaps.map(({ indexes, rename }) => {
      const [a, b] = indexes as unknown[];
      const named = [a, b].map((uid) => namedIndex(String(uid), waits)) as [string, string];
      return { indexes: named, rename: rename === true };
    });
    const uids = pairs.flatMap(({ indexes }) => indexes);
    if (waits && new Set(uids).size < uids.length) throw new TypeError("a swap names an index twice");
    return { type: "indexSwap", swaps: pairs };
  },
  taskCancelation: readSelection("taskCancelation"),
  tasksDeletion: readSelection("taskDeletion"),
  taskDeletion: readSelection("taskDeletion"),
  dumpCreation: (fields, _indexUid, _details, waits) => ({
    type: "dumpCreation",
    keys: waits && Array.isArray(fields.keys) ? fields.keys : [],
    instanceUid: textOr(fields.instance_uid, null),
  }),
  snapshotCreation: () => ({ type: "snapshotCreation" }),
  export: (fields) => {
    const patterns = Object.entries(objectOf(fields.indexes ?? {})).map(([pattern, options]) => {
      const { filter = null, overrideSettings = false } = objectOf(options);
      return [pattern, { filter, overrideSettings: overrideSettings === true }];
    });
    return {
      type: "export",
      url: String(fields.url ?? ""),
      apiKey: textOr(fields.api_key, null),
      payloadSize: sizeText(fields.payload_size ?? null),
      indexes: Object.fromEntries(patterns),
    };
  },
  upgradeDatabase: (fields, _indexUid, details) => {
    const version = (numbers: unknown) => `v${(Array.isArray(numbers) ? numbers : [0, 0, 0]).join(".")}`;
    return { type: "upgradeDatabase", from: version(fields.from), to: version(details.to ?? fields.from) };
  },
  indexCompaction: (fields, indexUid) => {
    return { type: "indexCompaction", indexUid: textOr(fields.index_uid, null) ?? indexUid() };
  },
  networkTopologyChange: () => ({ type: "networkTopologyChange" }),
};

/** Fields of the details that the end of a task filled in. */
function countersOf({ type }: TaskKind, details: Fields, status: TaskStatus): Counters | null {
  const counters: Counters = {};
  for (const [field, name] of COUNTERS) {
    if (details[field] !== undefined && details[field] !== null) counters[name] = details[field];
  }
  if (type === "export" && status === "succeeded" && details.indexes) counters.indexes = details.indexes;
  return Object.keys(counters).length === 0 ? null : counters;
}

const COUNTERS = [
  ["indexed_documents", "indexedDocuments"],
  ["deleted_documents", "deletedDocuments"],
  ["edited_documents", "editedDocuments"],
  ["canceled_tasks", "canceledTasks"],
  ["deleted_tasks", "deletedTasks"],
  ["dump_uid", "dumpUid"],
  ["pre_compaction_size", "preCompactionSize"],
  ["post_compaction_size", "postCompactionSize"],
  ["moved_documents", "movedDocuments"],
  ["message", "message"],
] as const;

/** Other programs write a reason as one tag with fields. */
function strategyOf(reason: unknown): string {
  if (typeof reason === "string") return reason;
  if (typeof reason !== "object" || reason === null) return "unspecified";
  const [tag, fields] = taggedOf(reason);
  const words = tag.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return Object.keys(fields).length > 0 ? `${words}: ${JSON.stringify(fields)}` : words;
}

function momentIn(text: unknown, field: string): Moment {
  const moment = typeof text === "string" ? parseMoment(text) : null;
  if (moment === null) throw new TypeError(`\`${field}\` is no date: ${JSON.stringify(text)}`);
  return moment;
}

function optionalMoment(text: unknown): Moment | null {
  return typeof text === "string" ? parseMoment(text) : null;
}

function optionalNumber(value: unknown, field: string): number | null {
  return value === undefined || value === null ? null : wholeNumber(value, field);
}

function wholeNumber(value: unknown, field: string): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= NUMBER_MAX)
    return value as number;
  throw new TypeError(`\`${field}\` is no number of a task or batch: ${JSON.stringify(value)}`);
}

/** Other programs use other units. A text that is not a size is refused when the task runs. */
function sizeText(value: unknown): string | null {
  const bytes = value === null ? undefined : parseSize(String(value));
  return bytes === undefined ? textOr(value, null) : wholeSize(bytes);
}

function textsOr(value: unknown, fallback: string[]): string[] {
  return Array.isArray(value) ? value.map(String) : fallback;
}

function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === "string" ? value : fallback;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
