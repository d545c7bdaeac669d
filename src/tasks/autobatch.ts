// Which waiting tasks of one index run together. `autobatch` takes tasks in order until one may not join;
// that one and all later ones wait for another batch, so tasks of an index are never reordered.
import type { DocumentAddition, TaskKind } from "./kinds.ts";
import { strategies } from "./strategy.ts";
import type { Task } from "./task.ts";

/** What a batch on one index does as a whole. */
export type IndexWork =
  | "documents"
  | "deletion"
  | "deletionByFilter"
  | "clear"
  | "settings"
  | "clearAndSettings"
  | "indexDeletion"
  | "single";

/** The index before the batch. */
export interface IndexBefore {
  uid: string;
  exists: boolean;
  primaryKey: string | null;
}

export interface BatchLimits {
  tasksMax: number;
  payloadBytesMax: number;
  memoryBytesMax: number;
}

export interface Candidate {
  task: Task;
  /** Roughly what it takes in memory while it runs, beyond what every task takes. */
  memoryBytes: number;
}

interface Autobatch {
  work: IndexWork;
  tasks: Task[];
  /** Text for `batchStrategy`; null when every candidate was taken. */
  stop: string | null;
}

/**
 * `candidates`: the waiting tasks that touch the index, by ascending uid; at least one. They are read only as
 * far as needed.
 */
export function autobatch(
  candidates: Iterable<Candidate>,
  index: IndexBefore,
  limits: BatchLimits,
): Autobatch {
  const batch = new GrowingBatch(index);
  const stopped = (stop: string | null): Autobatch => ({ work: batch.work, tasks: batch.tasks, stop });
  let payloadBytes = 0;
  let memoryBytes = 0;
  for (const { task, memoryBytes: more } of candidates) {
    const { length } = batch.tasks;
    const bytes = payloadBytesOf(task.kind);
    if (length >= limits.tasksMax) return stopped(strategies.taskLimit(limits.tasksMax));
    if (length > 0 && payloadBytes + bytes > limits.payloadBytesMax) {
      return stopped(strategies.sizeLimit(limits.payloadBytesMax, payloadBytes));
    }
    if (length > 0 && memoryBytes + more > limits.memoryBytesMax) {
      return stopped(strategies.memoryLimit(limits.memoryBytesMax, memoryBytes));
    }
    payloadBytes += bytes;
    memoryBytes += more;
    const stop = batch.add(task) ?? batch.ended;
    if (stop !== null) return stopped(stop);
  }
  return stopped(null);
}

type Column = "addition" | "deleteIds" | "deleteFilter" | "clear" | "settings" | "indexDeletion" | "single";
type Stop = (uid: number) => string;

const { settingsThenDocuments, filterAfterDocuments, documentsThenSettings } = strategies;

/**
 * Row: the work of the batch so far. Column: the next task. Cell: the work of the batch with it, or why it
 * may not join.
 */
const JOINS: Record<Exclude<IndexWork, "indexDeletion" | "single">, Record<Column, IndexWork | Stop>> = {
  documents: {
    addition: "documents",
    deleteIds: "documents",
    deleteFilter: filterAfterDocuments,
    clear: "clear",
    settings: documentsThenSettings,
    indexDeletion: "indexDeletion",
    single: "single",
  },
  deletion: {
    addition: "documents",
    deleteIds: "deletion",
    deleteFilter: "deletionByFilter",
    clear: "clear",
    settings: documentsThenSettings,
    indexDeletion: "indexDeletion",
    single: "single",
  },
  deletionByFilter: {
    addition: "documents",
    deleteIds: "deletionByFilter",
    deleteFilter: "deletionByFilter",
    clear: "clear",
    settings: documentsThenSettings,
    indexDeletion: "indexDeletion",
    single: "single",
  },
  clear: {
    addition: settingsThenDocuments,
    deleteIds: "clear",
    deleteFilter: "clear",
    clear: "clear",
    settings: settingsThenDocuments,
    indexDeletion: "indexDeletion",
    single: "single",
  },
  settings: {
    addition: settingsThenDocuments,
    deleteIds: settingsThenDocuments,
    deleteFilter: settingsThenDocuments,
    clear: "clearAndSettings",
    settings: "settings",
    indexDeletion: "indexDeletion",
    single: "single",
  },
  clearAndSettings: {
    addition: settingsThenDocuments,
    deleteIds: "clearAndSettings",
    deleteFilter: "clearAndSettings",
    clear: "clearAndSettings",
    settings: "clearAndSettings",
    indexDeletion: "indexDeletion",
    single: "single",
  },
};

