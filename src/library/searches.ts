// What searches of the library take and answer, as users of the package see it: the bodies and answers of the
// HTTP API, typed by the documents of an index. Only declarations, so that they can be read without the
// library that the schemas are written in; test/library/types.ts checks that both agree.
import type { ErrorObject } from "../errors.ts";

/** Documents of unknown shape. */
export type AnyDocument = Record<string, unknown>;

/** Name of a field, or a dotted path into one, such as `author.name`. Of a union, the fields of each type. */
export type FieldName<D extends object> = TopName<D> | `${TopName<D>}.${string}`;
type TopName<D extends object> = D extends unknown ? Extract<keyof D, string> : never;

/** Names of fields; `*` stands for every field. */
export type FieldList<D extends object> = readonly (FieldName<D> | "*")[];

/** A field whose texts are cropped: `overview`, or `overview:20` for 20 words instead of `cropLength`. */
export type CroppedField<D extends object> = FieldName<D> | "*" | `${FieldName<D> | "*"}:${number}`;

/** `price:asc`, or `_geoPoint(48.85, 2.35):asc` for the distance to a point. */
export type SortCriterion<D extends object> =
  | `${FieldName<D>}:${"asc" | "desc"}`
  | `_geoPoint(${string}):${"asc" | "desc"}`;

/** One expression, or a list joined by AND whose inner lists are joined by OR. Grammar: docs/filters.md. */
export type Filter = string | readonly (string | readonly string[])[];

export interface HybridParameters {
  /** Name of an embedder in the settings of the index. */
  embedder: string;
  /** From 0 (words only) to 1 (vectors only). Default: 0.5. */
  semanticRatio?: number;
}

/** An absent option has its default; so has one that is null, where its type allows null. */
export interface SearchParameters<D extends object = AnyDocument> {
  /** Text to search for. Default: none; all documents that pass the filter are hits. */
  q?: string | null;
  /** Hits to skip. Default: 0. Ignored with `page` or `hitsPerPage`. */
  offset?: number;
  /** Most hits in the answer. Default: 20. Ignored with `page` or `hitsPerPage`. */
  limit?: number;
  /**
   * Number of a page, from 1, instead of `offset`; the answer then counts all hits. Default with
   * `hitsPerPage`: 1.
   */
  page?: number | null;
  /** Hits of a page, instead of `limit`; the answer then counts all hits. Default with `page`: 20. */
  hitsPerPage?: number | null;
  /** Fields that hits have; only displayed ones count. Default: all displayed fields. */
  attributesToRetrieve?: FieldList<D> | null;
  /** Fields that `_formatted` has cropped around their matches. Default: none. */
  attributesToCrop?: CroppedField<D>[] | null;
  /** Words that a cropped text keeps; 0 crops nothing. Default: 10. */
  cropLength?: number;
  /** Stands where text was cropped away. Default: `…`. */
  cropMarker?: string;
  /** Fields that `_formatted` has with their matches marked. Default: none. */
  attributesToHighlight?: FieldList<D> | null;
  /** Inserted before a match. Default: `<em>`. */
  highlightPreTag?: string;
  /** Inserted after a match. Default: `</em>`. */
  highlightPostTag?: string;
  /** True: hits have `_matchesPosition`. Default: false. */
  showMatchesPosition?: boolean;
  /** Documents that may be hits. Default: all. Its fields must be filterable. */
  filter?: Filter | null;
  /**
   * What to order by, at the place of the rule `sort` in `rankingRules`. Default: none. Fields must be
   * sortable.
   */
  sort?: SortCriterion<D>[] | null;
  /** Only the best hit of each value of this field stays. Default: `distinctAttribute` of the settings. */
  distinct?: FieldName<D> | null;
  /** Filterable fields whose values are counted in `facetDistribution`. Default: none. */
  facets?: FieldList<D> | null;
  /**
   * Which words hits may lack: `last` drops them from the end of the query, `frequency` the most frequent
   * first, `all` none. Default: `last`.
   */
  matchingStrategy?: "last" | "all" | "frequency";
  /** Searchable fields to search in. Default: all of them. */
  attributesToSearchOn?: FieldList<D> | null;
  /** Least `_rankingScore` of a hit, from 0 to 1. Default: none. */
  rankingScoreThreshold?: number | null;
  /**
   * Languages of the query, such as `eng` or `fr`. Default: those of `localizedAttributes`, else detected
   * from the text.
   */
  locales?: string[] | null;
  /** Makes the search semantic, or a mixture with keywords. Default: none, keywords only. */
  hybrid?: HybridParameters | null;
  /** Vector to search for, in place of one made of `q`; needs `hybrid`. Default: none. */
  vector?: number[] | null;
  /** True: hits have `_vectors`, and the answer `queryVector` when one was used. Default: false. */
  retrieveVectors?: boolean;
  /**
   * What search fragments of the embedder are filled from; needs `hybrid` and the feature `multimodal`.
   * Default: none.
   */
  media?: unknown;
  /** Not available: anything but null is refused with `feature_not_enabled`. */
  personalize?: { userContext: string } | null;
  /**
   * Whether to ask every server of the network; needs the feature `network`. Default: only when documents are
   * spread.
   */
  useNetwork?: boolean | null;
  /** True: hits have `_rankingScore`. Default: false. */
  showRankingScore?: boolean;
  /** True: hits have `_rankingScoreDetails`. Default: false. */
  showRankingScoreDetails?: boolean;
  /** True: the answer has `performanceDetails`. Default: false. */
  showPerformanceDetails?: boolean;
}

