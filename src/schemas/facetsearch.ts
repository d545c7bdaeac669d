// Body of POST facet-search, and FacetSearchQuery, which the engine gets.
import type { Static } from "typebox";
import * as Type from "typebox";
import { flag, optional, text } from "./fields.ts";
import { type SearchQuery, searchCodes, searchFields } from "./search.ts";

const { q, filter, matchingStrategy, attributesToSearchOn, rankingScoreThreshold, locales } = searchFields;
const { vector, media, hybrid, useNetwork } = searchFields;

/** Other fields are ignored, so that the body of a search may be sent. */
export const FacetSearchBody = Type.Object(
  {
    facetName: text,
    facetQuery: optional(text),
    exhaustiveFacetCount: optional(flag),
    q,
    filter,
    matchingStrategy,
    attributesToSearchOn,
    rankingScoreThreshold,
    locales,
    vector,
    media,
    hybrid,
    useNetwork,
  },
  {
    additionalProperties: true,
    "x-codes": {
      ...searchCodes,
      facetName: "invalid_facet_search_facet_name",
      facetQuery: "invalid_facet_search_query",
      exhaustiveFacetCount: "invalid_facet_search_exhaustive_facet_count",
    },
    "x-missing": { facetName: "missing_facet_search_facet_name" },
  },
);
export type FacetSearchBody = Static<typeof FacetSearchBody>;

/** Null means for facetQuery all values; otherwise as in a SearchQuery. */
export type FacetSearchQuery = Pick<
  SearchQuery,
  "q" | "filter" | "matchingStrategy" | "attributesToSearchOn" | "rankingScoreThreshold" | "locales"
> & {
  facetName: string;
  facetQuery: string | null;
  exhaustiveFacetCount: boolean;
  /** The embedder that a search would use, and its vector; null: it would use none. */
  semantic: { embedder: string; vector: number[] | null } | null;
};

/** Fills in the defaults of a validated body. In a search by vectors the words of the query do not count. */
export function facetSearchQueryOf(body: FacetSearchBody): FacetSearchQuery {
  const { facetName, facetQuery = null, exhaustiveFacetCount } = body;
  const { filter = null, matchingStrategy = "last", hybrid = null } = body;
  const isByVectors = hybrid !== null && hybrid.semanticRatio !== 0;
  const q = isByVectors ? null : (body.q ?? null);
  const { vector = null, media = null } = body;
  const isAsked = body.q?.trim() || vector !== null || media !== null;
  const semantic = isByVectors && isAsked ? { embedder: hybrid.embedder, vector } : null;
  const { attributesToSearchOn = null, rankingScoreThreshold = null, locales = null } = body;
  const search = { q, filter, matchingStrategy, attributesToSearchOn, rankingScoreThreshold, locales };
  return { facetName, facetQuery, exhaustiveFacetCount: exhaustiveFacetCount ?? false, semantic, ...search };
}
