// The options that the threads of an engine are opened with, and the methods that search threads offer to
// pool.ts by name: the same ones in a worker and in the caller's thread. For the threads that write see
// writeroles.ts.
import type { EmbedderSetup } from "../embedders/embedderoptions.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import { type SparseQuery, wholeQuery } from "../schemas/search.ts";
import type { SimilarQuery } from "../schemas/similar.ts";
import { readManifest } from "../segment/manifestreader.ts";
import type { Storage } from "../storage/storage.ts";
import type { LinesQuery } from "./engine.ts";
import { type SparseRequest, wholeRequest } from "./federation/sparserequest.ts";
import type { IndexHandle } from "./indexhandle.ts";
import type { RemoteMethods } from "./remote.ts";
import { SearchThread } from "./searchthread.ts";

export interface EngineOptions {
  /** Number of threads that answer searches; 0: everything runs in the caller's thread. */
  threads: number;
  /**
   * Number of threads that build graphs over vectors and, from two on, one that compresses documents.
   * Default: 1.
   */
  indexingThreads?: number;
  /** Bound of the memory for building indexes. */
  indexingBytes: number;
  /** Bound of the memory for searches, over all search threads; most of it caches parts of indexes. */
  searchBytes: number;
  /** False: syncing is left to the operating system. Default: true. */
  durable?: boolean;
  /** How embedders call their providers. Default: as with no options. */
  embedding?: EmbedderSetup;
}

/** Part of a thread's share: what one search needs while it runs, in the core and beside it. */
const WORKING_BYTES_MAX = 24 * 1024 * 1024;
const WORKING_PART_MAX = 1 / 2;
const CACHE_BYTES_MIN = 8 * 1024 * 1024;
const CACHE_BYTES_MAX = 2 * 1024 * 1024 * 1024;

export function searchMethods(storage: Storage, { threads, searchBytes }: EngineOptions): RemoteMethods {
  const share = searchBytes / Math.max(1, threads);
  const cache = Math.floor((share - Math.min(WORKING_BYTES_MAX, share * WORKING_PART_MAX)) / 64) * 64;
  const thread = new SearchThread(storage, Math.min(CACHE_BYTES_MAX, Math.max(CACHE_BYTES_MIN, cache)));
  return {
    search: ([handle, said]: [IndexHandle, SparseQuery]) => thread.search(handle, wholeQuery(said)),
    searchFederated: ([said]: [SparseRequest]) => thread.searchFederated(wholeRequest(said)),
    warmUp: ([handle]: [IndexHandle]) => thread.warmUp(handle),
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
