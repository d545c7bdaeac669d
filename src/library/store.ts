// The library: what `open(options)` gives, the same behind every door (src/index.ts for Node, Bun and Deno;
// src/browser.ts). Declarations only, and nothing of any runtime, so that each door can implement them:
// storefront.ts makes a Store of the Operations (operations.ts) that a door provides.
//
// Parameters, checks and answers are those of the HTTP API. Whatever is refused is thrown as a TarsierError
// with `code`, `type`, `link`, `status`.
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

/** Indexes in one folder, or in memory. */
export interface Store {
  /** An index by its uid, whether it exists or not: the first documents or settings create it. */
  index<D extends object = AnyDocument>(uid: string): StoreIndex<D>;
  indexes(page?: { offset?: number; limit?: number }): Promise<IndexPage>;
  /** Not needed before documents are added; names the primary key. */
  createIndex(uid: string, options?: { primaryKey?: string | null }): PendingTask;
  /** Exchanges two indexes with all that belongs to them; `rename`: the second one does not exist. */
  swapIndexes(swaps: { indexes: [string, string]; rename?: boolean }[]): PendingTask;

  multiSearch<D extends object = AnyDocument>(
    parameters: MultiSearchParameters<D>,
  ): Promise<MultiSearchAnswer<D>>;
  /** The hits of all queries become one list. */
  multiSearch<D extends object = AnyDocument>(
    parameters: FederatedSearchParameters<D>,
  ): Promise<FederatedSearchAnswer<D>>;

  readonly tasks: StoreTasks;
  stats(): Promise<StoreStats>;
  /** Switches of experimental features, such as `containsFilter`. */
  features(): Promise<Features>;
  setFeatures(features: Partial<Features>): Promise<Features>;
  /**
   * Stops what runs and closes all files. Tasks that wait go on at the next `open` (in memory, they are
   * gone).
   */
  close(): Promise<void>;
}

/** One index whose documents have the type D. */
export interface StoreIndex<D extends object = AnyDocument> {
  readonly uid: string;

  // Documents
  /** Documents with an id that is there are replaced. */
  add(documents: Documents<D>, options?: AdditionOptions): PendingTask;
  /** Of documents with an id that is there, only the fields that are given change. */
  update(documents: Documents<Partial<D>>, options?: AdditionOptions): PendingTask;
  /** The same with documents as JSON, NDJSON or CSV, such as the stream of a file. */
  addFrom(source: ByteSource, options: SourceOptions): PendingTask;
  updateFrom(source: ByteSource, options: SourceOptions): PendingTask;
  delete(ids: string | number | readonly (string | number)[], options?: WriteOptions): PendingTask;
  deleteByFilter(filter: Filter, options?: WriteOptions): PendingTask;
  deleteAll(options?: WriteOptions): PendingTask;
  /** Runs a function on every document that the filter lets through; an experimental feature. */
  edit(edit: Edit, options?: WriteOptions): PendingTask;
  /** @throws TarsierError document_not_found */
  get(id: string | number, parts?: { fields?: string[] | null; retrieveVectors?: boolean }): Promise<D>;
  fetch(parameters?: FetchParameters<D>): Promise<FetchAnswer<D>>;

  // Searches
  search(q: string | null, parameters?: SearchParameters<D>): Promise<SearchAnswer<D>>;
  search(parameters?: SearchParameters<D>): Promise<SearchAnswer<D>>;
  facetSearch(parameters: FacetSearchParameters<D>): Promise<FacetSearchAnswer>;
  similar(parameters: SimilarParameters<D>): Promise<SimilarAnswer<D>>;

  // The index itself
  settings(): Promise<Settings<D>>;
  updateSettings(change: SettingsChange<D>): PendingTask;
  /** All of them, or those that are named, go back to their defaults. */
  resetSettings(names?: readonly SettingName[]): PendingTask;
  info(): Promise<IndexInfo>;
  stats(): Promise<IndexStats>;
  setPrimaryKey(primaryKey: string): PendingTask;
  rename(uid: string): PendingTask;
  /** Merges what is stored into as little as may be. */
  compact(): PendingTask;
  /** Removes the index with its documents. */
  drop(): PendingTask;
}

export interface StoreTasks {
  list(listing?: TaskListing): Promise<TaskPage>;
  /** @throws TarsierError task_not_found */
  get(uid: number): Promise<Task>;
  /** The end of a task, as that of a PendingTask. */
  wait(uid: number): Promise<Task>;
  /** Fulfilled when no task waits or runs. */
  idle(): Promise<void>;
  /** At least one field must restrict something, or say `*`. */
  cancel(filter: TaskFilter): PendingTask;
  delete(filter: TaskFilter): PendingTask;
}

export type Documents<D extends object> = D | Iterable<D> | AsyncIterable<D>;

/** Bytes of documents: whole, or in pieces. A ReadableStream is one, too. */
export type ByteSource = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Shown by the task. */
  customMetadata?: string;
}

export interface AdditionOptions extends WriteOptions {
  /** Default: the field of the first document whose name ends with `id`. */
  primaryKey?: string;
  /** Documents whose id is not there are left out. */
  skipCreation?: boolean;
}

export interface SourceOptions extends AdditionOptions {
  format: "json" | "ndjson" | "csv";
  /** One ASCII character; default: a comma. */
  csvDelimiter?: string;
}

export interface Edit {
  /** In the language of the HTTP API's `documents/edit`. */
  function: string;
  filter?: Filter | null;
  context?: Record<string, unknown> | null;
}

export interface IndexInfo {
  uid: string;
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
}

export interface IndexPage {
  results: IndexInfo[];
  offset: number;
  limit: number;
  total: number;
}

export interface IndexStats {
  numberOfDocuments: number;
  rawDocumentDbSize: number;
  avgDocumentSize: number;
  isIndexing: boolean;
  numberOfEmbeddings: number;
  numberOfEmbeddedDocuments: number;
  /** Number of documents by field. */
  fieldDistribution: Record<string, number>;
}

export interface StoreStats {
  databaseSize: number;
  usedDatabaseSize: number;
  lastUpdate: string | null;
  indexes: Record<string, IndexStats>;
}

export type Features = Record<string, boolean | null>;
