// Everything that can be asked of a store, as functions over plain data: what travels between threads, and
// comes and goes over HTTP. Answers of the engine are JSON bytes, as they are sent. Implementations:
// local.ts, over an Instance and an Engine (for the routes and the library in one process); a door whose
// core runs elsewhere sends the calls there. storefront.ts makes the typed Store of it.
import type {
  FacetSearchParameters,
  FederatedSearchParameters,
  FetchParameters,
  Filter,
  MultiSearchParameters,
  SearchParameters,
  SimilarParameters,
} from "./searches.ts";
import type { SettingName, SettingsChange } from "./settings.ts";
import type {
  AdditionOptions,
  Edit,
  Features,
  IndexInfo,
  IndexPage,
  IndexStats,
  SourceOptions,
  StoreStats,
  WriteOptions,
} from "./store.ts";
import type { EnqueuedTask, Task, TaskPage } from "./tasks.ts";

/** Which documents are to be deleted. */
export type Deletion =
  | { by: "ids"; ids: (string | number)[] }
  | { by: "filter"; filter: Filter }
  | { by: "all" };

/** `method`: whether whole documents are replaced, or only the given fields updated. */
export type Addition = AdditionOptions &
  SourceOptions & {
    method: "replace" | "update";
    /** The documents are at hand: writes that are called later wait until they are read. */
    isWhole?: boolean;
  };

/** A promise of a task is fulfilled once the write is durable; every refusal is a TarsierError. */
export interface Operations {
  /** `pieces`: the body, in pieces of any size. */
  addDocuments(
    indexUid: string,
    pieces: AsyncIterable<Uint8Array>,
    addition: Addition,
  ): Promise<EnqueuedTask>;
  deleteDocuments(indexUid: string, deletion: Deletion, options: WriteOptions): Promise<EnqueuedTask>;
  editDocuments(indexUid: string, edit: Edit, options: WriteOptions): Promise<EnqueuedTask>;
  document(indexUid: string, id: string, parts: DocumentPartsAsked): Promise<Uint8Array>;
  documents(indexUid: string, parameters: FetchParameters): Promise<Uint8Array>;

  search(indexUid: string, parameters: SearchParameters): Promise<Uint8Array>;
  facetSearch(indexUid: string, parameters: FacetSearchParameters): Promise<Uint8Array>;
  similar(indexUid: string, parameters: SimilarParameters): Promise<Uint8Array>;
  multiSearch(parameters: MultiSearchParameters | FederatedSearchParameters): Promise<Uint8Array>;

  settings(indexUid: string): Promise<Record<string, unknown>>;
  updateSettings(indexUid: string, change: SettingsChange): Promise<EnqueuedTask>;
  /** `names`: null means all. */
  resetSettings(indexUid: string, names: readonly SettingName[] | null): Promise<EnqueuedTask>;

  indexes(page: { offset?: number; limit?: number }): Promise<IndexPage>;
  index(uid: string): Promise<IndexInfo>;
  createIndex(body: { uid: string; primaryKey?: string | null }): Promise<EnqueuedTask>;
  updateIndex(
    indexUid: string,
    body: { uid?: string | null; primaryKey?: string | null },
  ): Promise<EnqueuedTask>;
  deleteIndex(indexUid: string): Promise<EnqueuedTask>;
  compactIndex(indexUid: string): Promise<EnqueuedTask>;
  swapIndexes(swaps: { indexes: string[]; rename?: boolean }[]): Promise<EnqueuedTask>;
  stats(): Promise<StoreStats>;
  indexStats(indexUid: string): Promise<IndexStats>;

  tasks(query: TaskQuery): Promise<TaskPage>;
  task(uid: number): Promise<Task>;
  /** Fulfilled when the task has ended, whether it succeeded or not. */
  ended(uid: number): Promise<Task>;
  idle(): Promise<void>;
  /** `originalFilter`: the query as details show it. */
  cancelTasks(query: TaskQuery, originalFilter: string): Promise<EnqueuedTask>;
  deleteTasks(query: TaskQuery, originalFilter: string): Promise<EnqueuedTask>;

  features(): Promise<Features>;
  setFeatures(features: Features): Promise<Features>;
  close(): Promise<void>;
}

/** Those that write, and the settings: a page loads the code for them with the first one that it calls. */
export const WRITES = [
  ...(["addDocuments", "deleteDocuments", "editDocuments"] as const),
  ...(["settings", "updateSettings", "resetSettings"] as const),
  ...(["createIndex", "updateIndex", "deleteIndex", "compactIndex", "swapIndexes"] as const),
  ...(["cancelTasks", "deleteTasks", "setFeatures"] as const),
] satisfies (keyof Operations)[];

/** The parameters of GET /tasks, as texts. */
export type TaskQuery = Readonly<Record<string, string>>;

export interface DocumentPartsAsked {
  fields?: string[] | null;
  retrieveVectors?: boolean;
  useNetwork?: boolean | null;
}
