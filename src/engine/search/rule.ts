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
 * The verdict of a rule on a document: rank 1 is the worst, `max` the best. Sort-like rules give 1 of 1,
 * which does not change the score.
 */
export interface Rank {
  rule: RuleName;
  rank: number;
  max: number;
  /** Details of a sort-like rule. */
  details?: SortDetails;
  /** For vectors: the score of the document, whatever other rules say. Null: it has no vector. */
  similarity?: number | null;
}

interface SortDetails {
  /** Name in the details of a score; null when it must not be shown. */
  key: string | null;
  /** Content of the details; all numbers in it are floats. */
  fields: () => Record<string, unknown>;
  /** Place of the document, comparable with documents of other searches and other indexes. */
  standing: () => Standing;
}

/** Null: the document has no value. Texts are in normal form. */
export type Standing =
  | { sort: { asc: boolean; value: number | string | null } }
  | { geoSort: { asc: boolean; distance: number | null } };

/**
 * The possible readings of the query's terms: an address in the core's memory (PathSet in
 * assembly/search/records.ts).
 */
export type Paths = number;

/** Paths of a search without terms. */
export const NO_PATHS: Paths = 0;

export interface Bucket {
  documents: Documents;
  paths: Paths;
  rank: Rank;
}

export interface Rule {
  /**
   * The buckets of `documents`, never empty. Taken one by one, so that only those needed for the page are
   * made. In rules outside of the core, neither paths nor details may point into the scratch memory: the
   * driver keeps the lists of their buckets and releases the rest.
   */
  buckets(documents: Documents, paths: Paths): Iterator<Bucket>;
}

export interface NamedRule extends Rule {
  name: RuleName;
}
