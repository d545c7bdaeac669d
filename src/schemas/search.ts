// The body of a search request, the same for GET (made from its parameters), POST, and the queries of a
// multi-search; and SearchQuery, which the engine gets: every field is present, with defaults filled in.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import { bound, boundOf, filter, flag, optional, ratio, strictObject, text, texts } from "./fields.ts";
import { LOCALES } from "./locales.ts";

export const LIMIT_DEFAULT = 20;
const CROP_LENGTH_DEFAULT_WORDS = 10;
const SEMANTIC_RATIO_DEFAULT = 0.5;

/** Field of a search -> code of a bad value. Parameters of GET use the same codes. */
export const searchCodes = {
  q: "invalid_search_q",
  offset: "invalid_search_offset",
  limit: "invalid_search_limit",
  page: "invalid_search_page",
  hitsPerPage: "invalid_search_hits_per_page",
  attributesToRetrieve: "invalid_search_attributes_to_retrieve",
  attributesToCrop: "invalid_search_attributes_to_crop",
  cropLength: "invalid_search_crop_length",
  cropMarker: "invalid_search_crop_marker",
  attributesToHighlight: "invalid_search_attributes_to_highlight",
  highlightPreTag: "invalid_search_highlight_pre_tag",
  highlightPostTag: "invalid_search_highlight_post_tag",
  showMatchesPosition: "invalid_search_show_matches_position",
  filter: "invalid_search_filter",
  sort: "invalid_search_sort",
  distinct: "invalid_search_distinct",
  facets: "invalid_search_facets",
  matchingStrategy: "invalid_search_matching_strategy",
  attributesToSearchOn: "invalid_search_attributes_to_search_on",
  rankingScoreThreshold: "invalid_search_ranking_score_threshold",
  locales: "invalid_search_locales",
  hybrid: "invalid_search_hybrid_query",
  vector: "invalid_search_vector",
  retrieveVectors: "invalid_search_retrieve_vectors",
  personalize: "invalid_search_personalize",
  useNetwork: "invalid_search_use_network",
  showRankingScore: "invalid_search_show_ranking_score",
  showRankingScoreDetails: "invalid_search_show_ranking_score_details",
  showPerformanceDetails: "invalid_search_show_performance_details",
} satisfies Record<string, ErrorCode>;

const Hybrid = strictObject(
  { embedder: text, semanticRatio: Type.Optional(ratio) },
  { "x-codes": { embedder: "invalid_search_embedder", semanticRatio: "invalid_search_semantic_ratio" } },
);

const Personalize = strictObject(
  { userContext: text },
  { "x-codes": { userContext: "invalid_search_personalize_user_context" } },
);

/** Fields of a search body. Where a field may be null, that means the same as absent. */
export const searchFields = {
  q: optional(text),
  offset: Type.Optional(bound),
  limit: Type.Optional(bound),
  page: optional(bound),
  hitsPerPage: optional(bound),
  attributesToRetrieve: optional(texts),
  attributesToCrop: optional(texts),
  cropLength: Type.Optional(bound),
  cropMarker: Type.Optional(text),
  attributesToHighlight: optional(texts),
  highlightPreTag: Type.Optional(text),
  highlightPostTag: Type.Optional(text),
  showMatchesPosition: Type.Optional(flag),
  filter: optional(filter),
  sort: optional(texts),
  distinct: optional(text),
  facets: optional(texts),
  matchingStrategy: Type.Optional(Type.Enum(["last", "all", "frequency"])),
  attributesToSearchOn: optional(texts),
  rankingScoreThreshold: optional(ratio),
  locales: optional(Type.Array(Type.Enum([...LOCALES]))),
  hybrid: optional(Hybrid),
  vector: optional(Type.Array(Type.Number())),
  retrieveVectors: Type.Optional(flag),
  media: Type.Optional(Type.Unknown()),
  personalize: optional(Personalize),
  useNetwork: optional(flag),
  showRankingScore: Type.Optional(flag),
  showRankingScoreDetails: Type.Optional(flag),
  showPerformanceDetails: Type.Optional(flag),
};

