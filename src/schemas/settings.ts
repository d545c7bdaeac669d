// The settings of an index: Settings is the whole object as GET answers it; SettingsPatch is what PATCH takes
// and a settingsUpdate task carries. Both are derived from the same fields; src/engine/settings.ts merges a
// patch into settings.
import type { Static } from "typebox";
import * as Type from "typebox";
import type { ErrorCode } from "../errors.ts";
import { boundedChat, ChatPatch, type ChatSettings } from "./chat.ts";
import { boundedEmbedders, type EmbedderSettings, EmbeddersPatch } from "./embedders.ts";
import {
  bound,
  bounded,
  flag,
  optional,
  patchOf,
  positiveBound,
  recordOf,
  smallCount,
  strictObject,
  text,
  texts,
} from "./fields.ts";
import { LOCALES } from "./locales.ts";
import { RankingRule } from "./rankingrules.ts";

/** Setting -> code of a bad value. */
export const settingsCodes = {
  displayedAttributes: "invalid_settings_displayed_attributes",
  searchableAttributes: "invalid_settings_searchable_attributes",
  filterableAttributes: "invalid_settings_filterable_attributes",
  sortableAttributes: "invalid_settings_sortable_attributes",
  foreignKeys: "invalid_settings_foreign_keys",
  rankingRules: "invalid_settings_ranking_rules",
  stopWords: "invalid_settings_stop_words",
  nonSeparatorTokens: "invalid_settings_non_separator_tokens",
  separatorTokens: "invalid_settings_separator_tokens",
  dictionary: "invalid_settings_dictionary",
  synonyms: "invalid_settings_synonyms",
  distinctAttribute: "invalid_settings_distinct_attribute",
  proximityPrecision: "invalid_settings_proximity_precision",
  typoTolerance: "invalid_settings_typo_tolerance",
  faceting: "invalid_settings_faceting",
  pagination: "invalid_settings_pagination",
  embedders: "invalid_settings_embedders",
  searchCutoffMs: "invalid_settings_search_cutoff_ms",
  localizedAttributes: "invalid_settings_localized_attributes",
  facetSearch: "invalid_settings_facet_search",
  prefixSearch: "invalid_settings_prefix_search",
  chat: "invalid_settings_index_chat",
} satisfies Record<string, ErrorCode>;

const Features = strictObject({
  facetSearch: Type.Optional(flag),
  filter: Type.Optional(strictObject({ equality: Type.Optional(flag), comparison: Type.Optional(flag) })),
});

const FilterableRule = strictObject({ attributePatterns: texts, features: Type.Optional(Features) });
const LocalizedRule = strictObject({
  attributePatterns: texts,
  locales: Type.Array(Type.Enum([...LOCALES])),
});

const ForeignKey = strictObject({ foreignIndexUid: text, fieldName: text });
export type ForeignKey = Static<typeof ForeignKey>;

const minWordSize = { oneTypo: smallCount, twoTypos: smallCount };
const MinWordSizePatch = Type.Refine(
  patchOf(minWordSize, { description: "an object, whose `oneTypo` is at most its `twoTypos`" }),
  ({ oneTypo, twoTypos }) =>
    typeof oneTypo !== "number" || typeof twoTypos !== "number" || oneTypo <= twoTypos,
);
const typoTolerance = {
  enabled: flag,
  minWordSizeForTypos: strictObject(minWordSize),
  disableOnWords: texts,
  disableOnAttributes: texts,
  disableOnNumbers: flag,
};
const faceting = {
  maxValuesPerFacet: bound,
  sortFacetValuesBy: recordOf(Type.Enum(["alpha", "count"])),
};
const pagination = { maxTotalHits: positiveBound };

/** Settings that are replaced as a whole. */
const plain = {
  displayedAttributes: texts,
  searchableAttributes: texts,
  sortableAttributes: texts,
  rankingRules: Type.Array(RankingRule),
  stopWords: texts,
  nonSeparatorTokens: texts,
  separatorTokens: texts,
  dictionary: texts,
  synonyms: recordOf(texts),
  proximityPrecision: Type.Enum(["byWord", "byAttribute"]),
  facetSearch: flag,
  prefixSearch: Type.Enum(["indexingTime", "disabled"]),
};

/** The schema of each setting in a patch: absent means unchanged, null reset. In the order of GET. */
export const settingsFields = {
  displayedAttributes: optional(plain.displayedAttributes),
  searchableAttributes: optional(plain.searchableAttributes),
  filterableAttributes: optional(Type.Array(Type.Union([text, FilterableRule]))),
  sortableAttributes: optional(plain.sortableAttributes),
  foreignKeys: optional(Type.Array(ForeignKey)),
  rankingRules: optional(plain.rankingRules),
  stopWords: optional(plain.stopWords),
  nonSeparatorTokens: optional(plain.nonSeparatorTokens),
  separatorTokens: optional(plain.separatorTokens),
  dictionary: optional(plain.dictionary),
  synonyms: optional(plain.synonyms),
  distinctAttribute: optional(text),
  proximityPrecision: optional(plain.proximityPrecision),
  typoTolerance: optional(patchOf({ ...typoTolerance, minWordSizeForTypos: MinWordSizePatch })),
  faceting: optional(patchOf(faceting)),
  pagination: optional(patchOf(pagination)),
  embedders: optional(EmbeddersPatch),
  searchCutoffMs: optional(bound),
  localizedAttributes: optional(Type.Array(LocalizedRule)),
  facetSearch: optional(plain.facetSearch),
  prefixSearch: optional(plain.prefixSearch),
  chat: optional(ChatPatch),
};

export const SettingsPatch = strictObject(settingsFields, { "x-codes": settingsCodes });
export type SettingsPatch = Static<typeof SettingsPatch>;
export type SettingName = keyof SettingsPatch;

/** A checked patch with its bounds as all other code gets them. */
export function boundedPatch(patch: SettingsPatch): SettingsPatch {
  const { faceting, pagination, embedders, chat } = patch;
  return {
    ...bounded(patch, "searchCutoffMs"),
    ...(faceting && { faceting: bounded(faceting, "maxValuesPerFacet") }),
    ...(pagination && { pagination: bounded(pagination, "maxTotalHits") }),
    ...(embedders && { embedders: boundedEmbedders(embedders) }),
    ...(chat && { chat: boundedChat(chat) }),
  };
}

export const SettingNames = Type.Array(Type.Enum(Object.keys(settingsFields) as SettingName[]));

/** A filterable rule with all its features stated; a plain name has all of them on. */
export interface FilterableRule {
  attributePatterns: string[];
  features: { facetSearch: boolean; filter: { equality: boolean; comparison: boolean } };
}

const wholeObjects = strictObject({
  ...plain,
  typoTolerance: strictObject(typoTolerance),
  faceting: strictObject(faceting),
  pagination: strictObject(pagination),
});

/**
 * Every setting with its value in force, in normal form (see src/engine/settings.ts); secrets are not masked.
 */
export type Settings = Static<typeof wholeObjects> & {
  filterableAttributes: (string | FilterableRule)[];
  distinctAttribute: string | null;
  embedders: Record<string, EmbedderSettings>;
  /** Null: the built-in budget. */
  searchCutoffMs: number | null;
  /** Null: languages are detected from the text. Locales are in the three-letter form. */
  localizedAttributes: Static<typeof LocalizedRule>[] | null;
  /** Without effect, like `chat`; absent until set. */
  foreignKeys?: ForeignKey[];
  chat?: ChatSettings;
};
