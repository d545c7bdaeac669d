// What a federated search asks for, once its body is checked (src/operations/federation.ts), and its result
// before it becomes JSON (federatedanswer.ts).
import type { FacetCounts } from "../engine/facets/distribution.ts";
import type { Steps } from "../engine/search/steps.ts";
import type { ErrorObject } from "../errors.ts";
import type { SearchQuery } from "../schemas/search.ts";

export interface FederatedQuery {
  position: number;
  indexUid: string;
  weight: number;
  /** Name of the server that runs it; null: this one. */
  remote: string | null;
  query: SearchQuery;
  /** Whether it is one of the copies for all servers of a query that names none. */
  isSpread: boolean;
  /** Throws if the query asks for what it may not; called after the queries before it proved valid. */
  check(): void;
  /** The query as it is sent to another server. */
  body(): Record<string, unknown>;
}

export interface Federation {
  offset: number;
  limit: number;
  /** Null: `offset` and `limit` apply. */
  page: number | null;
  hitsPerPage: number | null;
  /** Patterns by index uid; null: the index is named, but none of its facets are requested. */
  facetsByIndex: ReadonlyMap<string, readonly string[] | null>;
  /** Merges the facets of all indexes, with at most this many values per field; null: they stay separate. */
  mergeFacets: { most: number } | null;
  distinct: string | null;
  showPerformanceDetails: boolean;
}

export interface FederatedSearch {
  queries: readonly FederatedQuery[];
  federation: Federation;
  /** With metadata; remotes are asked for it, too. */
  hasMetadata: boolean;
  /** It is one query to several servers, so refusals need not name it. */
  isOneQuery: boolean;
  /** Another server asks, and merges the hits with its own. */
  isForRemote: boolean;
}

export interface QueryMetadata {
  queryUid: string;
  indexUid: string;
  primaryKey?: string;
  remote?: string;
}

export interface FederatedResult {
  /** Hits of the page, as the JSON that is sent. */
  hits: Uint8Array[];
  total: number;
  /** Hits of the page that vectors found; null: no local query uses vectors. */
  semanticHitCount: number | null;
  /** By position of the query: vectors that were searched for, where the query shows them. */
  queryVectors: Record<string, readonly number[]>;
  facetsByIndex: ReadonlyMap<string, readonly FacetCounts[]>;
  /** Null: facets are not merged, or none were requested. */
  facets: readonly FacetCounts[] | null;
  /** By name of the remote; null: the request names no remote. */
  remoteErrors: Record<string, ErrorObject> | null;
  /** One per query; for a query to all servers, that of this server. */
  metadata: QueryMetadata[];
  /** Time of the slowest remote, as stated by it. */
  remoteMs: number;
  /** Time of the parts of the search on this server, and of waiting for a turn before. */
  steps: Steps;
  queueMs: number;
}

/** The page of the merged list. */
export interface Page {
  offset: number;
  limit: number;
  /** Whether totals must be exact. */
  isPaged: boolean;
}

export const HITS_PER_PAGE_DEFAULT = 20;

export function pageOf({ offset, limit, page, hitsPerPage }: Federation): Page {
  if (page === null && hitsPerPage === null) return { offset, limit, isPaged: false };
  const size = hitsPerPage ?? HITS_PER_PAGE_DEFAULT;
  const number = page ?? 1;
  return { offset: Math.max(0, number - 1) * size, limit: number === 0 ? 0 : size, isPaged: true };
}

/** Hits to ask every part for, even when none are shown: some totals depend on it. */
export function wantedOf({ offset, limit }: Page): number {
  return Math.min(offset + limit, Number.MAX_SAFE_INTEGER);
}