export const SearchBody = strictObject(searchFields, { "x-codes": searchCodes });
export type SearchBody = Static<typeof SearchBody>;

/**
 * A search as the engine gets it. Null means: for q none (placeholder search); for page and hitsPerPage not
 * given (offset mode); for attributesToRetrieve all displayed, for attributesToSearchOn all searchable; for
 * locales detected from the text; else off.
 */
export type SearchQuery = Omit<Required<SearchBody>, "hybrid"> & {
  hybrid: Required<Static<typeof Hybrid>> | null;
  /** UUID v7 of the HTTP request, echoed in the answer. */
  requestUid: string;
  /** The vector that the embedder made of the query, or why there is none; null: not made yet. */
  embedding: number[] | EmbeddingFault | null;
  /** Time spent on making it, and on waiting for a turn; shown by `showPerformanceDetails`. */
  embeddingMs: number;
  queueMs: number;
  /** UUID v7 of this query, for the `metadata` of the answer; null: no metadata is requested. */
  queryUid: string | null;
};

/** A search body; in queries of a multi-search a few more fields may be null. */
export type SearchFields = Omit<SearchBody, "offset" | "limit" | "showPerformanceDetails"> & {
  offset?: number | null;
  limit?: number | null;
  showPerformanceDetails?: boolean | null;
};

/** Why a query could not be embedded. */
export interface EmbeddingFault {
  code: ErrorCode;
  message: string;
}

/** Fills in the defaults of a validated body. */
export function searchQueryOf(body: SearchFields, requestUid: string, queryUid: string | null): SearchQuery {
  const { hybrid } = body;
  return {
    q: body.q ?? null,
    offset: boundOf(body.offset ?? 0),
    limit: boundOf(body.limit ?? LIMIT_DEFAULT),
    page: boundOf(body.page ?? null),
    hitsPerPage: boundOf(body.hitsPerPage ?? null),
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    attributesToCrop: body.attributesToCrop ?? null,
    cropLength: boundOf(body.cropLength ?? CROP_LENGTH_DEFAULT_WORDS),
    cropMarker: body.cropMarker ?? "…",
    attributesToHighlight: body.attributesToHighlight ?? null,
    highlightPreTag: body.highlightPreTag ?? "<em>",
    highlightPostTag: body.highlightPostTag ?? "</em>",
    showMatchesPosition: body.showMatchesPosition ?? false,
    filter: body.filter ?? null,
    sort: body.sort ?? null,
    distinct: body.distinct ?? null,
    facets: body.facets ?? null,
    matchingStrategy: body.matchingStrategy ?? "last",
    attributesToSearchOn: body.attributesToSearchOn ?? null,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
    locales: body.locales ?? null,
    hybrid: hybrid ? { semanticRatio: SEMANTIC_RATIO_DEFAULT, ...hybrid } : null,
    vector: body.vector ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    media: body.media ?? null,
    personalize: body.personalize ?? null,
    useNetwork: body.useNetwork ?? null,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    showPerformanceDetails: body.showPerformanceDetails ?? false,
    requestUid,
    embedding: null,
    embeddingMs: 0,
    queueMs: 0,
    queryUid,
  };
}

/** A query without the fields that have their default; `requestUid` is always present. */
export type SparseQuery = Partial<SearchQuery> & Pick<SearchQuery, "requestUid">;

const DEFAULTS: Readonly<Record<string, unknown>> = searchQueryOf({}, "", null);
const NAMES = Object.keys(DEFAULTS);

/**
 * The fields of a query that differ from their defaults: usually a fifth, as it goes to another thread as
 * JSON or becomes a key.
 */
export function sparseQuery(query: SearchQuery): SparseQuery {
  const given: Readonly<Record<string, unknown>> = query;
  const said: Record<string, unknown> = {};
  for (const name of NAMES) if (given[name] !== DEFAULTS[name]) said[name] = given[name];
  return { ...said, requestUid: query.requestUid };
}

/** The query that a sparse one was made from. */
export function wholeQuery(said: SparseQuery): SearchQuery {
  return { ...DEFAULTS, ...said } as SearchQuery;
}
