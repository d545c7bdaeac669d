// What a ranking rule is: it sorts candidates into buckets, best first, and says which paths of the query
// graph the next rule has to look at. Called by driver.ts; made by rulelist.ts.
import type { Documents } from "./documents.ts";

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
  /** What the details show: all numbers in it are floats. */
  fields: () => Record<string, unknown>;
  /** Where the document stands, comparable with documents of other searches and other indexes. */
  standing: () => Standing;
}

/** Null: a document without a value. Texts are in normal form. */
export type Standing =
  | { sort: { asc: boolean; value: number | string | null } }
  | { geoSort: { asc: boolean; distance: number | null } };

/**
 * The ways in which the terms of the query may be read: an address in the core's memory (PathSet in
 * assembly/search/records.ts).
 */
export type Paths = number;

/** Of a search without terms. */
export const NO_PATHS: Paths = 0;

export interface Bucket {
  documents: Documents;
  paths: Paths;
  rank: Rank;
}

export interface Rule {
  /**
   * The buckets of `documents`, never empty. Asked for one by one, so that only those that reach the page are
   * made. Rules outside of the core hand on nothing in paths or details that lies in the scratch memory: the
   * driver keeps the lists of their buckets, and lets go of the rest.
   */
  buckets(documents: Documents, paths: Paths): Iterator<Bucket>;
}

export interface NamedRule extends Rule {
  name: RuleName;
}
