// An engine for the tests of src/tasks: documents in maps, everything synchronous, and a door that can be
// closed to keep a batch running. Like the real one it recognises operations that it already committed.
import type {
  Batch,
  BatchResult,
  Compaction,
  Engine,
  IndexDescription,
  Operation,
  OperationResult,
  ProgressListener,
} from "../../src/engine/engine.ts";
import { type ErrorCode, TarsierError } from "../../src/errors.ts";
import { BytesFile } from "../../src/storage/bytesfile.ts";
import type { Storage } from "../../src/storage/storage.ts";

interface FakeIndex {
  documents: Map<string, Record<string, unknown>>;
  settings: Record<string, unknown>;
  primaryKey: string | null;
  version: number;
  results: Map<number, OperationResult>;
}

/** A committed batch: the state of its folder afterwards. */
export interface FakeCommit {
  folder: string;
  taskUids: number[];
  index: FakeIndex;
}

export class FakeEngine implements Engine {
  readonly indexes = new Map<string, FakeIndex>();
  readonly commits: FakeCommit[] = [];
  readonly dropped: string[] = [];
  /** Operations of every batch that was asked for, as "add 3", "clear 4". */
  readonly asked: string[][] = [];
  /** Thrown instead of running the next batch. */
  failNext: Error | null = null;
  readonly #storage: Storage;
  #door: Promise<void> = Promise.resolve();
  #open: () => void = () => {};

  constructor(storage: Storage, commits: FakeCommit[] = []) {
    this.#storage = storage;
    for (const commit of commits) this.#commit(commit);
  }

  /** Batches wait until `release`. */
  hold(): void {
    this.#door = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
  }

  damageOf(): string | null {
    return null;
  }

  async describe(folder: string): Promise<IndexDescription> {
    return descriptionOf(this.indexes.get(folder) ?? emptyIndex());
  }

