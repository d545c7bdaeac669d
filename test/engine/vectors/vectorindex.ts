// An index in memory with two embedders: one is fed by users, one embeds texts without calling anybody. Used
// by the tests beside it.
import assert from "node:assert/strict";
import { Core } from "../../../src/core/core.ts";
import type { Embedder, EmbedderProvider, Prompt } from "../../../src/embedders/embedder.ts";
import type { BatchResult, Operation } from "../../../src/engine/engine.ts";
import { MergeThread } from "../../../src/engine/mergethread.ts";
import { openReaderShare, SearchThread } from "../../../src/engine/searchthread.ts";
import { WriteThread } from "../../../src/engine/writethread.ts";
import type { EmbedderSettings } from "../../../src/schemas/embedders.ts";
import { type FacetSearchBody, facetSearchQueryOf } from "../../../src/schemas/facetsearch.ts";
import { type SearchBody, searchQueryOf } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { BuildBuffers } from "../../../src/segment/builder.ts";
import { checkStorage } from "../../../src/segment/check.ts";
import { SegmentFile } from "../../../src/segment/file.ts";
import { JOURNAL_KIND, JOURNAL_NAME } from "../../../src/segment/journalfile.ts";
import { readManifest } from "../../../src/segment/manifestreader.ts";
import { mergeSegments } from "../../../src/segment/merge.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";
import { RecordLog } from "../../../src/storage/recordlog.ts";

const MEBIBYTE = 1024 * 1024;
const INDEXING_BYTES = 16 * MEBIBYTE;
const CACHE_BYTES = 4 * MEBIBYTE;
const FOLDER = "indexes/one";
export const USER_DIMENSIONS = 3;
export const MADE_DIMENSIONS = 2;

export const EMBEDDERS = {
  user: { source: "userProvided", dimensions: USER_DIMENSIONS },
  made: { source: "ollama", model: "words", dimensions: MADE_DIMENSIONS, documentTemplate: "{{doc.t}}" },
} as const;

/** The vector that embedder `made` makes of a text. */
export function madeVector(text: string): number[] {
  const sum = [...text].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return [1 + (sum % 7), sum % 5];
}

/** Texts that were embedded, in order. */
export class WordEmbedders implements EmbedderProvider {
  readonly texts: string[] = [];
  /** How many of them came in each call. */
  readonly together: number[] = [];
  /** How often a text was made for an embedder that is fed by users. */
  compared = 0;
  /** Whether documents without vectors of the user are let in. */
  isLenient = false;

  async open(name: string, settings: EmbedderSettings): Promise<Embedder> {
    const isMade = settings.source === "ollama";
    const prompts = ({ fields }: { fields: Readonly<Record<string, unknown>> }): Prompt[] => [
      { fragment: null, text: `${settings.documentTemplate === "another" ? "other " : ""}${fields.t}` },
    ];
    return {
      name,
      settings,
      inputs: isMade ? "text" : "none",
      distribution: null,
      dimensions: async () => settings.dimensions!,
      check: async () => {},
      promptsOf: (document) => {
        if (!isMade) this.compared++;
        return prompts(document);
      },
      embedDocuments: async (texts) => {
        this.texts.push(...texts);
        this.together.push(texts.length);
        return texts.map((text) => {
          const vector = new Float32Array(settings.dimensions!);
          vector.set(madeVector(text));
          return vector;
        });
      },
      excuses: () => this.isLenient,
      embedQuery: async () => new Float32Array(MADE_DIMENSIONS),
    };
  }
}

export class VectorIndex {
  readonly storage = emptyFolder();
  readonly embedders = new WordEmbedders();
  readonly #merger = new MergeThread(this.storage, INDEXING_BYTES);
  writer = new WriteThread(this.storage, INDEXING_BYTES, this.embedders);
  searcher = new SearchThread(this.storage, CACHE_BYTES);
  #tasks = 0;

  get state() {
    return readManifest(this.storage, FOLDER, 0);
  }

  get handle() {
    return { folder: FOLDER, indexUid: "i", version: this.state.version };
  }

  settings(patch: SettingsPatch): Promise<BatchResult> {
    return this.#run({ kind: "settings", taskUid: ++this.#tasks, patch });
  }

