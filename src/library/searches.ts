// What searches of the library take and answer, as users of the package see it: the bodies and answers of the
// HTTP API, typed by the documents of an index. Plain declarations, so that they can be read without the
// library that the schemas are written in; test/library/types.ts holds both equal.
import type { ErrorObject } from "../errors.ts";

/** The fields of documents that nothing is known of. */
export type AnyDocument = Record<string, unknown>;

/** A field, or a path into one. */
export type FieldName<D extends object> = TopName<D> | `${TopName<D>}.${string}`;
type TopName<D extends object> = Extract<keyof D, string>;

/** `*`: every field. */
export type FieldList<D extends object> = readonly (FieldName<D> | "*")[];

/** A field whose texts are cut, as `overview` or `overview:20` words. */
export type CroppedField<D extends object> = FieldName<D> | "*" | `${FieldName<D> | "*"}:${number}`;

export type SortCriterion<D extends object> =
  | `${FieldName<D>}:${"asc" | "desc"}`
  | `_geoPoint(${string}):${"asc" | "desc"}`;

/** One expression, or a list joined by AND whose inner lists are joined by OR. */
export type Filter = string | readonly (string | readonly string[])[];

export interface HybridParameters {
  /** Name of an embedder of the settings. */
  embedder: string;
  /** 0: words only, 1: vectors only. Default: 0.5. */
  semanticRatio?: number;
}

/** A field that is absent or null has the default of the HTTP API. */
export interface SearchParameters<D extends object = AnyDocument> {
  q?: string | null;
  offset?: number;
  limit?: number;
  page?: number | null;
  hitsPerPage?: number | null;
  attributesToRetrieve?: FieldList<D> | null;
  attributesToCrop?: CroppedField<D>[] | null;
  cropLength?: number;
  cropMarker?: string;
  attributesToHighlight?: FieldList<D> | null;
  highlightPreTag?: string;
  highlightPostTag?: string;
  showMatchesPosition?: boolean;
  filter?: Filter | null;
  sort?: SortCriterion<D>[] | null;
  distinct?: FieldName<D> | null;
  facets?: FieldList<D> | null;
  matchingStrategy?: "last" | "all" | "frequency";
  attributesToSearchOn?: FieldList<D> | null;
  rankingScoreThreshold?: number | null;
  /** Languages such as `eng` or `fr`. */
  locales?: string[] | null;
  hybrid?: HybridParameters | null;
  vector?: number[] | null;
  retrieveVectors?: boolean;
  media?: unknown;
  personalize?: { userContext: string } | null;
  useNetwork?: boolean | null;
  showRankingScore?: boolean;
  showRankingScoreDetails?: boolean;
  showPerformanceDetails?: boolean;
}

/** What a search adds to a document. */
export interface HitDetails<D extends object = AnyDocument> {
  /** Texts with matches marked or cut; numbers are texts there. */
  _formatted?: { [Name in keyof D]?: unknown };
  _matchesPosition?: Record<string, MatchPosition[]>;
  _rankingScore?: number;
  _rankingScoreDetails?: Record<string, unknown>;
  /** Metres to the first `_geoPoint` of the sort. */
  _geoDistance?: number;
  _vectors?: Record<string, unknown>;
}

/** In bytes of UTF-8. */
export interface MatchPosition {
  start: number;
  length: number;
  /** The places in the arrays that the text is in, the outermost first. */
  indices?: number[];
}

/** With `attributesToRetrieve` other fields of the document are absent. */
export type Hit<D extends object = AnyDocument> = D & HitDetails<D>;

export interface FacetStats {
  min: number;
  max: number;
}

export interface SearchAnswer<D extends object = AnyDocument> {
  hits: Hit<D>[];
  query: string;
  processingTimeMs: number;
  requestUid: string;
  /** Without `page` and `hitsPerPage`. */
  limit?: number;
  offset?: number;
  estimatedTotalHits?: number;
  /** With `page` or `hitsPerPage`. */
  page?: number;
  hitsPerPage?: number;
  totalPages?: number;
  totalHits?: number;
  facetDistribution?: Record<string, Record<string, number>>;
  facetStats?: Record<string, FacetStats>;
  semanticHitCount?: number;
  queryVector?: number[];
  /** How long the parts of the search took, with `showPerformanceDetails`. */
  performanceDetails?: Record<string, string>;
  remoteErrors?: Record<string, ErrorObject>;
}