/** What the first task makes of the batch. */
const STARTS: Record<Column, IndexWork> = {
  addition: "documents",
  deleteIds: "deletion",
  deleteFilter: "deletionByFilter",
  clear: "clear",
  settings: "settings",
  indexDeletion: "indexDeletion",
  single: "single",
};

class GrowingBatch {
  work: IndexWork = "single";
  readonly tasks: Task[] = [];
  /** Why nothing may follow the last task; null until then. */
  ended: string | null = null;
  readonly #index: IndexBefore;
  #exists: boolean;
  #primaryKey: string | null;
  #hasAddition = false;

  constructor(index: IndexBefore) {
    this.#index = index;
    this.#exists = index.exists;
    this.#primaryKey = index.primaryKey;
  }

  /** Takes the task and returns null, or returns why it may not join. */
  add(task: Task): string | null {
    return this.tasks.length === 0 ? this.#start(task) : this.#join(task);
  }

  #start(task: Task): null {
    const { kind, uid } = task;
    this.#take(task, STARTS[columnOf(kind)]);
    if (mayCreate(kind)) this.#exists = true;
    if (this.work === "single") this.ended = strategies.single(kind.type, uid);
    const conflict = kind.type === "documentAdditionOrUpdate" && this.#conflictWithIndex(kind);
    if (conflict) this.ended = strategies.keyDiffersAlone(uid, conflict, this.#index.primaryKey!);
    return null;
  }

  #join(task: Task): string | null {
    const { kind, uid } = task;
    const cell = JOINS[this.work as keyof typeof JOINS][columnOf(kind)];
    if (cell === "single") return strategies.singleNext(kind.type, uid);
    if (!this.#exists && mayCreate(kind)) return strategies.creationRights(uid);
    const refused = kind.type === "documentAdditionOrUpdate" ? this.#refusedKey(kind, uid) : null;
    if (refused !== null) return refused;
    if (typeof cell === "function") return cell(uid);
    this.#take(task, cell);
    return null;
  }

  #take(task: Task, work: IndexWork): void {
    const { kind } = task;
    this.work = work;
    this.tasks.push(task);
    if (work === "indexDeletion") this.ended = strategies.indexDeletion(task.uid);
    if (kind.type !== "documentAdditionOrUpdate") return;
    this.#primaryKey ??= kind.primaryKey;
    this.#hasAddition = true;
  }

  #refusedKey(kind: DocumentAddition, uid: number): string | null {
    const key = kind.primaryKey;
    if (key === null) return null;
    const ofIndex = this.#conflictWithIndex(kind);
    if (ofIndex) return strategies.keyDiffersFromIndex(uid, key, this.#index.primaryKey!);
    if (this.#primaryKey === null) return this.#hasAddition ? strategies.keyWhileGuessing(uid, key) : null;
    // A replacing addition with a different key later in the batch is not refused: its key is ignored.
    if (kind.method === "replace" || key === this.#primaryKey) return null;
    return strategies.keyDiffersFromBatch(uid, key, this.#primaryKey);
  }

  /** The key of an updating addition if it is not that of the index, which will refuse it; else null. */
  #conflictWithIndex({ method, primaryKey }: DocumentAddition): string | null {
    const ofIndex = this.#index.primaryKey;
    if (method === "replace" || ofIndex === null || primaryKey === ofIndex) return null;
    return primaryKey;
  }
}

function columnOf(kind: TaskKind): Column {
  switch (kind.type) {
    case "documentAdditionOrUpdate":
      return "addition";
    case "documentDeletion":
      return kind.by === "ids" ? "deleteIds" : kind.by === "filter" ? "deleteFilter" : "clear";
    case "settingsUpdate":
      return "settings";
    case "indexDeletion":
      return "indexDeletion";
    default:
      return "single";
  }
}

function mayCreate(kind: TaskKind): boolean {
  return "allowIndexCreation" in kind && kind.allowIndexCreation;
}

function payloadBytesOf(kind: TaskKind): number {
  if (kind.type === "documentAdditionOrUpdate") return kind.payloadBytes;
  if (kind.type !== "documentDeletion" || kind.by !== "ids") return 0;
  return kind.ids.reduce((sum, id) => sum + ID_BYTES + id.length, 0);
}

/** Roughly what an id takes in memory besides its characters. */
const ID_BYTES = 32;
