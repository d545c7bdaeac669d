// What a task asks for: one type per kind, as registered, kept in the journal and executed. Shared by what
// registers tasks (src/operations), batches them (autobatch.ts) and shows them (details.ts).
import type { Method } from "../engine/engine.ts";
import type { Shard } from "../engine/shard.ts";
import type { SettingsPatch } from "../schemas/settings.ts";
import type { UidRanges } from "./uidranges.ts";

/** What changes the content of indexes; servers that share documents repeat it for each other. */
const WRITE_TYPES = [
  "documentAdditionOrUpdate",
  "documentEdition",
  "documentDeletion",
  "settingsUpdate",
  "indexCreation",
  "indexDeletion",
  "indexUpdate",
  "indexSwap",
] as const;

/** All types, in the order in which lists of types are shown. */
export const TASK_TYPES = [
  ...WRITE_TYPES,
  "taskCancelation",
  "taskDeletion",
  "dumpCreation",
  "snapshotCreation",
  "export",
  "upgradeDatabase",
  "indexCompaction",
  "networkTopologyChange",
] as const;

export type TaskType = (typeof TASK_TYPES)[number];

/** The numbers that stand for these types in the columns of tasks. */
export function codesOf(types: readonly TaskType[]): ReadonlySet<number> {
  return new Set(types.map((type) => TASK_TYPES.indexOf(type)));
}

export const WRITE_CODES = codesOf(WRITE_TYPES);

/** What makes room where none is left, or stops what takes it. */
export const ROOM_MAKING_TYPES: ReadonlySet<TaskType> = new Set([
  "indexDeletion",
  "taskDeletion",
  "taskCancelation",
]);

/** Types of the peer that are not built here: filters may name them, and dumps may hold such tasks. */
export const UNBUILT_TYPES: readonly string[] = ["dsrUpdate", "dsrClear"];

export const TASK_STATUSES = ["enqueued", "processing", "succeeded", "failed", "canceled"] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface DocumentAddition {
  type: "documentAdditionOrUpdate";
  indexUid: string;
  /** `complete`: the documents move here from another server; what is here by then is newer. */
  method: Method;
  primaryKey: string | null;
  documentsCount: number;
  /** Name of the payload file (see payloads.ts); null for a small payload, or without documents. */
  payload: string | null;
  payloadBytes: number;
  /** Whether a missing index may be created: the key of the request has that right. */
  allowIndexCreation: boolean;
  skipCreation: boolean;
  /** Set while documents are spread over a network: this server keeps only its own share. */
  shard?: Shard;
}

export interface DocumentEdition {
  type: "documentEdition";
  indexUid: string;
  filter: unknown;
  context: Record<string, unknown> | null;
  function: string;
}

/** `count` outlives `ids`, which are dropped from memory and journal when the task ends. */
export type DocumentDeletion = { type: "documentDeletion"; indexUid: string } & (
  | { by: "ids"; ids: string[]; count: number }
  | { by: "filter"; filter: unknown }
  | { by: "all" }
);

export interface SettingsUpdate {
  type: "settingsUpdate";
  indexUid: string;
  patch: SettingsPatch;
  /** What `details` shows: only what was sent, normalised, with secrets masked. */
  shown: Record<string, unknown>;
  isDeletion: boolean;
  allowIndexCreation: boolean;
}

export interface IndexCreation {
  type: "indexCreation";
  indexUid: string;
  primaryKey: string | null;
}

export interface IndexUpdate {
  type: "indexUpdate";
  indexUid: string;
  primaryKey: string | null;
  newIndexUid: string | null;
  /** Both uids as the task was given them, for `details`; absent: they have not changed since. */
  toldUids?: [old: string, new: string];
}

export interface IndexDeletion {
  type: "indexDeletion";
  indexUid: string;
}

export interface Swap {
  indexes: [string, string];
  rename: boolean;
}

export interface IndexSwap {
  type: "indexSwap";
  swaps: Swap[];
}

/** The matched tasks are fixed when the request is accepted. */
export interface TaskSelection {
  type: "taskCancelation" | "taskDeletion";
  /** `?` and the query string of the request. */
  originalFilter: string;
  tasks: UidRanges;
  matched: number;
}

export interface DumpCreation {
  type: "dumpCreation";
  keys: unknown[];
  instanceUid: string | null;
}

export interface Export {
  type: "export";
  url: string;
  apiKey: string | null;
  payloadSize: string | null;
  indexes: Record<string, { filter: unknown; overrideSettings: boolean }>;
}

