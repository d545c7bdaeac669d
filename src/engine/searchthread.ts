// The reading side of the engine in one thread: a core with a bounded cache, and the indexes it has open.
// Runs in a worker (worker.ts) or in the caller's thread (pool.ts with no threads).
import { sortedSet } from "../core/bytes.ts";
import { Core } from "../core/core.ts";
import { JsonScanner } from "../core/json.ts";
import { Scratch } from "../core/scratch.ts";
import { Tokenizer } from "../core/tokenizer.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import { type SearchQuery, wholeQuery } from "../schemas/search.ts";
import type { Settings } from "../schemas/settings.ts";
import type { SimilarQuery } from "../schemas/similar.ts";
import { ExtentCache } from "../segment/cache.ts";
import { BlockScratch } from "../segment/documentblocks.ts";
import { DocumentCache } from "../segment/documentcache.ts";
import { WordPlanes } from "../segment/wordplanes.ts";
import type { Storage } from "../storage/storage.ts";
import { Deadline, REQUEST_MS_MAX } from "./deadline.ts";
import { readLines } from "./documentlines.ts";
import type { LinesQuery } from "./engine.ts";
import { facetSearch } from "./facets/facetsearch.ts";
import type { FederatedRequest } from "./federation/asked.ts";
import { searchGroup } from "./federation/groupsearch.ts";
import { withAncestors } from "./fieldnames.ts";
import type { CacheFigures } from "./figures.ts";
import type { IndexHandle } from "./indexhandle.ts";
import { listDocuments, readDocument } from "./listing.ts";
import { IndexReader, type ReaderShare } from "./reader.ts";
import type { SearchTools } from "./search/collection.ts";
import { SEARCH_SCRATCH_BYTES } from "./search/limits.ts";
import type { EmbeddingRequest } from "./search/semantic.ts";
import { similar } from "./search/similar.ts";
import { Steps } from "./search/steps.ts";
import { type PartialAnswer, search } from "./searchanswer.ts";

/** Indexes kept open; the one unused for longest is closed. */
const OPEN_INDEXES_MAX = 48;

/**
 * A prefix in many languages, and too short for typos: building the planes for those would take longer than
 * the search.
 */
const WARM_UP_WORDS = "in";

/**
 * Part of the cache for single documents that were read recently, and as much again for words searched
 * recently.
 */
const KEPT_PART_MAX = 1 / 64;
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** The planes of dictionaries take this many times as much. */
const PLANES_FACTOR = 4;

/**
 * `keptBytes`: memory for single documents that were read recently, as much again for words searched
 * recently, and PLANES_FACTOR times as much for planes; 0: none of these is kept.
 */
export function openReaderShare(
  storage: Storage,
  cacheBytes: number,
  scratchBytes: number,
  keptBytes = 0,
): ReaderShare {
  const core = new Core();
  const kept = keptBytes > 0 ? core.reserve(keptBytes) : 0;
  return {
    core,
    storage,
    cache: new ExtentCache(core, cacheBytes, storage.readsAhead),
    blocks: new BlockScratch(core, keptBytes > 0 ? new DocumentCache(core, keptBytes) : null),
    scratch: new Scratch(core, scratchBytes),
    deadline: new Deadline(),
    keptWords: { pointer: kept, bytes: keptBytes },
    wordPlanes: new WordPlanes(core, keptBytes * PLANES_FACTOR),
  };
}

export class SearchThread {
  readonly #storage: Storage;
  readonly #cacheBytes: number;
  readonly #requestMsMax: number;
  #share: ReaderShare;
  #tokenizer: Tokenizer;
  #scanner: JsonScanner;
  /** Settings for which the tokenizer is configured. */
  #configured: Settings | null = null;
  /** By folder, the most recently used last. */
  readonly #readers = new Map<string, IndexReader>();

  constructor(storage: Storage, cacheBytes: number, requestMsMax = REQUEST_MS_MAX) {
    this.#storage = storage;
    this.#requestMsMax = requestMsMax;
    this.#cacheBytes = cacheBytes;
    this.#share = this.#openShare();
    this.#tokenizer = new Tokenizer(this.#share.core);
    this.#scanner = new JsonScanner(this.#share.core);
  }

