// Body of POST /multi-search. Its queries are search bodies with the uid of an index; with `federation`,
// their hits are merged into one list.
import type { Static } from "typebox";
import * as Type from "typebox";
import { bound, count, flag, nullable, optional, recordOf, strictObject, text, texts } from "./fields.ts";
import { indexUid } from "./indexes.ts";
import { searchCodes, searchFields } from "./search.ts";

const FederationOptions = strictObject(
  {
    weight: Type.Optional(Type.Number({ minimum: 0, description: "a number from 0 up" })),
    remote: optional(text),
    queryPosition: optional(count),
  },
  {
    "x-codes": {
      weight: "invalid_multi_search_weight",
      remote: "invalid_multi_search_remote",
      queryPosition: "invalid_multi_search_query_position",
    },
  },
);

export const MultiSearchQuery = strictObject(
  {
    ...searchFields,
    indexUid,
    offset: optional(bound),
    limit: optional(bound),
    showPerformanceDetails: optional(flag),
    federationOptions: optional(FederationOptions),
  },
  {
    "x-codes": { ...searchCodes, indexUid: "invalid_index_uid" },
    "x-missing": { indexUid: "missing_index_uid" },
  },
);
export type MultiSearchQuery = Static<typeof MultiSearchQuery>;

const MergeFacets = strictObject(
  { maxValuesPerFacet: optional(bound) },
  { "x-codes": { maxValuesPerFacet: "invalid_multi_search_max_values_per_facet" } },
);

export const FederationBody = strictObject(
  {
    offset: Type.Optional(bound),
    limit: Type.Optional(bound),
    page: optional(bound),
    hitsPerPage: optional(bound),
    facetsByIndex: Type.Optional(recordOf(nullable(texts))),
    mergeFacets: optional(MergeFacets),
    distinct: optional(text),
    showPerformanceDetails: searchFields.showPerformanceDetails,
    personalize: searchFields.personalize,
  },
  {
    "x-codes": {
      offset: "invalid_search_offset",
      limit: "invalid_search_limit",
      page: "invalid_search_page",
      hitsPerPage: "invalid_search_hits_per_page",
      facetsByIndex: "invalid_multi_search_facets_by_index",
      mergeFacets: "invalid_multi_search_merge_facets",
      distinct: "invalid_search_distinct",
      showPerformanceDetails: "invalid_search_show_performance_details",
      personalize: "invalid_search_personalize",
    },
  },
);
export type FederationBody = Static<typeof FederationBody>;

export const MultiSearchBody = strictObject({
  queries: Type.Array(MultiSearchQuery),
  federation: optional(FederationBody),
});
export type MultiSearchBody = Static<typeof MultiSearchBody>;
