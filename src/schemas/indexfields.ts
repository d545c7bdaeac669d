// Body of POST /indexes/{uid}/fields: which of the fields of an index are listed.
import type { Static } from "typebox";
import * as Type from "typebox";
import { bound, flag, optional, strictObject, texts } from "./fields.ts";

const FieldsFilter = strictObject(
  {
    attributePatterns: optional(texts),
    displayed: optional(flag),
    searchable: optional(flag),
    sortable: optional(flag),
    distinct: optional(flag),
    rankingRule: optional(flag),
    filterable: optional(flag),
  },
  {
    "x-codes": {
      attributePatterns: "invalid_index_fields_filter_attribute_patterns",
      displayed: "invalid_index_fields_filter_displayed",
      searchable: "invalid_index_fields_filter_searchable",
      sortable: "invalid_index_fields_filter_sortable",
      distinct: "invalid_index_fields_filter_distinct",
      rankingRule: "invalid_index_fields_filter_ranking_rule",
      filterable: "invalid_index_fields_filter_filterable",
    },
  },
);

export const FieldsBody = strictObject(
  { offset: Type.Optional(bound), limit: Type.Optional(bound), filter: optional(FieldsFilter) },
  {
    "x-codes": {
      offset: "invalid_index_offset",
      limit: "invalid_index_limit",
      filter: "invalid_index_fields_filter",
    },
  },
);

export type FieldsBody = Static<typeof FieldsBody>;
export type FieldsFilter = Static<typeof FieldsFilter>;
