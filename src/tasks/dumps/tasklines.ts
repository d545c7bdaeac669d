// Tasks and batches as the lines of a dump (tasks/queue.jsonl, batches/queue.jsonl). Called by dump.ts;
// taskreading.ts reads them back. Names and forms are those of the dump format V6: kinds in camelCase with
// fields in snake_case, details with tags in PascalCase.
import type { ErrorObject } from "../../errors.ts";
import type { BatchBody, BatchRecord } from "../batch.ts";
import { detailsOf } from "../details.ts";
import { indexUidOf, type TaskKind, type TaskStatus } from "../kinds.ts";
import type { Task } from "../task.ts";
import { type Moment, momentText } from "../time.ts";
import { unpackUids } from "../uidranges.ts";
import { encodeRoaring } from "./roaring.ts";

/** Empty fields may be absent. */
export interface TaskLine {
  uid: number;
  batchUid?: number | null;
  indexUid?: string | null;
  status: TaskStatus;
  type: string | Record<string, unknown>;
  canceledBy?: number | null;
  details?: Record<string, unknown> | null;
  error?: ErrorObject | null;
  enqueuedAt: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  network?: Record<string, unknown> | null;
  customMetadata?: string | null;
}

export interface BatchLine {
  uid: number;
  details: Record<string, unknown>;
  stats: Record<string, unknown>;
  startedAt: string;
  finishedAt: string | null;
  /** `earliest` holds the newest date, as the format demands. */
  enqueuedAt: { earliest: string; oldest: string } | null;
  stopReason?: unknown;
  /** Names of the indexes that its tasks touched; absent in dumps of the peer, which ignores it. */
  touchedIndexes?: string[];
}

export function taskLine(task: Task): TaskLine {
  const { uid, kind, status, error, canceledBy, network, customMetadata } = task;
  const waits = isWaiting(status);
  return {
    uid,
    batchUid: waits ? null : task.batchUid,
    indexUid: indexUidOf(kind),
    status: waits ? "enqueued" : status,
    type: typeOf(kind),
    ...(canceledBy !== null && { canceledBy }),
    ...withDetails(task),
    ...(error !== null && { error }),
    enqueuedAt: momentText(task.enqueuedAt),
    ...(!waits && dated("startedAt", task.startedAt)),
    ...(!waits && dated("finishedAt", task.finishedAt)),
    ...(network !== undefined && { network: { ...network } }),
    ...(customMetadata !== undefined && { customMetadata }),
  };
}

/** Whether a task, or an update of an old dump, has not ended. */
export const isWaiting = (status: unknown): boolean => status === "enqueued" || status === "processing";

/**
 * Whether a task still has documents to move. They move between the servers of a network, and one that reads
 * a dump is in none until it is told so; it then registers a task of its own.
 */
export function isWaitingMove({ type, status }: Pick<TaskLine, "type" | "status">): boolean {
  return type === "networkTopologyChange" && isWaiting(status);
}

export function batchLine(record: BatchRecord, { details, stats, strategy }: BatchBody): BatchLine {
  const { uid, startedAt, finishedAt, newest, oldest, indexes } = record;
  return {
    uid,
    details,
    stats: { ...stats },
    startedAt: momentText(startedAt),
    finishedAt: momentText(finishedAt),
    enqueuedAt: { earliest: momentText(newest), oldest: momentText(oldest) },
    stopReason: strategy,
    ...(indexes && { touchedIndexes: indexes }),
  };
}

/** "v1.2.3" -> [1, 2, 3]. */
function versionNumbers(version: string): number[] {
  return version.replace(/^v/, "").split(".").map(Number);
}

function dated(name: string, moment: Moment | null): Record<string, string> {
  return moment === null ? {} : { [name]: momentText(moment) };
}