  add(documents: readonly object[], method: "replace" | "update" = "replace"): Promise<BatchResult> {
    return this.#run(this.#addition(documents, method));
  }

  delete(ids: string[]): Promise<BatchResult> {
    return this.#run(this.#deletion(ids));
  }

  /** In one batch. */
  deleteAndUpdate(ids: string[], documents: readonly object[]): Promise<BatchResult> {
    return this.#run(this.#deletion(ids), this.#addition(documents, "update"));
  }

  mergeAll(): void {
    for (let job = this.writer.beginMerge(FOLDER); job; job = this.writer.beginMerge(FOLDER))
      this.writer.commitMerge(job, this.#merger.merge(job, null));
  }

  /** What is merged when nobody writes. */
  planAtRest() {
    return this.writer.beginMerge(FOLDER, "rest");
  }

  /** Merges everything into one segment, with little memory for graphs. */
  compactWith(graphBytesMax: number): void {
    const core = new Core();
    const graphs = { threads: 1, bytesMax: graphBytesMax };
    const buffers = new BuildBuffers(core, { spoolBytes: MEBIBYTE, graphs, blockHelper: false });
    for (
      let job = this.writer.beginMerge(FOLDER, "whole");
      job;
      job = this.writer.beginMerge(FOLDER, "whole")
    ) {
      const merged = mergeSegments({ core, storage: this.storage, buffers }, job, () => {});
      this.writer.commitMerge(job, merged);
    }
  }

  reopen(): void {
    this.writer.close();
    this.searcher.close();
    this.writer = new WriteThread(this.storage, INDEXING_BYTES, this.embedders);
    this.searcher = new SearchThread(this.storage, CACHE_BYTES);
  }

  search(body: SearchBody) {
    const answer = this.searcher.search(this.handle, searchQueryOf(body, "request", null));
    return JSON.parse(Buffer.from(answer as Uint8Array).toString());
  }

  facetSearch(body: FacetSearchBody) {
    const answer = this.searcher.facetSearch(this.handle, facetSearchQueryOf(body));
    return JSON.parse(Buffer.from(answer).toString());
  }

  /** `_vectors` by id. */
  vectors(): Map<number, Record<string, { embeddings: number[][]; regenerate: boolean }>> {
    const query = { offset: 0, limit: 100_000, fields: null, retrieveVectors: true, ids: null };
    const answer = this.searcher.documents(this.handle, { ...query, filter: null, sort: null });
    const { results } = JSON.parse(Buffer.from(answer).toString());
    return new Map(
      results.map((document: { id: number; _vectors: object }) => [document.id, document._vectors]),
    );
  }

  /** Number of graphs in all segments. */
  graphs(): number {
    const { core } = openReaderShare(this.storage, CACHE_BYTES, CACHE_BYTES);
    const stores = this.state.segments.flatMap(({ name }) => {
      const file = new SegmentFile(this.storage, `${FOLDER}/${name}`);
      const { vectors } = file.readMeta(core, (bytes) => core.reserve(bytes));
      file.close();
      return vectors;
    });
    return stores.filter(({ graphBytes }) => graphBytes > 0).length;
  }

  /** No file of the index is damaged, and its sections fit together. */
  assertSound(): void {
    assert.deepEqual([...checkStorage(this.storage)], []);
  }

  #addition(documents: readonly object[], method: "replace" | "update"): Operation {
    const taskUid = ++this.#tasks;
    const payload = `payload-${taskUid}`;
    const file = this.storage.create(payload);
    file.append(Buffer.from(documents.map((document) => `${JSON.stringify(document)}\n`).join("")));
    file.close();
    return { kind: "add", taskUid, payload, method, primaryKey: "id", skipCreation: false };
  }

  #deletion(ids: string[]): Operation {
    return { kind: "deleteIds", taskUid: ++this.#tasks, ids };
  }

  async #run(...operations: Operation[]): Promise<BatchResult> {
    return this.writer.run({ folder: FOLDER, indexUid: "i", operations }, null, () => {});
  }
}

/** A data folder with nothing but its journal, which a check asks for. */
function emptyFolder(): MemoryStorage {
  const storage = new MemoryStorage();
  RecordLog.open(storage, JOURNAL_NAME, JOURNAL_KIND, () => {}).close();
  return storage;
}
