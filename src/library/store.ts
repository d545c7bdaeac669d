// What `open(options)` gives: the same Store behind every door (src/index.ts for Node, Bun and Deno;
// src/browser.ts for pages). Only declarations, and nothing of any runtime, so that every door can implement
// them: storefront.ts makes a Store of the Operations (operations.ts) that a door provides.
//
// Parameters, checks and answers are those of the HTTP API. Every refusal is thrown as a TarsierError with
// `code`, `type`, `link` and `status`.
import type {
  AnyDocument,
  FacetSearchAnswer,
  FacetSearchParameters,
  FederatedSearchAnswer,
  FederatedSearchParameters,
  FetchAnswer,
  FetchParameters,
  Filter,
  MultiSearchAnswer,
  MultiSearchParameters,
  SearchAnswer,
  SearchParameters,
  SimilarAnswer,
  SimilarParameters,
} from "./searches.ts";
import type { SettingName, Settings, SettingsChange } from "./settings.ts";
import type { PendingTask, Task, TaskFilter, TaskListing, TaskPage } from "./tasks.ts";

/** A set of indexes, in one folder or in memory. */
export interface Store {
  /** An index by its uid. It need not exist: the first documents or settings create it. */
  index<D extends object = AnyDocument>(uid: string): StoreIndex<D>;
  /** By uid. Default: offset 0, limit 20. */
  indexes(page?: { offset?: number; limit?: number }): Promise<IndexPage>;
  /**
   * Only needed to name the primary key beforehand, or to have an empty index: adding documents creates it,
   * too.
   */
  createIndex(uid: string, options?: { primaryKey?: string | null }): PendingTask;
  /**
   * Exchanges two indexes with everything that belongs to them. `rename`: moves the first to the uid of the
   * second, which must not exist.
   */
  swapIndexes(swaps: { indexes: [string, string]; rename?: boolean }[]): PendingTask;

  /** Runs several searches in one call; one answer per query. */
  multiSearch<D extends object = AnyDocument>(
    parameters: MultiSearchParameters<D>,
  ): Promise<MultiSearchAnswer<D>>;
  /** Runs several searches and merges their hits into one list. */
  multiSearch<D extends object = AnyDocument>(
    parameters: FederatedSearchParameters<D>,
  ): Promise<FederatedSearchAnswer<D>>;

  readonly tasks: StoreTasks;
  /** Sizes and counts of the store and of every index. */
  stats(): Promise<StoreStats>;
  /** Switches of the experimental features, such as `containsFilter`. */
  features(): Promise<Features>;
  /** Changes the given switches and returns all of them. */
  setFeatures(features: Partial<Features>): Promise<Features>;
  /**
   * Stops the running batch, closes all files, and rejects every pending promise of a task with `aborted`.
   * Tasks that have not ended are done after the next `open`; in memory they are lost.
   */
  close(): Promise<void>;
}

/** One index whose documents have the type D. */
export interface StoreIndex<D extends object = AnyDocument> {
  readonly uid: string;

  // Documents
  /** Adds documents; one whose id already exists is replaced as a whole. */
  add(documents: Documents<D>, options?: AdditionOptions): PendingTask;
  /**
   * Merges the given fields into existing documents, whose other fields are kept; adds the documents that are
   * new.
   */
  update(documents: Documents<Partial<D>>, options?: AdditionOptions): PendingTask;
  /** As `add`, from documents as JSON, NDJSON or CSV, such as the stream of a file. */
  addFrom(source: ByteSource, options: SourceOptions): PendingTask;
  /** As `update`, from the same sources. */
  updateFrom(source: ByteSource, options: SourceOptions): PendingTask;
  /** Deletes documents by id; unknown ids are ignored. */
  delete(ids: string | number | readonly (string | number)[], options?: WriteOptions): PendingTask;
  /** Deletes every document that the filter matches. */
  deleteByFilter(filter: Filter, options?: WriteOptions): PendingTask;
  deleteAll(options?: WriteOptions): PendingTask;
  /**
   * Runs a function on every document that the filter matches. Experimental: needs the feature
   * `editDocumentsByFunction`.
   */
  edit(edit: Edit, options?: WriteOptions): PendingTask;
  /** One document by its id. @throws TarsierError document_not_found */
  get(id: string | number, parts?: { fields?: string[] | null; retrieveVectors?: boolean }): Promise<D>;
  /** A page of documents, without a query. `displayedAttributes` does not apply. */
  fetch(parameters?: FetchParameters<D>): Promise<FetchAnswer<D>>;