function typeOf(kind: TaskKind): TaskLine["type"] {
  switch (kind.type) {
    case "documentAdditionOrUpdate":
      return {
        documentImport: {
          primary_key: kind.primaryKey,
          method: kind.method === "replace" ? "ReplaceDocuments" : "UpdateDocuments",
          documents_count: kind.documentsCount,
          allow_index_creation: kind.allowIndexCreation,
          ...(kind.skipCreation && { skip_creation: true }),
        },
      };
    case "documentEdition":
      return { documentEdition: { filter: kind.filter, context: kind.context, function: kind.function } };
    case "documentDeletion":
      if (kind.by === "all") return "documentClear";
      if (kind.by === "ids") return { documentDeletion: { documents_ids: kind.ids } };
      return { documentDeletionByFilter: { filter: kind.filter } };
    case "settingsUpdate": {
      const settings = Object.keys(kind.patch).length > 0 ? kind.patch : kind.shown;
      const { isDeletion: is_deletion, allowIndexCreation: allow_index_creation } = kind;
      return { settings: { settings, is_deletion, allow_index_creation } };
    }
    case "indexCreation":
      return { indexCreation: { primary_key: kind.primaryKey } };
    case "indexUpdate":
      return { indexUpdate: { primary_key: kind.primaryKey, uid: kind.newIndexUid } };
    case "indexSwap":
      return { indexSwap: { swaps: kind.swaps } };
    case "taskCancelation":
    case "taskDeletion": {
      const tasks = [...encodeRoaring(unpackUids(kind.tasks))];
      const tag = kind.type === "taskDeletion" ? "tasksDeletion" : kind.type;
      return { [tag]: { query: kind.originalFilter, tasks } };
    }
    case "dumpCreation":
      return { dumpCreation: { keys: kind.keys, instance_uid: kind.instanceUid } };
    case "export": {
      const { url, apiKey: api_key, payloadSize: payload_size, indexes } = kind;
      return { export: { url, api_key, payload_size, indexes } };
    }
    case "upgradeDatabase":
      return { upgradeDatabase: { from: versionNumbers(kind.from) } };
    case "indexCompaction":
      return { indexCompaction: { index_uid: kind.indexUid } };
    case "indexDeletion":
    case "snapshotCreation":
    case "networkTopologyChange":
      return kind.type;
  }
}

/** The details that clients see, under the tag of the kind. */
function withDetails(task: Task): { details?: Record<string, unknown> } {
  const { kind } = task;
  const details = detailsOf(task);
  const tag = kind.type === "documentDeletion" ? DELETION_TAGS[kind.by] : DETAIL_TAGS[kind.type];
  if (details === null || tag === undefined) return {};
  if (kind.type === "settingsUpdate") return { details: { [tag]: { settings: details } } };
  const fields = Object.entries(details).map(([name, value]) => [snakeCase(name), value]);
  const named: Record<string, unknown> = Object.fromEntries(fields);
  if (kind.type === "indexCompaction") named.index_uid = kind.indexUid;
  if (kind.type === "upgradeDatabase") {
    return { details: { [tag]: { from: versionNumbers(kind.from), to: versionNumbers(kind.to) } } };
  }
  return { details: { [tag]: named } };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const DELETION_TAGS = { all: "ClearAll", ids: "DocumentDeletion", filter: "DocumentDeletionByFilter" };

const DETAIL_TAGS: Partial<Record<TaskKind["type"], string>> = {
  documentAdditionOrUpdate: "DocumentAdditionOrUpdate",
  documentEdition: "DocumentEdition",
  settingsUpdate: "SettingsUpdate",
  indexCreation: "IndexInfo",
  indexUpdate: "IndexInfo",
  indexDeletion: "ClearAll",
  indexSwap: "IndexSwap",
  taskCancelation: "TaskCancelation",
  taskDeletion: "TaskDeletion",
  dumpCreation: "Dump",
  export: "Export",
  upgradeDatabase: "UpgradeDatabase",
  indexCompaction: "IndexCompaction",
  networkTopologyChange: "NetworkTopologyChange",
};
