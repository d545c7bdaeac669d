// A federated search as it is put to the engine, and its answer: handed from src/network through the pool to
// the search threads (groupsearch.ts), and back.
import type { ErrorCode } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { FacetCounts } from "../facets/distribution.ts";
import type { IndexHandle } from "../indexhandle.ts";
import type { EmbeddingRequest } from "../search/semantic.ts";
import type { Positioned } from "./merge.ts";
import type { PlannedQuery } from "./rulekinds.ts";

export interface IndexQuery {
  /** Place of the query in the request. */
  position: number;
  weight: number;
  /** Its offset, limit and paging are ignored. */
  query: SearchQuery;
}

/** The part of the request about one index. */
export interface IndexRequest {
  index: IndexHandle;
  queries: readonly IndexQuery[];
  /** Patterns of the facets to count; null: none. */
  facets: readonly string[] | null;
  /** Documents that do not count, since others have their distinct value. */
  dropped: readonly number[];
}

/** The part of the request that is the same for all indexes. */
export interface RequestFrame {
  /** Number of hits that the request can show, counted from the first one. */
  wanted: number;
  /**
   * Number of hits before the page, where all hits are found here: a thread that searches all indexes need
   * not give them; 0: all may be needed, since others come between them.
   */
  passed: number;
  /** Totals must be exact. */
  isPaged: boolean;
  /** Field whose values each show only once in the whole answer; null: none. */
  distinct: string | null;
  /** Server that hits name as their origin; undefined: they name none. */
  remote?: string | null;
  /** The hits go to another server, which compares them with its own. */
  isForRemote: boolean;
}

export interface FederatedRequest extends RequestFrame {
  indexes: readonly IndexRequest[];
}

export interface IndexHit extends Positioned {
  docid: number;
  /** Values of the distinct field, in a form that is the same in all indexes; null without one. */
  keys: readonly string[] | null;
  /** JSON as it is sent. */
  bytes: Uint8Array;
}

/** The answer of one index, apart from its hits. */
export interface IndexAnswer {
  primaryKey: string | null;
  /** The kinds of rules of the queries that ran, or failed while running. */
  planned: PlannedQuery[];
  /** Refusal of the first query that failed, or (position null) of the facets; then all the rest is empty. */
  fault: { position: number | null; code: ErrorCode; message: string } | null;
  total: number;
  facets: IndexFacets | null;
  /** Queries that must be embedded before there is an answer. */
  embeddings: (EmbeddingRequest & { position: number })[];
  /** Time ran out before the hits of all queries were fully ranked. */
  isDegraded: boolean;
  /** At least one query asked for vectors. */
  isSemantic: boolean;
  /** The vector that was searched for, by position of the query. */
  queryVectors: (readonly [position: number, vector: readonly number[]])[];
}

/** Before any query has run. */
export const emptyAnswer = (primaryKey: string | null): IndexAnswer => ({
  primaryKey,
  planned: [],
  fault: null,
  total: 0,
  facets: null,
  embeddings: [],
  isDegraded: false,
  isSemantic: false,
  queryVectors: [],
});

/**
 * The facets of an index: other servers that have it count some as well, but the settings of this one decide.
 */
export interface IndexFacets {
  counts: readonly FacetCounts[];
  /** Settings for cutting and ordering them. */
  faceting: Settings["faceting"];
}

export interface FederatedAnswer {
  /** One for each index that was asked, in that order. */
  answers: readonly IndexAnswer[];
  /** Hits, each list best first. The hits of an index may share a list with those of others. */
  lists: readonly (readonly IndexHit[])[];
  /** Number of hits that come before all of these, and were left out. */
  passed: number;
}
