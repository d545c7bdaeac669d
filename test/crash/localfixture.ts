// Engine and instance in this thread over any storage. The memory of the engine's three roles is made once
// and used by all fixtures, one open at a time: crash tests open thousands.
import type { EmbedderSetup } from "../../src/embedders/embedderoptions.ts";
import type { IndexHandle } from "../../src/engine/indexhandle.ts";
import { PoolEngine } from "../../src/engine/pool.ts";
import { LocalCaller, type RemoteMethods } from "../../src/engine/remote.ts";
import { searchMethods } from "../../src/engine/roles.ts";
import { mergeMethods, writeMethods } from "../../src/engine/writeroles.ts";
import { searchQueryOf } from "../../src/schemas/search.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { Instance, type InstanceOptions } from "../../src/tasks/instance.ts";
import type { Document, Write } from "./model.ts";

/** Providers of embedders that cannot be reached are given up at once: damaged settings may name some. */
const EMBEDDING: EmbedderSetup = {
  allowedNetworks: [],
  cacheEntries: 0,
  requestTimeoutMs: 1000,
  retryWaitMs: 1,
  failureModes: [],
  defaults: { openAiKey: null, ollamaUrl: null },
};
const MEMORY = {
  threads: 0,
  indexingBytes: 32 * 2 ** 20,
  searchBytes: 8 * 2 ** 20,
  embedding: EMBEDDING,
};

export interface LocalFixture {
  storage: Storage;
  engine: PoolEngine;
  instance: Instance;
}

let current: Storage;
let roles: RemoteMethods[] | null = null;

export async function openFixture(
  storage: Storage,
  options: Partial<InstanceOptions> = {},
): Promise<LocalFixture> {
  const engine = openEngine(storage);
  return { storage, engine, instance: await Instance.open({ storage, engine, ...options }) };
}

/** An engine alone. */
export function openEngine(storage: Storage): PoolEngine {
  current = storage;
  roles ??= [writeMethods(follower, MEMORY), mergeMethods(follower, MEMORY), searchMethods(follower, MEMORY)];
  const [writer, merger, searcher] = roles.map((methods) => new LocalCaller(() => methods));
  return new PoolEngine(writer, merger, [searcher]);
}

export async function closeFixture({ instance, engine }: LocalFixture): Promise<void> {
  await instance.close();
  await engine.close();
}

/** Whatever storage the fixture of the moment has. */
const follower = new Proxy({} as Storage, {
  get: (_, name) => {
    const member = Reflect.get(current, name) as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => member.apply(current, args);
  },
});

/** Registers a write as the routes do. */
export async function register({ instance }: LocalFixture, write: Write): Promise<number> {
  const { taskUid } = await instance.register(registrationOf(instance, write));
  return taskUid;
}

export function readAll({ instance, engine }: LocalFixture, uid: string): Promise<Document[]> {
  return documentsOf(engine, instance.handle(uid));
}

export function searchAll({ instance, engine }: LocalFixture, uid: string, q: string): Promise<Document[]> {
  return hitsOf(engine, instance.handle(uid), q);
}

export async function documentsOf(engine: PoolEngine, handle: IndexHandle): Promise<Document[]> {
  const all = { offset: 0, limit: 100_000, fields: null, retrieveVectors: false };
  const query = { ...all, ids: null, filter: null, sort: null };
  return results(await engine.documents(handle, query), "results");
}

export async function hitsOf(engine: PoolEngine, handle: IndexHandle, q: string): Promise<Document[]> {
  const query = searchQueryOf({ q, limit: 1000 }, "00000000-0000-7000-8000-000000000000", null);
  return results(await engine.search(handle, query), "hits");
}

function results(answer: Uint8Array, name: string): Document[] {
  return (JSON.parse(Buffer.from(answer).toString()) as Record<string, Document[]>)[name];
}

function registrationOf(instance: Instance, write: Write): Parameters<Instance["register"]>[0] {
  if (write.kind === "swap") return { type: "indexSwap", swaps: [{ indexes: write.pair, rename: false }] };
  if (!("index" in write)) throw new Error(`a ${write.kind} needs folders: it is asked for over HTTP`);
  const indexUid = write.index;
  switch (write.kind) {
    case "add":
      return addition(instance, indexUid, write.method, write.documents);
    case "addInvalid":
      return addition(instance, indexUid, "replace", [{ id: "not an id" }]);
    case "delete":
      return { type: "documentDeletion", indexUid, by: "ids", ids: write.ids.map(String) };
    case "clear":
      return { type: "documentDeletion", indexUid, by: "all" };
    case "settings": {
      const { patch } = write;
      return {
        type: "settingsUpdate",
        indexUid,
        patch,
        shown: patch,
        isDeletion: false,
        allowIndexCreation: true,
      };
    }
    case "create":
      return { type: "indexCreation", indexUid, primaryKey: write.primaryKey };
    case "drop":
      return { type: "indexDeletion", indexUid };
    case "edit":
      throw new Error("edits are asked for over HTTP");
  }
}

function addition(instance: Instance, indexUid: string, method: "replace" | "update", documents: object[]) {
  const payload = instance.draftPayload();
  const lines = documents.map((document) => `${JSON.stringify(document)}\n`).join("");
  payload.append(new TextEncoder().encode(lines));
  return {
    type: "documentAdditionOrUpdate" as const,
    indexUid,
    method,
    primaryKey: null,
    documentsCount: documents.length,
    payload,
    allowIndexCreation: true,
    skipCreation: false,
  };
}
