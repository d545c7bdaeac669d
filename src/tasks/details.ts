// The `details` of tasks and batches: what each kind shows, before and after its end.
import { maskSecret } from "../engine/secrets.ts";
import type { TaskKind } from "./kinds.ts";
import type { Counters, Task } from "./task.ts";

type Details = Record<string, unknown>;
type DetailedTask = Pick<Task, "kind" | "status" | "counters">;

/** Details of one task. Null for kinds that have none. */
export function detailsOf({ kind, status, counters }: DetailedTask): Details | null {
  const details = registeredDetails(kind);
  if (details === null) return null;
  if (status === "failed" || status === "canceled") zeroCounters(details, ZEROED[kind.type] ?? []);
  return Object.assign(details, counters);
}

/** Counters of a task whose index is deleted in the same batch: it succeeds without doing anything. */
export function zeroedCounters(kind: TaskKind): Counters | null {
  const counters: Counters = {};
  for (const name of ZEROED[kind.type] ?? []) counters[name] = 0;
  return Object.keys(counters).length === 0 ? null : counters;
}

/**
 * Details of an ended batch: numbers are summed, filters joined, lists appended; of anything else the first
 * value counts, and what stayed null is left out. Of settings the last value counts, of embedders the last
 * per name; null is a reset there.
 */
export function mergeDetails(tasks: Iterable<DetailedTask>): Details {
  return merge(tasks, false);
}

/** The same for a running batch, which also shows what is not known yet. */
export function mergeRunningDetails(tasks: Iterable<DetailedTask>): Details {
  return merge(tasks, true);
}

/** Details of an ended batch that a dump brought, without those that clients are not shown. */
export function withoutUnknown(details: Details): Details {
  return Object.fromEntries(
    Object.entries(details).filter(([name, value]) => value !== null || !NULLABLE.has(name)),
  );
}

function merge(tasks: Iterable<DetailedTask>, keepsNull: boolean): Details {
  const merged: Details = {};
  for (const task of tasks) {
    const settings = task.kind.type === "settingsUpdate";
    for (const [name, value] of Object.entries(detailsOf(task) ?? {})) {
      if (settings) merged[name] = name === "embedders" ? bothOf(merged[name], value) : value;
      else if (value !== null) merged[name] = combine(name, merged[name] ?? null, value);
      else if (keepsNull) merged[name] ??= null;
    }
  }
  return merged;
}

function registeredDetails(kind: TaskKind): Details | null {
  switch (kind.type) {
    case "documentAdditionOrUpdate":
      return { receivedDocuments: kind.documentsCount, indexedDocuments: null };
    case "documentEdition":
      return {
        deletedDocuments: null,
        editedDocuments: null,
        originalFilter: filterText(kind.filter),
        context: kind.context,
        function: kind.function,
      };
    case "documentDeletion":
      if (kind.by === "all") return { deletedDocuments: null };
      return {
        providedIds: kind.by === "ids" ? kind.count : 0,
        deletedDocuments: null,
        originalFilter: kind.by === "ids" ? null : filterText(kind.filter),
      };
    case "settingsUpdate":
      return { ...kind.shown };
    case "indexCreation":
      return { primaryKey: kind.primaryKey };
    case "indexUpdate": {
      const { primaryKey, indexUid, newIndexUid } = kind;
      if (newIndexUid === null) return { primaryKey };
      const [oldUid, newUid] = kind.toldUids ?? [indexUid, newIndexUid];
      return { primaryKey, oldIndexUid: oldUid, newIndexUid: newUid };
    }
    case "indexDeletion":
      return { deletedDocuments: null };
    case "indexSwap":
      return { swaps: kind.swaps };
    case "taskCancelation":
      return { matchedTasks: kind.matched, canceledTasks: null, originalFilter: kind.originalFilter };
    case "taskDeletion":
      return { matchedTasks: kind.matched, deletedTasks: null, originalFilter: kind.originalFilter };
    case "dumpCreation":
      return { dumpUid: null };
    case "export":
      return exportDetails(kind);
    case "upgradeDatabase":
      return { upgradeFrom: kind.from, upgradeTo: kind.to };
    case "indexCompaction":
    case "networkTopologyChange":
      return {};
    case "snapshotCreation":
      return null;
  }
}

function exportDetails({
  url,
  apiKey,
  payloadSize,
  indexes,
}: Extract<TaskKind, { type: "export" }>): Details {
  return {
    url,
    ...(apiKey === null ? {} : { apiKey: maskSecret(apiKey) }),
    ...(payloadSize === null ? {} : { payloadSize }),
    indexes,
  };
}

function filterText(filter: unknown): string | null {
  return filter === null || filter === undefined ? null : JSON.stringify(filter);
}

function zeroCounters(details: Details, names: readonly string[]): void {
  for (const name of names) details[name] = 0;
}

function combine(name: string, before: unknown, value: unknown): unknown {
  if (before === null) return value;
  if (typeof before === "number" && typeof value === "number") return before + value;
  if (name === "originalFilter") return `${before}&${value}`;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return before;
}

/** Joins two changes of embedders; a reset discards the changes before it. */
function bothOf(before: unknown, value: unknown): unknown {
  return value === null ? null : { ...(before as object | null | undefined), ...(value as object) };
}

/** Counters that a failed or canceled task shows as 0. */
const ZEROED: Partial<Record<TaskKind["type"], readonly string[]>> = {
  documentAdditionOrUpdate: ["indexedDocuments"],
  documentEdition: ["editedDocuments"],
  documentDeletion: ["deletedDocuments"],
  indexDeletion: ["deletedDocuments"],
  taskCancelation: ["canceledTasks"],
  taskDeletion: ["deletedTasks"],
};
/** Details that may be null, besides settings. */
const NULLABLE: ReadonlySet<string> = new Set([
  ...Object.values(ZEROED).flat(),
  "primaryKey",
  "originalFilter",
  "context",
  "dumpUid",
]);
