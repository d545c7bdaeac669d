// The settings of an index as users of the library see them: the whole object as it is read, and the part of
// it that a change names. Plain declarations; test/library/types.ts holds them equal to the schemas.
import type { AnyDocument, FieldName } from "./searches.ts";

/** Names, or patterns such as `author.*`. */
export type FieldPattern<D extends object> = FieldName<D> | "*" | `${string}*`;

export interface FilterableRule<D extends object = AnyDocument> {
  attributePatterns: FieldPattern<D>[];
  features?: { facetSearch?: boolean; filter?: { equality?: boolean; comparison?: boolean } };
}

export interface TypoTolerance {
  enabled: boolean;
  minWordSizeForTypos: { oneTypo: number; twoTypos: number };
  disableOnWords: string[];
  disableOnAttributes: string[];
  disableOnNumbers: boolean;
}

export interface Faceting {
  maxValuesPerFacet: number;
  sortFacetValuesBy: Record<string, "alpha" | "count">;
}

export interface Pagination {
  maxTotalHits: number;
}

export type EmbedderSource = "openAi" | "huggingFace" | "ollama" | "userProvided" | "rest" | "composite";

/** Which fields a source takes is said by the documentation of the settings. */
export interface SubEmbedder {
  source?: EmbedderSource | null;
  model?: string | null;
  revision?: string | null;
  pooling?: "useModel" | "forceCls" | "forceMean" | null;
  apiKey?: string | null;
  dimensions?: number | null;
  binaryQuantized?: boolean | null;
  documentTemplate?: string | null;
  documentTemplateMaxBytes?: number | null;
  url?: string | null;
  indexingFragments?: Record<string, { value: unknown } | null> | null;
  searchFragments?: Record<string, { value: unknown } | null> | null;
  request?: unknown;
  response?: unknown;
  headers?: Record<string, string> | null;
}

export interface Embedder extends SubEmbedder {
  searchEmbedder?: SubEmbedder | null;
  indexingEmbedder?: SubEmbedder | null;
  distribution?: { mean: number; sigma: number } | null;
}

export interface LocalizedRule {
  attributePatterns: string[];
  locales: string[];
}

/** Every setting with its value in force; secrets are masked. */
export interface Settings<D extends object = AnyDocument> {
  displayedAttributes: FieldPattern<D>[];
  searchableAttributes: FieldPattern<D>[];
  filterableAttributes: (FieldPattern<D> | FilterableRule<D>)[];
  sortableAttributes: FieldPattern<D>[];
  rankingRules: string[];
  stopWords: string[];
  nonSeparatorTokens: string[];
  separatorTokens: string[];
  dictionary: string[];
  synonyms: Record<string, string[]>;
  distinctAttribute: FieldName<D> | null;
  proximityPrecision: "byWord" | "byAttribute";
  typoTolerance: TypoTolerance;
  faceting: Faceting;
  pagination: Pagination;
  embedders: Record<string, Embedder>;
  searchCutoffMs: number | null;
  localizedAttributes: LocalizedRule[] | null;
  facetSearch: boolean;
  prefixSearch: "indexingTime" | "disabled";
}

/** What is absent stays as it is, null means the default. Objects are merged field by field. */
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