  search(handle: IndexHandle, query: SearchQuery): Uint8Array | PartialAnswer | EmbeddingRequest {
    return this.#guard(() => search(this.#tools(handle), query, handle.indexUid));
  }

  /** Runs a search whose answer is thrown away: the next one finds the index open, and its code loaded. */
  warmUp(handle: IndexHandle): void {
    this.search(handle, wholeQuery({ q: WARM_UP_WORDS, requestUid: "" }));
  }

  searchFederated(request: FederatedRequest): Uint8Array {
    return this.#guard(() => searchGroup((handle) => this.#tools(handle), request));
  }

  facetSearch(handle: IndexHandle, query: FacetSearchQuery): Uint8Array {
    return this.#guard(() => facetSearch(this.#tools(handle), query, handle.indexUid));
  }

  similar(handle: IndexHandle, query: SimilarQuery): Uint8Array {
    return this.#guard(() => similar(this.#tools(handle), query));
  }

  documents(handle: IndexHandle, query: DocumentsQuery): Uint8Array {
    return this.#guard(() => listDocuments(this.#open(handle), this.#scanner, query));
  }

  document(handle: IndexHandle, id: string, parts: DocumentParts): Uint8Array | null {
    return this.#guard(() => readDocument(this.#open(handle), this.#scanner, id, parts));
  }

  /** For dumps and exports, for which nobody is waiting. */
  lines(handle: IndexHandle, query: LinesQuery): Uint8Array {
    const open = () => this.#open(handle, Number.POSITIVE_INFINITY);
    return this.#guard(() => readLines(open(), this.#scanner, query));
  }

  /** Below the top level this covers fields that are, or once were, searched, filtered or sorted by. */
  fields(handle: IndexHandle): string[] {
    const { state, knownFields } = this.#guard(() => this.#open(handle));
    const around = withAncestors(knownFields);
    return sortedSet([...state.fields, ...Object.keys(state.fieldDistribution), ...around]);
  }

  settings(handle: IndexHandle): Settings {
    return this.#guard(() => this.#open(handle).settings);
  }

  cacheFigures(): CacheFigures {
    return this.#share.cache.figures;
  }

  /** Closes an index. */
  forget(folder: string): void {
    this.#readers.get(folder)?.close();
    this.#readers.delete(folder);
  }

  close(): void {
    for (const folder of [...this.#readers.keys()]) this.forget(folder);
  }

  #tools(handle: IndexHandle): SearchTools {
    const reader = this.#open(handle);
    if (this.#configured !== reader.settings) this.#tokenizer.configure(reader.settings);
    this.#configured = reader.settings;
    return { reader, tokenizer: this.#tokenizer, scanner: this.#scanner, steps: new Steps() };
  }

  #open({ folder, version }: IndexHandle, requestMsMax = this.#requestMsMax): IndexReader {
    let reader = this.#readers.get(folder);
    this.#readers.delete(folder);
    reader ??= new IndexReader(this.#share, folder);
    this.#readers.set(folder, reader);
    if (this.#readers.size > OPEN_INDEXES_MAX) this.forget(this.#readers.keys().next().value!);
    reader.refresh(version);
    this.#share.deadline.set(requestMsMax);
    this.#share.scratch.reset();
    this.#share.cache.beginTurn();
    return reader;
  }

  #openShare(): ReaderShare {
    const part = Math.floor((this.#cacheBytes * KEPT_PART_MAX) / 64) * 64;
    const kept = Math.min(KEPT_BYTES_MAX, part);
    const cacheBytes = this.#cacheBytes - (2 + PLANES_FACTOR) * kept;
    return openReaderShare(this.#storage, cacheBytes, SEARCH_SCRATCH_BYTES, kept);
  }

  /**
   * A failure that is not a refusal may have left the core in any state: the thread goes on with a new one.
   */
  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof TarsierError) throw error;
      this.close();
      this.#share = this.#openShare();
      this.#tokenizer = new Tokenizer(this.#share.core);
      this.#scanner = new JsonScanner(this.#share.core);
      this.#configured = null;
      throw error;
    }
  }
}
