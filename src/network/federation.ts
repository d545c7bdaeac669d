// What a federated search asks for, after its body was checked (src/http/multisearch.ts), and what it found
// before that becomes JSON (federatedanswer.ts).
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
  /** It is one of the copies for all servers of a query that names none. */
  isSpread: boolean;
  /** Throws what it says and cannot: told behind what is wrong with those before it. */
  check(): void;
  /** The query as another server gets it. */
  body(): Record<string, unknown>;
}

export interface Federation {
  offset: number;
  limit: number;
  /** Null: offset and limit count. */
  page: number | null;
  hitsPerPage: number | null;
  /** Patterns by index uid; null: the index is named, and nothing of it is asked for. */
  facetsByIndex: ReadonlyMap<string, readonly string[] | null>;
  /** Facets of all indexes become one list of at most so many values a field; null: they do not. */
  mergeFacets: { most: number } | null;
  distinct: string | null;
  showPerformanceDetails: boolean;
}

export interface FederatedSearch {
  queries: readonly FederatedQuery[];
  federation: Federation;
  /** Asked for with metadata: remotes are asked for it, too. */
  hasMetadata: boolean;
  /** One query, asked of several servers: refusals need not name it. */
  isOneQuery: boolean;
  /** For another server, which merges the hits with its own. */
  isForRemote: boolean;
}

export interface QueryMetadata {
  queryUid: string;
  indexUid: string;
  primaryKey?: string;
  remote?: string;
}

export interface FederatedResult {
  /** Hits of the page: JSON as it goes out. */
  hits: Uint8Array[];
  total: number;
  /** Hits of the page that vectors found; null: no query here asks for vectors. */
  semanticHitCount: number | null;
  /** By position of the query: the vectors that were searched for, where they are to be shown. */
  queryVectors: Record<string, readonly number[]>;
  facetsByIndex: ReadonlyMap<string, readonly FacetCounts[]>;
  /** Null: facets are not merged, or none are asked for. */
  facets: readonly FacetCounts[] | null;
  /** By name of the remote; null: no remote is named in the request. */
  remoteErrors: Record<string, ErrorObject> | null;
  /** Of each query; of one that is asked of all servers, as this one has it. */
  metadata: QueryMetadata[];
  /** The slowest remote, as it says. */
  remoteMs: number;
  /** How long the parts of the search took here, and the wait for a turn before. */
  steps: Steps;
  queueMs: number;
}

/** Page of the merged list. */
export interface Page {
  offset: number;
  limit: number;
  /** Totals are exact. */
  isPaged: boolean;
}

export const HITS_PER_PAGE_DEFAULT = 20;

export function pageOf({ offset, limit, page, hitsPerPage }: Federation): Page {
  if (page === null && hitsPerPage === null) return { offset, limit, isPaged: false };
  const size = hitsPerPage ?? HITS_PER_PAGE_DEFAULT;
  const number = page ?? 1;
  return { offset: Math.max(0, number - 1) * size, limit: number === 0 ? 0 : size, isPaged: true };
}

/** Hits that every part of the search is asked for, also where none is shown: some totals depend on it. */
export function wantedOf({ offset, limit }: Page): number {
  return Math.min(offset + limit, Number.MAX_SAFE_INTEGER);
}