/** What a search adds to a document, each only when asked for. */
export interface HitDetails<D extends object = AnyDocument> {
  /**
   * Retrieved fields with matches marked and texts cropped; numbers become texts there. With
   * `attributesToHighlight` or `attributesToCrop`.
   */
  _formatted?: { [Name in keyof D]?: unknown };
  /** Matches by path of the field. With `showMatchesPosition`. */
  _matchesPosition?: Record<string, MatchPosition[]>;
  /** From 0 to 1: how well the document fits the query. With `showRankingScore`. */
  _rankingScore?: number;
  /** By ranking rule, what the score is made of. With `showRankingScoreDetails`. */
  _rankingScoreDetails?: Record<string, unknown>;
  /** Metres to the first `_geoPoint` of `sort`. Only with one. */
  _geoDistance?: number;
  /** Vectors by name of the embedder. With `retrieveVectors`. */
  _vectors?: Record<string, unknown>;
}

/** In bytes of UTF-8. */
export interface MatchPosition {
  start: number;
  length: number;
  /** When the text lies inside arrays: its index in each of them, outermost first. */
  indices?: number[];
}

/** With `attributesToRetrieve`, the document has only those of its fields. */
export type Hit<D extends object = AnyDocument> = D & HitDetails<D>;

export interface FacetStats {
  min: number;
  max: number;
}

export interface SearchAnswer<D extends object = AnyDocument> {
  hits: Hit<D>[];
  /** `q` as it was given; empty when there was none. */
  query: string;
  processingTimeMs: number;
  requestUid: string;
  /** These three only without `page` and `hitsPerPage`. */
  limit?: number;
  offset?: number;
  /** An estimate, the better the more hits are asked for. May exceed `pagination.maxTotalHits`. */
  estimatedTotalHits?: number;
  /** These four only with `page` or `hitsPerPage`. */
  page?: number;
  hitsPerPage?: number;
  totalPages?: number;
  /** Exact; at most `pagination.maxTotalHits`. */
  totalHits?: number;
  /** Field -> value -> number of hits with it. With `facets`. */
  facetDistribution?: Record<string, Record<string, number>>;
  /** Smallest and largest number of each field that has numbers. With `facets`. */
  facetStats?: Record<string, FacetStats>;
  /** How many of `hits` come from the vectors. Only in semantic and hybrid searches. */
  semanticHitCount?: number;
  /** The vector that was searched for. With `retrieveVectors`. */
  queryVector?: number[];
  /** How long each part of the search took. With `showPerformanceDetails`. */
  performanceDetails?: Record<string, string>;
  /** Servers that did not answer, by name. Only in searches over the network. */
  remoteErrors?: Record<string, ErrorObject>;
}

export interface FacetSearchParameters<D extends object = AnyDocument> {
  /** Field whose values are searched; its `facetSearch` must be on in `filterableAttributes`. */
  facetName: FieldName<D>;
  /** What values must begin with, typos forgiven. Default: all values. */
  facetQuery?: string | null;
  /** True: counts are exact even with `distinctAttribute` or `rankingScoreThreshold`. Default: false. */
  exhaustiveFacetCount?: boolean | null;
  /** This and the options below select the documents that are counted, as in a search. */
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
  /** At most `faceting.maxValuesPerFacet` values, in the order that `faceting.sortFacetValuesBy` says. */
  facetHits: { value: string; count: number }[];
  facetQuery: string | null;
  processingTimeMs: number;
}

export interface SimilarParameters<D extends object = AnyDocument> {
  /** Document to compare with; it is no hit itself. */
  id: string | number;
  /** Name of the embedder whose vectors are compared. */
  embedder: string;
  /** Hits to skip. Default: 0. */
  offset?: number;
  /** Most hits in the answer. Default: 20. */
  limit?: number;
  /** Documents that may be hits. Default: all. */
  filter?: Filter | null;
  /** Fields that hits have. Default: all displayed fields. */
  attributesToRetrieve?: FieldList<D> | null;
  /** True: hits have `_vectors`. Default: false. */
  retrieveVectors?: boolean;
  /** True: hits have `_rankingScore`, which is the similarity. Default: false. */
  showRankingScore?: boolean;
  /** True: hits have `_rankingScoreDetails`. Default: false. */
  showRankingScoreDetails?: boolean;
  /** True: the answer has `performanceDetails`. Default: false. */
  showPerformanceDetails?: boolean;
  /** Least similarity of a hit, from 0 to 1. Default: none. */
  rankingScoreThreshold?: number | null;
}

