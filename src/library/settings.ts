// The settings of an index as users of the library see them: the whole object as it is read, and the part of
// it that a change names. Only declarations; test/library/types.ts checks that they equal the schemas.
import type { AnyDocument, FieldName } from "./searches.ts";

/** Name of a field, or a pattern such as `author.*`. */
export type FieldPattern<D extends object> = FieldName<D> | "*" | `${string}*`;

/** Fields that are filterable only for some purposes, which saves room in the index. */
export interface FilterableRule<D extends object = AnyDocument> {
  attributePatterns: FieldPattern<D>[];
  /** What the fields can be used for. Default: everything. */
  features?: { facetSearch?: boolean; filter?: { equality?: boolean; comparison?: boolean } };
}

/** Which misspelt words still match. */
export interface TypoTolerance {
  /** False: words must be spelt exactly. Default: true. */
  enabled: boolean;
  /** Characters that a word needs to be allowed one typo (default: 5), or two (default: 9). */
  minWordSizeForTypos: { oneTypo: number; twoTypos: number };
  /** Words that allow no typo. Default: none. */
  disableOnWords: string[];
  /** Fields in which no typo is allowed. Default: none. */
  disableOnAttributes: string[];
  /** True: words that are numbers allow no typo. Default: false. */
  disableOnNumbers: boolean;
}

export interface Faceting {
  /** Most values of a facet in one answer. Default: 100. */
  maxValuesPerFacet: number;
  /** Order of facet values by field; `*`: of all other fields. Default: `{ "*": "alpha" }`. */
  sortFacetValuesBy: Record<string, "alpha" | "count">;
}

export interface Pagination {
  /** Hits that can be paged through; those beyond are never returned. Default: 1000. */
  maxTotalHits: number;
}

export type EmbedderSource = "openAi" | "huggingFace" | "ollama" | "userProvided" | "rest" | "composite";

/** Which of these fields a `source` takes, and its defaults: docs/settings.md. */
export interface SubEmbedder {
  source?: EmbedderSource | null;
  /** Name of the model at the source. */
  model?: string | null;
  /** Commit or branch of the model. Only huggingFace. */
  revision?: string | null;
  /** How the vectors of words become one. Only huggingFace. Default: `useModel`. */
  pooling?: "useModel" | "forceCls" | "forceMean" | null;
  /** Shown masked. */
  apiKey?: string | null;
  /** Numbers in a vector. Default: those of the model. */
  dimensions?: number | null;
  /** True: keeps one bit for each number. Cannot be turned off again. Default: false. */
  binaryQuantized?: boolean | null;
  /** Liquid template of the text that a document is embedded as. Default: all its searchable fields. */
  documentTemplate?: string | null;
  /** Most bytes of that text. Default: 400. */
  documentTemplateMaxBytes?: number | null;
  /** Address of the server that embeds. */
  url?: string | null;
  /** Templates by name, instead of `documentTemplate`: each gives a vector of a document. Only rest. */
  indexingFragments?: Record<string, { value: unknown } | null> | null;
  /** Templates by name for queries; exactly one must fit a query. Only rest. */
  searchFragments?: Record<string, { value: unknown } | null> | null;
  /** Body that is sent, as JSON with placeholders such as `{{text}}`. Only rest. */
  request?: unknown;
  /** Where vectors stand in the answer, as JSON with placeholders such as `{{embedding}}`. Only rest. */
  response?: unknown;
  /** Headers that are sent along. Only rest. */
  headers?: Record<string, string> | null;
}

export interface Embedder extends SubEmbedder {
  /** Embeds queries. Only composite. */
  searchEmbedder?: SubEmbedder | null;
  /** Embeds documents. Only composite. */
  indexingEmbedder?: SubEmbedder | null;
  /**
   * Mean and deviation of the similarities of this model; scores are spread by it. Default: that of the model
   * if known.
   */
  distribution?: { mean: number; sigma: number } | null;
}

/** Languages of the fields that match. */
export interface LocalizedRule {
  attributePatterns: string[];
  locales: string[];
}

/** Every setting with its value in force; secrets are masked. Meanings at length: docs/settings.md. */
export interface Settings<D extends object = AnyDocument> {
  /** Fields that answers show. Default: `["*"]`. */
  displayedAttributes: FieldPattern<D>[];
  /** Fields that are searched, most important first. Default: `["*"]`. */
  searchableAttributes: FieldPattern<D>[];
  /** Fields for `filter`, `facets` and `distinct`. Default: none. */
  filterableAttributes: (FieldPattern<D> | FilterableRule<D>)[];
  /** Fields for `sort`. Default: none. */
  sortableAttributes: FieldPattern<D>[];
  /**
   * Rules that order hits, most important first. Default: words, typo, proximity, attributeRank, sort,
   * wordPosition, exactness.
   */
  rankingRules: string[];
  /** Words that are not searched, such as `the`. Default: none. */
  stopWords: string[];
  /** Characters that do not separate words, such as `#` in `C#`. Default: none. */
  nonSeparatorTokens: string[];
  /** More texts that separate words, such as `&sep;`. Default: none. */
  separatorTokens: string[];
  /** Texts that stay one word, such as `J. R. R.`. Default: none. */
  dictionary: string[];
  /** Word -> what else it may be; one way, so name both ways if both are meant. Default: `{}`. */
  synonyms: Record<string, string[]>;
  /**
   * Of the documents with the same value in this field, only the best is a hit. Default: null, all of them.
   */
  distinctAttribute: FieldName<D> | null;
  /**
   * What counts as near: `byWord`, the number of words between; `byAttribute`, being in the same field.
   * Default: `byWord`.
   */
  proximityPrecision: "byWord" | "byAttribute";
  typoTolerance: TypoTolerance;
  faceting: Faceting;
  pagination: Pagination;
  /** Embedders by name. Default: `{}`. */
  embedders: Record<string, Embedder>;
  /** Milliseconds after which a search ends with the order it has. Default: null, which means 1500. */
  searchCutoffMs: number | null;
  /** Languages of fields. Default: null, detected from the text. */
  localizedAttributes: LocalizedRule[] | null;
  /** False: facet searches are refused. Default: true. */
  facetSearch: boolean;
  /** `disabled`: the last word of a query must match whole words. Default: `indexingTime`. */
  prefixSearch: "indexingTime" | "disabled";
}

/** Absent settings keep their value, null resets to the default. Objects are merged field by field. */
export type SettingsChange<D extends object = AnyDocument> = {
  [Name in Exclude<keyof Settings<D>, keyof MergedSettings>]?: Settings<D>[Name] | null;
} & {
  [Name in keyof MergedSettings]?: MergedSettings[Name] | null;
};

export type SettingName = keyof Settings;

interface MergedSettings {
  typoTolerance: Change<Omit<TypoTolerance, "minWordSizeForTypos">> & {
    minWordSizeForTypos?: Change<TypoTolerance["minWordSizeForTypos"]> | null;
  };
  faceting: Change<Faceting>;
  pagination: Change<Pagination>;
  embedders: Record<string, Embedder | null>;
}

type Change<T> = { [Name in keyof T]?: T[Name] | null };