export interface UpgradeDatabase {
  type: "upgradeDatabase";
  from: string;
  to: string;
}

export interface NetworkTopologyChange {
  type: "networkTopologyChange";
  /** Names of all servers that keep documents from now on; absent in tasks that came with a dump. */
  members?: string[];
}

export type TaskKind =
  | DocumentAddition
  | DocumentEdition
  | DocumentDeletion
  | SettingsUpdate
  | IndexCreation
  | IndexUpdate
  | IndexDeletion
  | IndexSwap
  | TaskSelection
  | DumpCreation
  | Export
  | UpgradeDatabase
  | { type: "snapshotCreation" }
  | { type: "indexCompaction"; indexUid: string }
  | NetworkTopologyChange;

/** Index that the task shows; null for global kinds. */
export function indexUidOf(kind: TaskKind): string | null {
  return "indexUid" in kind ? kind.indexUid : null;
}

/** Every index that the task touches: none for global kinds except swaps, two for a rename. */
export function touchedIndexes(kind: TaskKind): string[] {
  if (kind.type === "indexSwap") return kind.swaps.flatMap((swap) => swap.indexes);
  if (kind.type === "indexUpdate" && kind.newIndexUid !== null) return [kind.indexUid, kind.newIndexUid];
  return "indexUid" in kind ? [kind.indexUid] : [];
}

/** The kind with every index that it mentions renamed (history of swaps). */
export function renameInKind(kind: TaskKind, rename: (uid: string) => string): TaskKind {
  if (kind.type === "indexSwap") {
    const swaps = kind.swaps.map(({ indexes: [left, right], rename: flag }) => {
      return { indexes: [rename(left), rename(right)] as [string, string], rename: flag };
    });
    return { ...kind, swaps };
  }
  if (kind.type === "indexUpdate" && kind.newIndexUid !== null) {
    const { indexUid, newIndexUid, toldUids = [indexUid, newIndexUid] } = kind;
    return { ...kind, indexUid: rename(indexUid), newIndexUid: rename(newIndexUid), toldUids };
  }
  return "indexUid" in kind ? { ...kind, indexUid: rename(kind.indexUid) } : kind;
}

/** What is kept of a kind when its task ends: what views need, without the bulk. */
export function withoutBulk(kind: TaskKind): TaskKind {
  if (kind.type === "documentAdditionOrUpdate") return { ...kind, payload: null };
  if (kind.type === "documentDeletion" && kind.by === "ids") return { ...kind, ids: [] };
  if (kind.type === "settingsUpdate") return { ...kind, patch: {} };
  if (kind.type === "taskCancelation" || kind.type === "taskDeletion") return { ...kind, tasks: [] };
  if (kind.type === "dumpCreation") return { ...kind, keys: [] };
  return kind;
}

/** A kind of which only type and index are known: the rest is long and was not read, or cannot be. */
export function outlineOf(type: TaskType, indexUid: string): TaskKind {
  switch (type) {
    case "documentAdditionOrUpdate": {
      const nothing = { primaryKey: null, documentsCount: 0, payload: null, payloadBytes: 0 };
      return {
        type,
        indexUid,
        method: "replace",
        ...nothing,
        allowIndexCreation: false,
        skipCreation: false,
      };
    }
    case "documentEdition":
      return { type, indexUid, filter: null, context: null, function: "" };
    case "documentDeletion":
      return { type, indexUid, by: "ids", ids: [], count: 0 };
    case "settingsUpdate":
      return { type, indexUid, patch: {}, shown: {}, isDeletion: false, allowIndexCreation: false };
    case "indexCreation":
      return { type, indexUid, primaryKey: null };
    case "indexUpdate":
      return { type, indexUid, primaryKey: null, newIndexUid: null };
    case "indexDeletion":
    case "indexCompaction":
      return { type, indexUid };
    case "indexSwap":
      return { type, swaps: [] };
    case "taskCancelation":
    case "taskDeletion":
      return { type, originalFilter: "", tasks: [], matched: 0 };
    case "dumpCreation":
      return { type, keys: [], instanceUid: null };
    case "export":
      return { type, url: "", apiKey: null, payloadSize: null, indexes: {} };
    case "upgradeDatabase":
      return { type, from: "", to: "" };
    case "snapshotCreation":
    case "networkTopologyChange":
      return { type };
  }
}