export interface SimilarAnswer<D extends object = AnyDocument> {
  hits: Hit<D>[];
  id: string;
  processingTimeMs: number;
  limit: number;
  offset: number;
  estimatedTotalHits: number;
  /** How long each part of the search took. With `showPerformanceDetails`. */
  performanceDetails?: Record<string, string>;
}

/** A search and the index that it runs on. */
export type MultiSearchQuery<D extends object = AnyDocument> = Omit<
  SearchParameters<D>,
  "offset" | "limit" | "showPerformanceDetails"
> & {
  indexUid: string;
  offset?: number | null;
  limit?: number | null;
  showPerformanceDetails?: boolean | null;
  /**
   * Only in federated searches. `weight` multiplies the scores of this query (default: 1); `remote` names the
   * server that runs it (default: this one); `queryPosition` is for servers among themselves.
   */
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

/**
 * How the hits of several queries become one list. An absent option has its default; so has null, where
 * allowed.
 */
export interface FederationParameters {
  /** Hits of the merged list to skip. Default: 0. */
  offset?: number;
  /** Most hits in the answer. Default: 20. */
  limit?: number;
  /** Number of a page, from 1, instead of `offset`. Default with `hitsPerPage`: 1. */
  page?: number | null;
  /** Hits of a page, instead of `limit`. Default with `page`: 20. */
  hitsPerPage?: number | null;
  /** Uid of an index -> its fields to count the values of; null: none. Default: `{}`. */
  facetsByIndex?: Record<string, string[] | null>;
  /**
   * Adds the facets of all indexes up into one `facetDistribution`, cut to `maxValuesPerFacet` values each if
   * given. Default: null, one `facetsByIndex` per index.
   */
  mergeFacets?: { maxValuesPerFacet?: number | null } | null;
  /** Only the best hit of each value of this field stays, over all indexes. Default: none. */
  distinct?: string | null;
  /** True: the answer has `performanceDetails`. Default: false. */
  showPerformanceDetails?: boolean;
  /** Not available: anything but null is refused with `feature_not_enabled`. */
  personalize?: { userContext: string } | null;
}

export interface FederatedSearchParameters<D extends object = AnyDocument> {
  queries: MultiSearchQuery<D>[];
  federation: FederationParameters;
}

/** Which query found a hit, and how well. */
export interface FederatedOrigin {
  indexUid: string;
  /** Position of the query in `queries`, from 0. */
  queriesPosition: number;
  /** `_rankingScore` times the `weight` of the query. */
  weightedRankingScore: number;
  /** Server that the hit comes from. Only when other servers were asked. */
  remote?: string;
}

export interface FederatedSearchAnswer<D extends object = AnyDocument>
  extends Omit<SearchAnswer<D>, "hits" | "query" | "queryVector"> {
  hits: (Hit<D> & { _federation: FederatedOrigin })[];
  /** Facets of each index. With `facetsByIndex`, without `mergeFacets`. */
  facetsByIndex?: Record<
    string,
    { distribution: Record<string, Record<string, number>>; stats: Record<string, FacetStats> }
  >;
  /** By position of the query in `queries`. With `retrieveVectors`. */
  queryVectors?: Record<string, number[]>;
}

export interface FetchParameters<D extends object = AnyDocument> {
  /** Documents to skip. Default: 0. */
  offset?: number;
  /** Most documents in the answer. Default: 20. */
  limit?: number;
  /** Fields to show. Default: all, displayed or not. */
  fields?: FieldList<D> | null;
  /** True: documents have `_vectors`. Default: false. */
  retrieveVectors?: boolean;
  /** Only documents with one of these ids. Default: any. */
  ids?: (string | number)[] | null;
  /** Only documents that match. Default: any. */
  filter?: Filter | null;
  /** Order of the documents; fields must be sortable. Default: that in which they were first added. */
  sort?: SortCriterion<D>[] | string | null;
  /**
   * Whether to ask every server of the network; needs the feature `network`. Default: only when documents are
   * spread.
   */
  useNetwork?: boolean | null;
}

export interface FetchAnswer<D extends object = AnyDocument> {
  results: D[];
  offset: number;
  limit: number;
  /** Documents that `ids` and `filter` select, not only this page. */
  total: number;
  /** Servers of the network that did not answer, by name. Only in listings over the network. */
  remoteErrors?: Record<string, ErrorObject>;
}
