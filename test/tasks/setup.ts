// How the tests of src/tasks open an instance and write to it.
import type { Shard } from "../../src/engine/shard.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { Paging, TaskFilter } from "../../src/tasks/filter.ts";
import { Instance, type InstanceOptions } from "../../src/tasks/instance.ts";
import type { Registration } from "../../src/tasks/registration.ts";
import type { SummarizedTask, TaskView } from "../../src/tasks/views.ts";
import { FakeEngine } from "./fakeengine.ts";

export interface Fixture<Kept extends Storage = MemoryStorage> {
  storage: Kept;
  engine: FakeEngine;
  instance: Instance;
}

export async function openFixture(options: Partial<InstanceOptions> = {}): Promise<Fixture> {
  return openOver(new MemoryStorage(), options);
}

/** An instance over a storage of the test's own. */
export async function openOver<Kept extends Storage>(
  storage: Kept,
  options: Partial<InstanceOptions> = {},
): Promise<Fixture<Kept>> {
  const engine = new FakeEngine(storage);
  return { storage, engine, instance: await Instance.open({ storage, engine, ...options }) };
}

/** Closes the instance and opens it again on the same storage. */
export async function reopen<Kept extends Storage>(
  { storage, engine, instance }: Fixture<Kept>,
  options: Partial<InstanceOptions> = {},
): Promise<Fixture<Kept>> {
  await instance.close();
  return { storage, engine, instance: await Instance.open({ storage, engine, ...options }) };
}

/** Registers writes while nothing is processed, then opens the instance that runs them. */
export async function runQueued(
  write: (instance: Instance) => Promise<unknown>,
  options: Partial<InstanceOptions> = {},
) {
  const fixture = await openFixture({ batchTasksMax: 0 });
  await write(fixture.instance);
  const opened = await reopen(fixture, options);
  await opened.instance.idle();
  return opened;
}

export const PAGE: Paging = { limit: 20, from: null, reverse: false };
export const ALL: Paging = { limit: 1000, from: null, reverse: true };

export interface AdditionOptions {
  method?: "replace" | "update";
  primaryKey?: string;
  mayCreate?: boolean;
  shard?: Shard;
}

export function add(
  instance: Instance,
  indexUid: string,
  documents: Record<string, unknown>[],
  { method = "replace", primaryKey, mayCreate = true, shard }: AdditionOptions = {},
): Promise<SummarizedTask> {
  const payload = documents.length === 0 ? null : instance.draftPayload();
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  payload?.append(new TextEncoder().encode(lines));
  return instance.register({
    type: "documentAdditionOrUpdate",
    indexUid,
    method,
    primaryKey: primaryKey ?? null,
    documentsCount: documents.length,
    payload,
    allowIndexCreation: mayCreate,
    skipCreation: false,
    ...(shard && { shard }),
  });
}

export const create = (indexUid: string, primaryKey: string | null = null): Registration => {
  return { type: "indexCreation", indexUid, primaryKey };
};

export const rename = (indexUid: string, newIndexUid: string): Registration => {
  return { type: "indexUpdate", indexUid, primaryKey: null, newIndexUid };
};

export const remove = (indexUid: string): Registration => ({ type: "indexDeletion", indexUid });

export const clear = (indexUid: string): Registration => ({ type: "documentDeletion", indexUid, by: "all" });

export const deleteIds = (indexUid: string, ...ids: string[]): Registration => {
  return { type: "documentDeletion", indexUid, by: "ids", ids };
};

export const deleteFilter = (indexUid: string, filter: unknown): Registration => {
  return { type: "documentDeletion", indexUid, by: "filter", filter };
};

export const settings = (
  indexUid: string,
  patch: Record<string, unknown> = { stopWords: ["a"] },
): Registration => {
  return {
    type: "settingsUpdate",
    indexUid,
    patch,
    shown: patch,
    isDeletion: false,
    allowIndexCreation: true,
  };
};

export const swap = (...pairs: [string, string][]): Registration => {
  return { type: "indexSwap", swaps: pairs.map((indexes) => ({ indexes, rename: false })) };
};

/** Uids of the tasks that match, ascending. */
export function uids(instance: Instance, filter: TaskFilter = {}): number[] {
  return instance.tasks(filter, ALL, null).results.map(({ uid }) => uid);
}

/** "uid status" of all tasks, ascending. */
export function statuses(instance: Instance): string[] {
  return instance.tasks({}, ALL, null).results.map(({ uid, status }) => `${uid} ${status}`);
}

/** Uids of the tasks of each batch, oldest batch first. */
export function batched(instance: Instance): number[][] {
  return instance.batches({}, ALL, null).results.map(({ uid }) => uids(instance, { batchUids: [uid] }));
}

/** What of a task does not depend on the time of day. */
export function timeless(task: TaskView) {
  const { duration, enqueuedAt, startedAt, finishedAt, ...rest } = task;
  return rest;
}

/** Lets everything that is ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
