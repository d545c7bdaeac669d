// Batches that change which indexes exist: creation, update (primary key and rename), deletion and swap. The
// change of the catalog and the end of the task are one journal record, so no state in between can be seen.
import { TarsierError } from "../errors.ts";
import type { CatalogChange, CatalogEntry } from "./catalog.ts";
import { zeroedCounters } from "./details.ts";
import {
  type BatchContext,
  type BatchEffects,
  failed,
  indexNotFound,
  refuseDamaged,
  succeeded,
} from "./execution.ts";
import { isClear } from "./indexwork.ts";
import type { IndexCreation, IndexSwap, IndexUpdate } from "./kinds.ts";
import type { Task } from "./task.ts";

export async function runIndexCreation([task]: Task[], context: BatchContext): Promise<BatchEffects> {
  const { indexUid, primaryKey } = task.kind as IndexCreation;
  if (context.state.catalog.has(indexUid)) return { ends: [failed(task, indexExists(indexUid))] };
  const folder = await context.reserveFolder();
  const createdAt = context.now();
  let description = await context.engine.describe(folder);
  if (primaryKey !== null) {
    const operations = [{ kind: "primaryKey" as const, taskUid: task.uid, primaryKey }];
    const { results, index } = await context.engine.run(
      { folder, indexUid, operations },
      undefined,
      context.signal,
    );
    if (results[0].error)
      return { ends: [{ ...succeeded(task), status: "failed", error: results[0].error }] };
    description = index;
  }
  const updatedAt = primaryKey === null ? createdAt : context.now();
  const entry: CatalogEntry = { folder, createdAt, updatedAt, description };
  return { ends: [succeeded(task)], catalog: [{ uid: indexUid, entry }] };
}

export async function runIndexUpdate([task]: Task[], context: BatchContext): Promise<BatchEffects> {
  const { indexUid, primaryKey, newIndexUid } = task.kind as IndexUpdate;
  const { catalog } = context.state;
  let entry = catalog.get(indexUid);
  if (!entry) return { ends: [failed(task, indexNotFound(indexUid))] };
  const renames = newIndexUid !== null && newIndexUid !== indexUid;
  if (renames && catalog.has(newIndexUid)) return { ends: [failed(task, indexExists(newIndexUid))] };
  if (primaryKey !== null) {
    refuseDamaged(indexUid, entry.folder, context);
    const operations = [{ kind: "primaryKey" as const, taskUid: task.uid, primaryKey }];
    const { version } = entry.description;
    const batch = { folder: entry.folder, indexUid, version, operations };
    const { results, index } = await context.engine.run(batch, undefined, context.signal);
    if (results[0].error)
      return { ends: [{ ...succeeded(task), status: "failed", error: results[0].error }] };
    entry = { ...entry, description: index };
  }
  if (primaryKey !== null || renames) entry = { ...entry, updatedAt: context.now() };
  const ends = [succeeded(task)];
  if (!renames) return { ends, catalog: [{ uid: indexUid, entry }] };
  const changes: CatalogChange[] = [
    { uid: indexUid, entry: null },
    { uid: newIndexUid, entry },
  ];
  return { ends, catalog: changes, renames: [[indexUid, newIndexUid]], renamesBelow: task.uid };
}

/** The last task deletes the index; the work of the tasks before it is skipped. */
export async function runIndexDeletion(tasks: Task[], context: BatchContext): Promise<BatchEffects> {
  const deletion = tasks[tasks.length - 1];
  const { indexUid } = deletion.kind as { indexUid: string };
  const entry = context.state.catalog.get(indexUid);
  const [{ kind }] = tasks;
  const mayCreate = "allowIndexCreation" in kind && kind.allowIndexCreation;
  if (!entry && !mayCreate) return { ends: tasks.map((task) => failed(task, indexNotFound(indexUid))) };
  const deletedDocuments = entry?.description.numberOfDocuments ?? 0;
  const ends = tasks.map((task) => {
    if (task === deletion) return succeeded(task, { deletedDocuments });
    // The counter of a clear stays null, as in the reference engine.
    return succeeded(task, isClear(task) ? null : zeroedCounters(task.kind));
  });
  return entry ? { ends, catalog: [{ uid: indexUid, entry: null }], drops: [entry.folder] } : { ends };
}

export async function runIndexSwap([task]: Task[], context: BatchContext): Promise<BatchEffects> {
  const { swaps } = task.kind as IndexSwap;
  const { catalog } = context.state;
  const missing: string[] = [];
  for (const { indexes, rename } of swaps) {
    for (const uid of rename ? indexes.slice(0, 1) : indexes) if (!catalog.has(uid)) missing.push(uid);
  }
  if (missing.length > 0) return { ends: [failed(task, indexNotFound(missing.join("`, `")))] };
  const taken = swaps.find(({ indexes, rename }) => rename && catalog.has(indexes[1]));
  if (taken) return { ends: [failed(task, indexExists(taken.indexes[1]))] };
  // An index occurs once at most in all swaps, so their order does not matter.
  const changes = swaps.flatMap(({ indexes: [a, b] }): CatalogChange[] => [
    { uid: a, entry: catalog.get(b) ?? null },
    { uid: b, entry: catalog.get(a) ?? null },
  ]);
  const renames = swaps.map(({ indexes }) => indexes);
  return { ends: [succeeded(task)], catalog: changes, renames, renamesBelow: task.uid };
}

function indexExists(indexUid: string): TarsierError {
  return new TarsierError("index_already_exists", { indexUid });
}
