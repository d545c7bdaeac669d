// What each kind of engine thread offers to pool.ts, by name: the same methods whether they run in a worker
// or in the caller's thread.

import type { DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { SegmentEntry } from "../segment/manifeststate.ts";
import type { MergeJob } from "../segment/merge.ts";
import type { Storage } from "../storage/storage.ts";
import { loadInterpreter } from "./edit/editfunction.ts";
import type { Batch, IndexHandle, ProgressListener } from "./engine.ts";
import type { IndexRequest } from "./federation/indexsearch.ts";
import { MergeThread } from "./mergethread.ts";
import type { RemoteMethods } from "./remote.ts";
import { SearchThread } from "./searchthread.ts";
import { WriteThread } from "./writethread.ts";

export interface EngineOptions {
  /** Threads that answer searches; 0: everything runs in the caller's thread. */
  threads: number;
  /** Bound of the memory for building indexes. */
  indexingBytes: number;
  /** Bound of the cached parts of indexes, over all search threads. */
  searchBytes: number;
  /** False: syncs are left to the operating system. Default: true. */
  durable?: boolean;
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
    documents: ([handle, query]: [IndexHandle, DocumentsQuery]) => thread.documents(handle, query),
    document: ([handle, id, fields]: [IndexHandle, string, string[] | null]) =>
      thread.document(handle, id, fields),
    settings: ([handle]: [IndexHandle]) => thread.settings(handle),
    forget: ([folder]: [string]) => thread.forget(folder),
    close: () => thread.close(),
  };
}

export function writeMethods(storage: Storage, { indexingBytes }: EngineOptions): RemoteMethods {
  const thread = new WriteThread(storage, indexingBytes);
  return {
    describe: ([folder]: [string]) => thread.describe(folder),
    size: ([folder]: [string]) => thread.size(folder),
    run: async ([batch, stop]: [Batch, Int32Array | null], note: ProgressListener) => {
      if (batch.operations.some(({ kind }) => kind === "edit")) await loadInterpreter();
      return thread.run(batch, stop, note);
    },
    beginMerge: ([folder, whole]: [string, boolean?]) => thread.beginMerge(folder, whole),
    commitMerge: ([job, merged]: [MergeJob, SegmentEntry | null]) => thread.commitMerge(job, merged),
    tidy: ([folder]: [string]) => thread.tidy(folder),
    endMerge: ([job]: [MergeJob]) => thread.endMerge(job),
    drop: ([folder]: [string]) => thread.drop(folder),
    rest: () => thread.rest(),
    close: () => thread.close(),
  };
}

export function mergeMethods(storage: Storage, { indexingBytes }: EngineOptions): RemoteMethods {
  const thread = new MergeThread(storage, indexingBytes);
  return {
    merge: ([job, stop]: [MergeJob, Int32Array | null]) => thread.merge(job, stop),
    rest: () => true,
    close: () => {},
  };
}