export interface FacetSearchParameters<D extends object = AnyDocument> {
  facetName: FieldName<D>;
  facetQuery?: string | null;
  exhaustiveFacetCount?: boolean | null;
  q?: string | null;
  filter?: Filter | null;
  matchingStrategy?: "last" | "all" | "frequency";
  attributesToSearchOn?: FieldList<D> | null;
  rankingScoreThreshold?: number | null;
  locales?: string[] | null;
  vector?: number[] | null;
  media?: unknown;
  hybrid?: HybridParameters | null;
  useNetwork?: boolean | null;
}

export interface FacetSearchAnswer {
  facetHits: { value: string; count: number }[];
  facetQuery: string | null;
  processingTimeMs: number;
}

export interface SimilarParameters<D extends object = AnyDocument> {
  id: string | number;
  embedder: string;
  offset?: number;
  limit?: number;
  filter?: Filter | null;
  attributesToRetrieve?: FieldList<D> | null;
  retrieveVectors?: boolean;
  showRankingScore?: boolean;
  showRankingScoreDetails?: boolean;
  showPerformanceDetails?: boolean;
  rankingScoreThreshold?: number | null;
}

export interface SimilarAnswer<D extends object = AnyDocument> {
  hits: Hit<D>[];
  id: string;
  processingTimeMs: number;
  limit: number;
  offset: number;
  estimatedTotalHits: number;
  /** How long the parts of the search took, with `showPerformanceDetails`. */
  performanceDetails?: Record<string, string>;
}

/** A search with the index that it is about. */
export type MultiSearchQuery<D extends object = AnyDocument> = Omit<
  SearchParameters<D>,
  "offset" | "limit" | "showPerformanceDetails"
> & {
  indexUid: string;
  offset?: number | null;
  limit?: number | null;
  showPerformanceDetails?: boolean | null;
  federationOptions?: { weight?: number; remote?: string | null; queryPosition?: number | null } | null;
};

export interface MultiSearchParameters<D extends object = AnyDocument> {
  queries: MultiSearchQuery<D>[];
  federation?: null;
}

export interface MultiSearchAnswer<D extends object = AnyDocument> {
  /** In the order of the queries. */
  results: (SearchAnswer<D> & { indexUid: string })[];
}

/** How the hits of several queries become one list. */
export interface FederationParameters {
  offset?: number;
  limit?: number;
  page?: number | null;
  hitsPerPage?: number | null;
  facetsByIndex?: Record<string, string[] | null>;
  mergeFacets?: { maxValuesPerFacet?: number | null } | null;
  distinct?: string | null;
  showPerformanceDetails?: boolean;
  personalize?: { userContext: string } | null;
}

export interface FederatedSearchParameters<D extends object = AnyDocument> {
  queries: MultiSearchQuery<D>[];
  federation: FederationParameters;
}

export interface FederatedOrigin {
  indexUid: string;
  queriesPosition: number;
  weightedRankingScore: number;
  remote?: string;
}

export interface FederatedSearchAnswer<D extends object = AnyDocument>
  extends Omit<SearchAnswer<D>, "hits" | "query" | "queryVector"> {
  hits: (Hit<D> & { _federation: FederatedOrigin })[];
  facetsByIndex?: Record<
    string,
    { distribution: Record<string, Record<string, number>>; stats: Record<string, FacetStats> }
  >;
  /** By position of the query. */
  queryVectors?: Record<string, number[]>;
}

export interface FetchParameters<D extends object = AnyDocument> {
  offset?: number;
  limit?: number;
  fields?: FieldList<D> | null;
  retrieveVectors?: boolean;
  ids?: (string | number)[] | null;
  filter?: Filter | null;
  sort?: SortCriterion<D>[] | string | null;
  useNetwork?: boolean | null;
}

export interface FetchAnswer<D extends object = AnyDocument> {
  results: D[];
  offset: number;
  limit: number;
  total: number;
  /** Of a listing over the network: the servers that did not answer, by name. */
  remoteErrors?: Record<string, ErrorObject>;
}
