// Batches that the engine runs on one index: documents, deletions, clears and settings become its operations,
// and its results become the ends of the tasks.
import type { Operation, OperationResult, ProgressListener } from "../engine/engine.ts";
import type { TarsierError } from "../errors.ts";
import { isDamage } from "../storage/failure.ts";
import type { CatalogEntry } from "./catalog.ts";
import {
  type BatchContext,
  type BatchEffects,
  failed,
  indexNotFound,
  refuseDamaged,
  succeeded,
} from "./execution.ts";
import type { State } from "./state.ts";
import type { Counters, Task, TaskEnd } from "./task.ts";

/** Runs tasks of one index. All fail when the index is missing and the first task may not create it. */
export async function runIndexWork(
  tasks: Task[],
  indexUid: string,
  context: BatchContext,
): Promise<BatchEffects> {
  const [{ kind }] = tasks;
  const mayCreate = "allowIndexCreation" in kind && kind.allowIndexCreation;
  const known = context.state.catalog.get(indexUid);
  if (!known && !mayCreate) return { ends: tasks.map((task) => failed(task, indexNotFound(indexUid))) };
  if (known) refuseDamaged(indexUid, known.folder, context);
  const entry = known ?? (await context.createIndex(indexUid));
  const { operations, unread } = operationsOf(tasks, context.state);
  if (operations.length === 0) return { ends: endsOf(tasks, [], unread) };
  const report: ProgressListener = (steps, embedderRequests) => {
    context.progress.enter("processing tasks", steps);
    context.progress.embedderRequests = embedderRequests;
  };
  const { version } = entry.description;
  const batch = { folder: entry.folder, indexUid, version, operations };
  const { results, index, changed, embedderRequests } = await context.engine.run(
    batch,
    report,
    context.signal,
  );
  if (embedderRequests) context.progress.embedderRequests = embedderRequests;
  const ends = endsOf(tasks, results, unread);
  const before = entry.description;
  if (!changed && index.version === before.version) return { ends };
  const updatedAt = changed ? context.now() : entry.updatedAt;
  const after: CatalogEntry = { ...entry, description: index, updatedAt };
  return {
    ends,
    catalog: [{ uid: indexUid, entry: after }],
    indexed: { before, after: index },
  };
}

interface Operations {
  operations: Operation[];
  /** By task: why its documents cannot be read, being damaged on disk. */
  unread: Map<number, TarsierError>;
}

/** A clear makes the operations on documents around it pointless: of all these, only the first clear runs. */
function operationsOf(tasks: Task[], state: State): Operations {
  const clear = tasks.find(isClear);
  const settings = tasks.filter(({ kind }) => kind.type === "settingsUpdate");
  const unread: Operations["unread"] = new Map();
  const operations = (clear ? [clear, ...settings] : tasks).flatMap((task) => {
    try {
      return operationOf(task, state);
    } catch (error) {
      if (!isDamage(error)) throw error;
      unread.set(task.uid, error);
      return [];
    }
  });
  return { operations, unread };
}

function operationOf({ uid: taskUid, kind }: Task, { tasks }: State): Operation {
  if (kind.type === "documentAdditionOrUpdate") {
    const { method, primaryKey, skipCreation, shard } = kind;
    const inline = tasks.inlinePayload(taskUid);
    const source = inline ? { payload: inline } : { payload: kind.payload, payloadBytes: kind.payloadBytes };
    return { kind: "add", taskUid, ...source, method, primaryKey, skipCreation, ...(shard && { shard }) };
  }
  if (kind.type === "settingsUpdate") return { kind: "settings", taskUid, patch: kind.patch };
  if (kind.type === "documentEdition") {
    const { filter, context, function: source } = kind;
    return { kind: "edit", taskUid, filter, context, source };
  }
  if (kind.type !== "documentDeletion")
    throw new Error(`task ${taskUid} is no work on the documents of an index`);
  if (kind.by === "ids") return { kind: "deleteIds", taskUid, ids: kind.ids };
  return kind.by === "filter"
    ? { kind: "deleteFilter", taskUid, filter: kind.filter }
    : { kind: "clear", taskUid };
}

function endsOf(tasks: Task[], results: OperationResult[], unread: Operations["unread"]): TaskEnd[] {
  const byTask = new Map(results.map((result) => [result.taskUid, result]));
  const hasAddition = tasks.some(({ kind }) => kind.type === "documentAdditionOrUpdate");
  const clear = tasks.find(isClear);
  const cleared = clear && byTask.get(clear.uid)!.error;
  return tasks.map((task) => {
    const unreadable = unread.get(task.uid);
    if (unreadable) return failed(task, unreadable);
    const result = byTask.get(task.uid);
    // Made pointless by a clear: later clears find nothing, and the other tasks report no counts.
    if (!result)
      return cleared ? fails(task, cleared) : succeeded(task, isClear(task) ? { deletedDocuments: 0 } : null);
    return result.error ? fails(task, result.error) : succeeded(task, countersOf(task, result, hasAddition));
  });
}

function fails(task: Task, error: NonNullable<TaskEnd["error"]>): TaskEnd {
  return { uid: task.uid, status: "failed", canceledBy: null, error, counters: null };
}

function countersOf({ kind }: Task, result: OperationResult, hasAddition: boolean): Counters | null {
  if (kind.type === "documentAdditionOrUpdate") return { indexedDocuments: result.indexedDocuments ?? 0 };
  if (kind.type === "documentEdition")
    return { deletedDocuments: result.deletedDocuments ?? 0, editedDocuments: result.editedDocuments ?? 0 };
  if (kind.type !== "documentDeletion") return null;
  // Next to additions, a deletion by ids counts the ids that were asked for: documents may come and go inside
  // the batch.
  const asked = hasAddition && kind.by === "ids" ? result.distinctIds : undefined;
  return { deletedDocuments: asked ?? result.deletedDocuments ?? 0 };
}

export function isClear({ kind }: Task): boolean {
  return kind.type === "documentDeletion" && kind.by === "all";
}
