// What the rest of the program asks of the engine: run a batch of operations on one index, answer reads from
// one. Called by the scheduler (src/tasks) and the operations (src/operations); implemented by
// src/engine/pool.ts, in worker threads or in the caller's.
import type { CallStatistics } from "../embedders/embedder.ts";
import type { ErrorObject } from "../errors.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import type { FacetSearchQuery } from "../schemas/facetsearch.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Settings, SettingsPatch } from "../schemas/settings.ts";
import type { SimilarQuery } from "../schemas/similar.ts";
import type { EmbeddingCounts } from "../segment/manifeststate.ts";
import type { FederatedAnswer, FederatedRequest } from "./federation/asked.ts";
import type { EngineFigures } from "./figures.ts";
import type { IndexHandle } from "./indexhandle.ts";
import type { Shard } from "./shard.ts";
import type { Turn } from "./turn.ts";

/** `complete`: like `update`, but the fields that a document has already stay as they are. */
export type Method = "replace" | "update" | "complete";

/** A change of one index; operations run in the order of their tasks. Each one yields exactly one result. */
export type Operation =
  | {
      kind: "add";
      taskUid: number;
      /**
       * The payload or its path: NDJSON, one document a line, already checked to be JSON objects. Null: no
       * documents.
       */
      payload: Uint8Array | string | null;
      /**
       * Size of the file as it was accepted: a file of another size is refused. Default: any size will do.
       */
      payloadBytes?: number;
      method: Method;
      primaryKey: string | null;
      /** Leaves out documents whose id is not yet known. */
      skipCreation: boolean;
      /** Leaves out documents that another server keeps. Default: none. */
      shard?: Shard;
    }
  | { kind: "deleteIds"; taskUid: number; ids: string[] }
  | { kind: "deleteFilter"; taskUid: number; filter: unknown }
  | { kind: "clear"; taskUid: number }
  /** Runs a function on every document that passes the filter (null: on all). Alone in its batch. */
  | {
      kind: "edit";
      taskUid: number;
      filter: unknown;
      context: Record<string, unknown> | null;
      source: string;
    }
  | { kind: "settings"; taskUid: number; patch: SettingsPatch }
  /** Sets the primary key of an index without documents (index creation and update). */
  | { kind: "primaryKey"; taskUid: number; primaryKey: string };

/** What an operation did, or why it failed. A failed operation has changed nothing. */
export interface OperationResult {
  taskUid: number;
  error: ErrorObject | null;
  /** add: distinct ids of the payload. */
  indexedDocuments?: number;
  /** edit: documents on which the function was run. */
  editedDocuments?: number;
  /** deleteIds, deleteFilter, clear, edit: documents that this operation removed. */
  deletedDocuments?: number;
  /** deleteIds: distinct ids that were given, known or not. */
  distinctIds?: number;
}

/**
 * One batch. All its effects become visible together, and survive a crash, before the promise is fulfilled.
 */
export interface Batch {
  /** Folder of the index; created when it is missing. */
  folder: string;
  /** Name of the index, for messages. */
  indexUid: string;
  /**
   * Number of the newest manifest that the caller knows of: if the one on disk is older, it is damaged.
   * Default: 0.
   */
  version?: number;
  operations: Operation[];
  /** Were its documents in an index before? Default: false. */
  isRestored?: boolean;
}

export interface BatchResult {
  results: OperationResult[];
  index: IndexDescription;
  /** True when documents or settings reached the index (its `updatedAt` moves). */
  changed: boolean;
  /** Calls of embedders; absent when there were none. */
  embedderRequests?: CallStatistics;
}

/** What the instance knows of an index without opening it. */
export interface IndexDescription {
  /** Number of the manifest that a reader must have read to see this state. */
  version: number;
  primaryKey: string | null;
  numberOfDocuments: number;
  /** Top-level field name -> number of documents that have it. */
  fieldDistribution: Record<string, number>;
  /** Bytes of stored documents before compression. */
  rawDocumentBytes: number;
  /** Vectors of all embedders, and documents with at least one. */
  embeddings: EmbeddingCounts;
  /** Bytes of the folder. */
  diskBytes: number;
}

