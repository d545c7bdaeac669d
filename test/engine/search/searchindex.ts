// An index in memory for tests of the search: documents go in by batches, so that they lie in one segment or
// in many.
import { defaultSettings } from "../../../src/engine/defaultsettings.ts";
import type { BatchResult } from "../../../src/engine/engine.ts";
import { MergeThread } from "../../../src/engine/mergethread.ts";
import type { PartialAnswer } from "../../../src/engine/searchanswer.ts";
import { SearchThread } from "../../../src/engine/searchthread.ts";
import { WriteThread } from "../../../src/engine/writethread.ts";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { searchQueryOf } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { SegmentFile } from "../../../src/segment/file.ts";
import { CHUNK_BYTES, type SectionName } from "../../../src/segment/format.ts";
import { MemoryStorage } from "../../../src/storage/memory.ts";

export interface Answer {
  hits: ({ id: number; _rankingScore: number } & Record<string, unknown>)[];
  total: number;
  /** Time ran out before the hits were ranked. */
  isPartial: boolean;
}

const INDEXING_BYTES = 16 * 1024 * 1024;
const CACHE_BYTES = 4 * 1024 * 1024;

const storage = new MemoryStorage();
const writer = new WriteThread(storage, INDEXING_BYTES);
const merger = new MergeThread(storage, INDEXING_BYTES);
const searcher = new SearchThread(storage, CACHE_BYTES);
let folders = 0;

export class SearchIndex {
  readonly #folder = `index-${++folders}`;
  #version = 0;
  #tasks = 0;

  constructor(settings: SettingsPatch = {}) {
    this.#run({ kind: "primaryKey", primaryKey: "id" });
    // A machine that stands still for a second must not cut a ranking short.
    this.#run({ kind: "settings", patch: { searchCutoffMs: 600_000, ...settings } });
  }

  /** Documents of one batch; texts are JSON. `others`: operations of the same batch. */
  add(
    documents: readonly (object | string)[],
    method: "replace" | "update" = "replace",
    ...others: Record<string, unknown>[]
  ): void {
    const payload = `${this.#folder}-${this.#tasks}.ndjson`;
    const file = storage.create(payload);
    const lines = documents.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`);
    file.append(Buffer.from(lines.join("")));
    file.close();
    this.#run({ kind: "add", payload, method, primaryKey: null, skipCreation: false }, ...others);
  }

  set(patch: SettingsPatch): void {
    this.#run({ kind: "settings", patch });
  }

  remove(ids: readonly (number | string)[]): void {
    this.#run({ kind: "deleteIds", ids: ids.map(String) });
  }

  /** Merges until nothing is left to merge. */
  merge(): void {
    for (let job = writer.beginMerge(this.#folder); job; job = writer.beginMerge(this.#folder)) {
      this.#version = writer.commitMerge(job, merger.merge(job, null));
    }
  }

  search(query: SearchBody): Answer {
    const { text, isPartial } = this.answer(query);
    const { hits, estimatedTotalHits, totalHits } = JSON.parse(text);
    return { hits, total: estimatedTotalHits ?? totalHits, isPartial };
  }

  /** The JSON as it is sent. */
  answer(query: SearchBody): { text: string; isPartial: boolean } {
    const handle = { folder: this.#folder, indexUid: "test", version: this.#version };
    const full = searchQueryOf({ showRankingScore: true, ...query }, "request", null);
    const answer = searcher.search(handle, full) as Uint8Array | PartialAnswer;
    const isPartial = "partial" in answer;
    return { text: Buffer.from(isPartial ? answer.partial : answer).toString(), isPartial };
  }

  /** Ids and scores. */
  ranked(query: SearchBody): { hits: [id: number, score: number][]; total: number } {
    const { hits, total } = this.search(query);
    return { hits: hits.map(({ id, _rankingScore }) => [id, _rankingScore]), total };
  }

  /** Damages all chunks that hold nothing but a section. */
  lose(section: SectionName): void {
    searcher.forget(this.#folder);
    for (const name of storage.list(this.#folder).filter((name) => name.startsWith("segment-"))) {
      const path = `${this.#folder}/${name}`;
      const file = new SegmentFile(storage, path);
      const { offset, length } = file.section(section);
      file.close();
      const bytes = Buffer.alloc(storage.size(path));
      storage.open(path).readInto(bytes, 0);
      const first = Math.ceil(offset / CHUNK_BYTES);
      const end = Math.floor((offset + length) / CHUNK_BYTES);
      for (let chunk = first; chunk < end; chunk++) bytes[chunk * CHUNK_BYTES] ^= 1;
      const damaged = storage.create(path);
      damaged.append(bytes);
      damaged.close();
    }
  }

  close(): void {
    searcher.forget(this.#folder);
  }

  #run(...given: Record<string, unknown>[]): void {
    const operations = given.map((one) => ({ ...one, taskUid: ++this.#tasks })) as Parameters<
      typeof writer.run
    >[0]["operations"];
    const batch = { folder: this.#folder, indexUid: "test", operations };
    const result = writer.run(batch, null, () => {}) as BatchResult;
    for (const { error } of result.results) if (error) throw new Error(error.message);
    this.#version = result.index.version;
  }
}

export const rankingRules = defaultSettings().rankingRules;
