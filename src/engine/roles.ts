// What each kind of engine thread offers to pool.ts, by name: the same methods whether they run in a worker
// or in the caller's thread.

import type { EmbedderSetup } from "../embedders/embedderoptions.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { SimilarQuery } from "../schemas/similar.ts";
import { readManifest } from "../segment/manifestreader.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { Storage } from "../storage/storage.ts";
import { type Edit, EditFailure, EditFunction, loadInterpreter } from "./edit/editfunction.ts";
import type { EditAnswer } from "./editthread.ts";
import type { Batch, BatchNote, IndexHandle, LinesQuery } from "./engine.ts";
import type { IndexRequest } from "./federation/indexsearch.ts";
import { MergeThread } from "./mergethread.ts";
import type { RemoteMethods } from "./remote.ts";
import { SearchThread } from "./searchthread.ts";
import { openEmbedders } from "./vectors/sources.ts";
import { WriteThread } from "./writethread.ts";

export interface EngineOptions {
  /** Threads that answer searches; 0: everything runs in the caller's thread. */
  threads: number;
  /** Threads that build graphs over vectors. Default: 1. */
  indexingThreads?: number;
  /** Bound of the memory for building indexes. */
  indexingBytes: number;
  /** Bound of the cached parts of indexes, over all search threads. */
  searchBytes: number;
  /** False: syncs are left to the operating system. Default: true. */
  durable?: boolean;
  /** How embedders call their providers. Default: as without any option. */
  embedding?: EmbedderSetup;
}

const CACHE_BYTES_MIN = 8 * 1024 * 1024;
const CACHE_BYTES_MAX = 2 * 1024 * 1024 * 1024;

export function searchMethods(storage: Storage, { threads, searchBytes }: EngineOptions): RemoteMethods {
  const share = Math.floor(searchBytes / Math.max(1, threads) / 64) * 64;
  const thread = new SearchThread(storage, Math.min(CACHE_BYTES_MAX, Math.max(CACHE_BYTES_MIN, share)));
  return {
    search: ([handle, query]: [IndexHandle, SearchQuery]) => thread.search(handle, query),
    searchFederated: ([handle, request]: [IndexHandle, IndexRequest]) =>
      thread.searchFederated(handle, request),
    facetSearch: ([handle, query]: [IndexHandle, FacetSearchQuery]) => thread.facetSearch(handle, query),
    similar: ([handle, query]: [IndexHandle, SimilarQuery]) => thread.similar(handle, query),
    documents: ([handle, query]: [IndexHandle, DocumentsQuery]) => thread.documents(handle, query),
    document: ([handle, id, parts]: [IndexHandle, string, DocumentParts]) =>
      thread.document(handle, id, parts),
    lines: ([handle, query]: [IndexHandle, LinesQuery]) => thread.lines(handle, query),
    fields: ([handle]: [IndexHandle]) => thread.fields(handle),
    settings: ([handle]: [IndexHandle]) => thread.settings(handle),
    segments: ([folder]: [string]) => readManifest(storage, folder, 0).segments.length,
    cacheFigures: () => thread.cacheFigures(),
    forget: ([folder]: [string]) => thread.forget(folder),
    close: () => thread.close(),
  };
}

export function writeMethods(storage: Storage, options: EngineOptions): RemoteMethods {
  const { indexingBytes, indexingThreads, embedding } = options;
  const thread = new WriteThread(storage, indexingBytes, openEmbedders(embedding), indexingThreads);
  const turns = new Turns();
  return {
    describe: ([folder]: [string]) => thread.describe(folder),
    size: ([folder]: [string]) => thread.size(folder),
    run: ([batch, stop]: [Batch, Int32Array | null], note: (news: BatchNote) => void) =>
      turns.next(() => thread.run(batch, stop, (...news) => note(news))),
    beginMerge: ([folder, whole]: [string, boolean?]) => turns.next(() => thread.beginMerge(folder, whole)),
    commitMerge: ([job, merged]: [MergeJob, SegmentEntry | null]) =>
      turns.next(() => thread.commitMerge(job, merged)),
    tidy: ([folder]: [string]) => turns.next(() => thread.tidy(folder)),
    endMerge: ([job]: [MergeJob]) => turns.next(() => thread.endMerge(job)),
    drop: ([folder]: [string]) => turns.next(() => thread.drop(folder)),
    rest: () => turns.next(() => thread.rest()),
    close: () => turns.next(() => thread.close()),
  };
}

export function mergeMethods(storage: Storage, options: EngineOptions): RemoteMethods {
  const thread = new MergeThread(storage, options.indexingBytes, options.indexingThreads);
  return {
    merge: ([job, stop]: [MergeJob, Int32Array | null]) => thread.merge(job, stop),
    rest: () => true,
    close: () => {},
  };
}

/** A sandbox with one function. What it fails on is an answer: it names a document. */
export function editMethods(): RemoteMethods {
  let edit: EditFunction | null = null;
  const answer = (run: () => Edit[]): EditAnswer => {
    try {
      return { edits: run() };
    } catch (error) {
      if (!(error instanceof EditFailure)) throw error;
      return { edits: null, reason: error.message, at: error.at };
    }
  };
  return {
    load: async () => {
      await loadInterpreter();
      return answer(() => []);
    },
    compile: ([source, context]: [string, unknown]) =>
      answer(() => {
        edit?.close();
        edit = null;
        edit = EditFunction.compile(source, context);
        return [];
      }),
    run: ([documents]: [string[]]) => answer(() => edit!.run(documents)),
    rest: () => true,
  };
}

/** Calls one after the other: a batch that waits for an embedder keeps the others waiting. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  next<T>(call: () => T | Promise<T>): T | Promise<T> {
    if (this.#running === 0) {
      const done = call();
      if (!(done instanceof Promise)) return done;
      return this.#enter(done);
    }
    return this.#enter(this.#last.then(call));
  }

  #enter<T>(done: Promise<T>): Promise<T> {
    this.#running++;
    const leave = () => {
      this.#running--;
    };
    this.#last = done.then(leave, leave);
    return done;
  }
}
