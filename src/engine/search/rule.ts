// What a ranking rule is: it sorts candidates into buckets, best first, and says which paths of the query
// graph the next rule has to look at. Called by driver.ts; made by rulelist.ts.
import type { Documents } from "./documents.ts";
import type { Path } from "./graph.ts";
import type { Occurrences } from "./occurrences.ts";

export type RuleName =
  | "words"
  | "typo"
  | "proximity"
  | "attributeRank"
  | "wordPosition"
  | "exactAttribute"
  | "exactWords"
  | "sort"
  | "vectorSort"
  | "skipped";

/**
 * What a rule said of a document: rank 1 is the worst, `max` the best. Sort-like rules have 1 of 1, which
 * changes no score.
 */
export interface Rank {
  rule: RuleName;
  rank: number;
  max: number;
  /** Of a sort-like rule. */
  details?: SortDetails;
  /** Of vectors: the score of the document, whatever other rules say. Null: it has no vector. */
  similarity?: number | null;
}

interface SortDetails {
  /** Name in the details of a score; null is one that must not be told. */
  key: string | null;
  /** What the details show. */
  fields: () => Record<string, unknown>;
  /** Where the document stands, comparable with documents of other searches and other indexes. */
  standing: () => Standing;
}

/** Null: a document without a value. Texts are in normal form. */
export type Standing =
  | { sort: { asc: boolean; value: number | string | null } }
  | { geoSort: { asc: boolean; distance: number | null } };

export interface Bucket {
  documents: Documents;
  paths: readonly Path[];
  rank: Rank;
}

/** What a rule says of each of some documents; those of a bucket that have the same grade stay together. */
export interface Grading {
  /** By place in the list of the documents, smaller ones come first; null: all have grade 0. */
  grades: Uint16Array | null;
  rankOf(grade: number): Rank;
  /** Paths for the documents of a grade in one bucket, given by their places. */
  pathsOf(grade: number, places: readonly number[]): readonly Path[];
}

export interface Rule {
  /**
   * The buckets of `documents`, never empty. Asked for one by one, so that only those that reach the page are
   * made.
   */
  buckets(documents: Documents, paths: readonly Path[]): Iterator<Bucket>;
  /** Of a rule that looks at each document alone, as long as it does not look around. */
  grade?(documents: Documents, paths: readonly Path[]): Grading;
  /** True when what it says of a document may depend on the others of its bucket. Default: never. */
  looksAround?(paths: readonly Path[]): boolean;
}

export interface NamedRule extends Rule {
  name: RuleName;
}

/** What the rules of one search share. */
export interface Ranking {
  occurrences: Occurrences;
  /** Largest weight of a field (attributeRank); 0 when all fields are searchable. */
  weightMax: number;
}
