// One index of the tests in memory, with the model of it beside: batches go to both, `compare` holds one
// against the other.
import assert from "node:assert/strict";
import type { BatchResult, Method, Operation } from "../../src/engine/engine.ts";
import type { MergeReach } from "../../src/engine/ingest/mergepolicy.ts";
import { MergeThread } from "../../src/engine/mergethread.ts";
import { SearchThread } from "../../src/engine/searchthread.ts";
import { WriteThread } from "../../src/engine/writethread.ts";
import type { DocumentsQuery } from "../../src/schemas/documents.ts";
import { readManifest } from "../../src/segment/manifestreader.ts";
import type { ManifestState, SegmentEntry } from "../../src/segment/manifeststate.ts";
import type { MergeJob } from "../../src/segment/merge.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { parseJson } from "../twins/json.ts";
import { expectedLists, readLists } from "./indexcontents.ts";
import { IndexModel, type ModelOperation, membersOf } from "./model.ts";

type WithoutTask<T> = T extends unknown ? Omit<T, "taskUid"> : never;
/** An operation before it has a task. */
export type Change = WithoutTask<ModelOperation>;

const MERGING_BYTES = 16 * 1024 * 1024;
const SEARCH_CACHE_BYTES = 1024 * 1024;
const LISTED_MOST = 1_000_000;

/** Replaces documents, given as texts. */
export function addition(documents: string[], method: Method = "replace"): Change {
  return { kind: "add", documents, method, primaryKey: null, skipCreation: false };
}

/** Ids of the documents that a query lists, in its order. */
export function listed({ searcher, folder, state }: TestIndex, query: Partial<DocumentsQuery>): number[] {
  const all = { offset: 0, limit: 1000, fields: ["id"], ids: null, retrieveVectors: false };
  const handle = { folder, indexUid: "i", version: state.version };
  const bytes = searcher.documents(handle, { ...all, filter: null, sort: null, ...query });
  const { results } = JSON.parse(Buffer.from(bytes).toString()) as { results: { id: number }[] };
  return results.map(({ id }) => id);
}

/** Ids of the documents that a filter finds, ascending. */
export const found = (index: TestIndex, filter: string): number[] =>
  listed(index, { filter }).sort((a, b) => a - b);

export class TestIndex {
  readonly folder = "index";
  readonly storage = new MemoryStorage();
  readonly model = new IndexModel();
  readonly merger = new MergeThread(this.storage, MERGING_BYTES);
  readonly #indexingBytes: number;
  writer: WriteThread;
  searcher: SearchThread;
  #tasks = 0;
  /** Of the last commit. */
  #version = 0;

  /** `indexingBytes`: bound of the memory for indexing; the least that is taken is a megabyte for words. */
  constructor(indexingBytes = 16 * 1024 * 1024) {
    this.#indexingBytes = indexingBytes;
    this.writer = new WriteThread(this.storage, indexingBytes);
    this.searcher = new SearchThread(this.storage, SEARCH_CACHE_BYTES);
  }

  get state(): ManifestState {
    return readManifest(this.storage, this.folder, 0);
  }

  get version(): number {
    return this.#version;
  }

  /** Ends all threads and begins new ones. */
  reopen(): void {
    this.close();
    this.writer = new WriteThread(this.storage, this.#indexingBytes);
    this.searcher = new SearchThread(this.storage, SEARCH_CACHE_BYTES);
  }

  close(): void {
    this.writer.close();
    this.searcher.close();
  }

  /** Runs a batch here and in the model, whose results must be the same. */
  run(changes: readonly Change[]): BatchResult {
    const operations = changes.map((change) => ({ ...change, taskUid: ++this.#tasks }) as ModelOperation);
    const batch = {
      folder: this.folder,
      indexUid: "i",
      operations: operations.map((one) => this.#stored(one)),
    };
    const answer = this.writer.run(batch, null, () => {}) as BatchResult;
    const results = answer.results.map((result) => ({ ...result, error: result.error?.code ?? null }));
    assert.deepEqual(results, this.model.run(operations));
    this.#version = answer.index.version;
    return answer;
  }

  /** Merges until nothing is left to merge. Returns the number of merges. */
  mergeAll(reach: MergeReach = "usual"): number {
    for (let merges = 0; ; merges++) {
      const job = this.writer.beginMerge(this.folder, reach);
      if (!job) return merges;
      this.#version = this.writer.commitMerge(job, this.merge(job));
    }
  }

  merge(job: MergeJob): SegmentEntry | null {
    return this.merger.merge(job, null);
  }

  /** Holds everything against the model: counts, documents in order, lists of every word. */
  compare(): void {
    const { model } = this;
    const { version, primaryKey, numberOfDocuments, fieldDistribution } = this.state;
    assert.equal(primaryKey, model.primaryKey);
    assert.equal(numberOfDocuments, model.documents.size);
    assert.deepEqual(sorted(fieldDistribution), sorted(model.fieldDistribution));
    const all = model.docids.map((docid) => this.shown(docid));
    assert.deepEqual(this.list(0, LISTED_MOST, null, null), { results: all, total: all.length });
    const { lists, fields } = readLists(this.storage, this.folder, version);
    assert.equal(new Set(fields).size, fields.length);
    const expected = expectedLists(model, fields);
    assert.deepEqual([...lists.keys()].sort(), [...expected.keys()].sort());
    for (const [term, postings] of expected)
      assert.deepEqual(lists.get(term), postings, JSON.stringify(term));
  }

  /** Fields of a document of the model that readers see, with their values as they were sent. */
  shown(docid: number): [string, string][] {
    return [...this.model.documents.get(docid)!.document].filter(([name]) => name !== "_vectors");
  }

  list(offset: number, limit: number, fields: string[] | null, ids: string[] | null) {
    const query = { offset, limit, fields, ids, retrieveVectors: false, filter: null, sort: null };
    const answer = membersOf(Buffer.from(this.searcher.documents(this.#handle, query)).toString());
    const results = parseJson(answer.get("results")!).children.map(({ value }) => [
      ...membersOf(value.source),
    ]);
    return { results, total: Number(answer.get("total")) };
  }

  document(id: string): [string, string][] | null {
    const bytes = this.searcher.document(this.#handle, id, { fields: null, retrieveVectors: false });
    return bytes && [...membersOf(Buffer.from(bytes).toString())];
  }

  get #handle() {
    return { folder: this.folder, indexUid: "i", version: this.state.version };
  }

  #stored(operation: ModelOperation): Operation {
    if (operation.kind !== "add") return operation;
    const { documents, ...rest } = operation;
    const payload = `payload-${operation.taskUid}`;
    const file = this.storage.create(payload);
    file.append(Buffer.from(documents.map((text) => `${text}\n`).join("")));
    file.close();
    return { ...rest, payload };
  }
}

const sorted = (object: object): [string, unknown][] =>
  Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
