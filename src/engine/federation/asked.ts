// A federated search as the engine is asked for it, and what it answers: handed from src/network through the
// pool to the search threads (groupsearch.ts), and back.
import type { ErrorCode } from "../../errors.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { IndexHandle } from "../engine.ts";
import type { FacetCounts } from "../facets/distribution.ts";
import type { EmbeddingRequest } from "../search/semantic.ts";
import type { Positioned } from "./merge.ts";
import type { PlannedQuery } from "./rulekinds.ts";

export interface IndexQuery {
  /** In the request. */
  position: number;
  weight: number;
  /** Offset, limit and paging are not looked at. */
  query: SearchQuery;
}

/** What is asked of one index. */
export interface IndexRequest {
  index: IndexHandle;
  queries: readonly IndexQuery[];
  /** Patterns of the facets to count; null: none. */
  facets: readonly string[] | null;
  /** Documents that count no more, since others have their distinct value. */
  dropped: readonly number[];
}

/** What is the same for all indexes. */
export interface RequestFrame {
  /** Hits that the request can show, from the first one on. */
  wanted: number;
  /** Totals are exact. */
  isPaged: boolean;
  /** Field of which each value shows once in the whole answer; null: none. */
  distinct: string | null;
  /** Hits tell where they come from; undefined: they do not. */
  remote?: string | null;
  /** Hits are for another server, which compares them with its own. */
  isForRemote: boolean;
}

export interface FederatedRequest extends RequestFrame {
  indexes: readonly IndexRequest[];
}

export interface IndexHit extends Positioned {
  docid: number;
  /** Values of the distinct field, in a form that is the same in all indexes; null without one. */
  keys: readonly string[] | null;
  /** JSON as it goes out. */
  bytes: Uint8Array;
}

/** What one index answers, but for its hits. */
export interface IndexAnswer {
  primaryKey: string | null;
  /** Of the queries that ran, or failed while they did. */
  planned: PlannedQuery[];
  /** Refusal of the first query that failed, or (null) of the facets; then nothing else is there. */
  fault: { position: number | null; code: ErrorCode; message: string } | null;
  total: number;
  facets: IndexFacets | null;
  /** Queries to embed before there is an answer. */
  embeddings: (EmbeddingRequest & { position: number })[];
  /** Time ran out before the hits of all queries were wholly ranked. */
  isDegraded: boolean;
  /** At least one query asked for vectors. */
  isSemantic: boolean;
  /** By position of the query: what was searched for. */
  queryVectors: (readonly [position: number, vector: readonly number[]])[];
}

/** The facets of an index: other servers that have it count some, too, and the settings here decide. */
export interface IndexFacets {
  counts: readonly FacetCounts[];
  /** How they are cut and ordered. */
  faceting: Settings["faceting"];
}

export interface FederatedAnswer {
  /** Of each index that was asked, in that order. */
  answers: readonly IndexAnswer[];
  /** Hits, those of each list best first. The hits of an index may be in one list with those of others. */
  lists: readonly (readonly IndexHit[])[];
}