  async run(batch: Batch, progress?: ProgressListener, signal?: AbortSignal): Promise<BatchResult> {
    this.asked.push(batch.operations.map(({ kind, taskUid }) => `${kind} ${taskUid}`));
    progress?.([{ currentStep: "indexing", finished: 1, total: 4 }], {
      total: 0,
      failed: 0,
      lastError: null,
    });
    await Promise.race([this.#door, aborted(signal)]);
    if (signal?.aborted) throw new TarsierError("aborted");
    const failure = this.failNext;
    this.failNext = null;
    if (failure) throw failure;
    const index = copyOf(this.indexes.get(batch.folder) ?? emptyIndex());
    const results = batch.operations.map((operation) => this.#apply(index, operation));
    for (const result of results) index.results.set(result.taskUid, result);
    index.version++;
    this.#commit({ folder: batch.folder, taskUids: results.map(({ taskUid }) => taskUid), index });
    return { results, index: descriptionOf(index), changed: results.some(({ error }) => error === null) };
  }

  async drop(folder: string): Promise<void> {
    this.indexes.delete(folder);
    this.dropped.push(folder);
  }

  async figures(folders: readonly string[]): ReturnType<Engine["figures"]> {
    const thread = { running: 1, max: 2, calls: 0 };
    return {
      segments: new Map(folders.map((folder) => [folder, 3])),
      merges: { running: 0, waiting: 1, done: 5, failed: 0, bytesRead: 500, bytesWritten: 400 },
      caches: new Map([[0, { bytes: 10, bytesMax: 20, hits: 7, misses: 2 }]]),
      answers: { entries: 1, bytes: 100, bytesMax: 1000, hits: 4, misses: 6 },
      threads: { search: thread, write: thread, merge: thread },
      degradedSearches: 2,
    };
  }

  async close(): Promise<void> {}

  search(): Promise<Uint8Array> {
    throw new Error("the tests of the scheduler do not search");
  }

  similar(): Promise<Uint8Array> {
    throw new Error("the tests of the scheduler do not search");
  }

  searchFederated(): ReturnType<Engine["searchFederated"]> {
    throw new Error("the tests of the scheduler do not search");
  }

  facetSearch(): Promise<Uint8Array> {
    return this.search();
  }

  documents(): Promise<Uint8Array> {
    return this.search();
  }

  document(): Promise<Uint8Array | null> {
    return this.search();
  }

  lines(): ReturnType<Engine["lines"]> {
    throw new Error("the tests of the scheduler do not dump documents");
  }

  async compact(folder: string): Promise<Compaction> {
    return { index: await this.describe(folder), bytesBefore: 2048, bytesAfter: 1000 };
  }

  fields(): Promise<string[]> {
    throw new Error("the tests of the scheduler do not list fields");
  }

  settings(): ReturnType<Engine["settings"]> {
    throw new Error("the tests of the scheduler do not read settings");
  }

  #commit(commit: FakeCommit): void {
    this.commits.push(commit);
    this.indexes.set(commit.folder, commit.index);
  }

  #apply(index: FakeIndex, operation: Operation): OperationResult {
    const { taskUid } = operation;
    const known = index.results.get(taskUid);
    if (known) return known;
    const before = index.documents.size;
    switch (operation.kind) {
      case "add":
        return this.#add(index, operation);
      case "deleteIds":
        for (const id of operation.ids) index.documents.delete(id);
        return {
          taskUid,
          error: null,
          deletedDocuments: before - index.documents.size,
          distinctIds: new Set(operation.ids).size,
        };
      case "deleteFilter":
        if (operation.filter === "bad") return { taskUid, error: errorObject("invalid_document_filter") };
        return { taskUid, error: null, deletedDocuments: 0 };
      case "clear":
        index.documents.clear();
        return { taskUid, error: null, deletedDocuments: before };
      case "edit":
        if (operation.source === "bad")
          return { taskUid, error: errorObject("edit_documents_by_function_error") };
        return { taskUid, error: null, deletedDocuments: 0, editedDocuments: before };
      case "settings":
        Object.assign(index.settings, operation.patch);
        return { taskUid, error: null };
      case "primaryKey":
        if (before > 0 && operation.primaryKey !== index.primaryKey) {
          return { taskUid, error: errorObject("index_primary_key_already_exists") };
        }
        index.primaryKey = operation.primaryKey;
        return { taskUid, error: null };
    }
  }

  #add(
    index: FakeIndex,
    { taskUid, payload, method, primaryKey }: Extract<Operation, { kind: "add" }>,
  ): OperationResult {
    if (method === "update" && primaryKey && index.primaryKey && primaryKey !== index.primaryKey) {
      return { taskUid, error: errorObject("index_primary_key_already_exists") };
    }
    const key = index.primaryKey ?? primaryKey ?? "id";
    const documents = payload === null ? [] : this.#read(payload);
    if (documents.some((document) => !(key in document)))
      return { taskUid, error: errorObject("missing_document_id") };
    if (documents.length > 0) index.primaryKey = key;
    for (const document of documents) index.documents.set(String(document[key]), document);
    return {
      taskUid,
      error: null,
      indexedDocuments: new Set(documents.map((document) => document[key])).size,
    };
  }

  #read(payload: Uint8Array | string): Record<string, unknown>[] {
    const file = typeof payload === "string" ? this.#storage.open(payload) : new BytesFile(payload);
    const bytes = new Uint8Array(file.size);
    file.readInto(bytes, 0);
    file.close();
    const lines = new TextDecoder().decode(bytes).split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }
}

function emptyIndex(): FakeIndex {
  return { documents: new Map(), settings: {}, primaryKey: null, version: 0, results: new Map() };
}

function copyOf(index: FakeIndex): FakeIndex {
  const { documents, settings, results } = index;
  return { ...index, documents: new Map(documents), settings: { ...settings }, results: new Map(results) };
}

function descriptionOf({ documents, primaryKey, version }: FakeIndex): IndexDescription {
  return {
    version,
    primaryKey,
    numberOfDocuments: documents.size,
    fieldDistribution: {},
    rawDocumentBytes: documents.size * 10,
    embeddings: { vectors: 0, documents: 0 },
    diskBytes: documents.size * 20,
  };
}

function errorObject(code: ErrorCode) {
  return new TarsierError(code).toObject();
}

function aborted(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
}