  // Searches
  search(q: string | null, parameters?: SearchParameters<D>): Promise<SearchAnswer<D>>;
  search(parameters?: SearchParameters<D>): Promise<SearchAnswer<D>>;
  /** Values of one facet that begin with a text. */
  facetSearch(parameters: FacetSearchParameters<D>): Promise<FacetSearchAnswer>;
  /** Documents whose vectors are nearest to those of a given document. */
  similar(parameters: SimilarParameters<D>): Promise<SimilarAnswer<D>>;

  // The index itself
  settings(): Promise<Settings<D>>;
  /** Absent settings keep their value, null resets; see SettingsChange. */
  updateSettings(change: SettingsChange<D>): PendingTask;
  /** Resets the named settings to their defaults; without `names`, all of them. */
  resetSettings(names?: readonly SettingName[]): PendingTask;
  info(): Promise<IndexInfo>;
  stats(): Promise<IndexStats>;
  /** Fails when the index has documents and another primary key. */
  setPrimaryKey(primaryKey: string): PendingTask;
  /** Changes the uid of the index. This object keeps the old one. */
  rename(uid: string): PendingTask;
  /** Merges the stored segments into as few as possible and drops what was deleted. */
  compact(): PendingTask;
  /** Deletes the index with its documents and settings. */
  drop(): PendingTask;
}

export interface StoreTasks {
  /** Tasks that the listing matches, newest first. */
  list(listing?: TaskListing): Promise<TaskPage>;
  /** @throws TarsierError task_not_found */
  get(uid: number): Promise<Task>;
  /** The end of a task that was enqueued before, as its PendingTask would give it. */
  wait(uid: number): Promise<Task>;
  /**
   * Fulfilled when no task waits or runs. A write that has been called counts as one; if its documents come
   * from an AsyncIterable, only when they have come.
   */
  idle(): Promise<void>;
  /**
   * Cancels tasks that have not ended, also those of writes that have just been called (see `idle`). At least
   * one field of the filter must be given; `*` matches any value.
   */
  cancel(filter: TaskFilter): PendingTask;
  /** Deletes tasks that have ended from the queue, under the same rule. */
  delete(filter: TaskFilter): PendingTask;
}

/**
 * One document, or anything that yields documents. They are read until `enqueued` is fulfilled; only a list
 * may be changed as soon as the call has returned.
 */
export type Documents<D extends object> = D | Iterable<D> | AsyncIterable<D>;

/**
 * The bytes of documents: whole (a string is taken as UTF-8), or in pieces, as a ReadableStream gives them.
 * They, too, are read until `enqueued` is fulfilled.
 */
export type ByteSource = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Any text; shown by the task. */
  customMetadata?: string;
}

export interface AdditionOptions extends WriteOptions {
  /**
   * Name of the field that holds the id. Default: that of the index, else the only field of the first
   * document whose name ends with `id`.
   */
  primaryKey?: string;
  /** True: documents whose id does not exist yet are left out. Default: false. */
  skipCreation?: boolean;
}

export interface SourceOptions extends AdditionOptions {
  format: "json" | "ndjson" | "csv";
  /** Separates the fields of a CSV line: one ASCII character. Default: a comma. */
  csvDelimiter?: string;
}

export interface Edit {
  /** Source of the function, in the language of POST `/indexes/{uid}/documents/edit`. */
  function: string;
  /** Documents to run it on. Default: all. */
  filter?: Filter | null;
  /** Values that the function reads as `context`. */
  context?: Record<string, unknown> | null;
}

export interface IndexInfo {
  uid: string;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339: the last change of the index. */
  updatedAt: string;
  /** Null until it is given, or found in the first document. */
  primaryKey: string | null;
}

export interface IndexPage {
  results: IndexInfo[];
  offset: number;
  limit: number;
  /** All indexes, not only this page. */
  total: number;
}

export interface IndexStats {
  numberOfDocuments: number;
  /** Bytes of the stored documents. */
  rawDocumentDbSize: number;
  /** Bytes of a stored document on average; 0 without documents. */
  avgDocumentSize: number;
  /** Whether the running batch works on this index. */
  isIndexing: boolean;
  /** Vectors, of all embedders. */
  numberOfEmbeddings: number;
  /** Documents with at least one vector. */
  numberOfEmbeddedDocuments: number;
  /** Number of documents that have the field, by name of the field. */
  fieldDistribution: Record<string, number>;
}

export interface StoreStats {
  /** Bytes on disk (or in memory) of all indexes, the task queue and waiting documents. */
  databaseSize: number;
  /** The same number: there is no unused part. */
  usedDatabaseSize: number;
  /** RFC 3339: the newest `updatedAt` of any index; null without indexes. */
  lastUpdate: string | null;
  indexes: Record<string, IndexStats>;
}

/** Name of a feature -> whether it is on; null: never set, and neither on nor off by default. */
export type Features = Record<string, boolean | null>;