/** Outcome of a compaction. */
export interface Compaction {
  index: IndexDescription;
  /** Bytes of the segments in use; files that are about to be removed do not count. */
  bytesBefore: number;
  bytesAfter: number;
}

/** Asks for a piece of the documents of an index, in the order of their numbers. */
export interface LinesQuery {
  /** `next` of the previous piece; 0 for the first one. */
  from: number;
  filter: DocumentsQuery["filter"];
  /** A piece exceeds this only when it is a single document that is larger. */
  bytesMax: number;
}

export interface DocumentLines {
  /** Whole documents, each followed by a line feed. */
  lines: Uint8Array;
  documents: number;
  /** Null when there are no more. */
  next: number | null;
}

/** Steps of a running batch, as batches show them (`progress.steps`), and its calls of embedders so far. */
export type ProgressListener = (steps: BatchStep[], embedderRequests: CallStatistics) => void;

/** The arguments of such a listener, as one value. */
export type BatchNote = Parameters<ProgressListener>;

export interface BatchStep {
  currentStep: string;
  finished: number;
  total: number;
}

export interface Engine {
  /**
   * The damage in the files of an index, as far as calls about it have met it: file, offset, expected and
   * found value. Null when none is known.
   */
  damageOf(folder: string): string | null;
  /** State of the index in a folder; an empty one when there is none. Reads the manifest. */
  describe(folder: string): Promise<IndexDescription>;
  /**
   * Runs the operations and commits them in one step. Operations that a crashed run already committed are not
   * applied again; their old results are returned. Rejects with a TarsierError when the whole batch fails,
   * nothing changed; with code `aborted` after `signal` fired; with `commit_in_doubt` when it may or may not
   * have been committed: running it again after the next start will tell.
   */
  run(batch: Batch, progress?: ProgressListener, signal?: AbortSignal): Promise<BatchResult>;
  /**
   * Merges the segments of an index into as few as possible, dropping deleted documents. Must not be called
   * while a batch runs on it. Rejects with code `aborted` after `signal` fired.
   */
  compact(folder: string, signal?: AbortSignal): Promise<Compaction>;
  /**
   * Answer of a search, as JSON bytes. Rejects with a TarsierError for requests that the index cannot answer.
   * `turn`: given up to others while the query is being embedded; default: it is kept.
   */
  search(index: IndexHandle, query: SearchQuery, turn?: Turn): Promise<Uint8Array>;
  /**
   * What the queries of a federated search find, in a form that can be merged with other servers. Refusals
   * are part of the answer: which of all indexes' refusals counts is decided later.
   */
  searchFederated(request: FederatedRequest, turn?: Turn): Promise<FederatedAnswer>;
  /** Documents near a document, as JSON bytes. Rejects like `search`. */
  similar(index: IndexHandle, query: SimilarQuery): Promise<Uint8Array>;
  /** Answer of a facet search, as JSON bytes. Rejects like `search`. */
  facetSearch(index: IndexHandle, query: FacetSearchQuery): Promise<Uint8Array>;
  /** Answer of GET and POST documents: `{results, offset, limit, total}` as JSON bytes. */
  documents(index: IndexHandle, query: DocumentsQuery): Promise<Uint8Array>;
  /** One document as JSON bytes, or null. */
  document(index: IndexHandle, id: string, parts: DocumentParts): Promise<Uint8Array | null>;
  /** Documents in the form that dumps and exports take. Rejects like `search`. */
  lines(index: IndexHandle, query: LinesQuery): Promise<DocumentLines>;
  /** Names of the fields of the documents, flattened, in the order of their bytes. */
  fields(index: IndexHandle): Promise<string[]>;
  /** Whole settings of an index. */
  settings(index: IndexHandle): Promise<Settings>;
  /** Removes the folder of an index and everything cached of it. */
  drop(folder: string): Promise<void>;
  /** Figures for monitoring; `folders`: the indexes whose segments are counted. */
  figures(folders: readonly string[]): Promise<EngineFigures>;
  close(): Promise<void>;
}
