// The search of the core (assembly/search), for src/engine/search: its exports, and the records that the host
// writes or reads. All pointers are byte addresses in the scratch memory; lengths count u32 numbers; the
// layouts are explained in assembly/search/records.ts, setup.ts, rule.ts and small-buckets.ts.

export interface SearchExports {
  searchBegin(setup: number): void;
  searchNodes(nodes: number, count: number, terms: number): void;
  searchExclude(bitmap: number): void;
  searchWord(ranges: number): number;
  searchPhrase(phrase: number): number;
  searchTolerant(ranges: number, segment: number): number;
  searchSplit(text: number, length: number, asked: number): number;
  searchMatched(universe: number, strategy: number): number;
  searchPaths(): number;
  searchRule(rule: number, count: number, list: number, bitmap: number, paths: number): number;
  searchNext(run: number): number;
  searchTogether(
    rules: number,
    ruleCount: number,
    buckets: number,
    count: number,
    most: number,
    ranked: number,
    isLast: number,
    out: number,
  ): void;
  searchIsWord(paths: number): number;
  searchHolding(paths: number, documents: number): number;
  searchAlone(paths: number, documents: number): number;
  searchLayout(out: number): void;
}

/** A word, or words with the same beginning, in all segments. */
export const RANGES_LEN = 1;
/** Its part in one segment: the host writes `from` and `to`. */
export const PART_LEN = 10;
/** A node of the query graph; below, how many of its numbers the host writes. */
export const NODE_LEN = 21;
export const NODE_WRITTEN_LEN = 17;
/** Numbers before the slots of a phrase; below, slots that are no words. */
export const PHRASE_HEAD_LEN = 2;
export const PHRASE_COUNT = 1;
export const HOLE = 0;
export const MISSING = 1;
/** Flags of a node. */
export const NODE_NGRAM = 1;
export const NODE_CACHED = 2;
/** Flags of a field. */
export const FIELD_ALLOWED = 1;
export const FIELD_EXACT = 2;
/** Options of a search. */
export const EXACT_NUMBERS = 1;
export const RESTRICTED = 2;
export const BY_ATTRIBUTE = 4;
/** A small bucket: count, list, paths and ranks come first. */
export const BUCKET_LEN = 10;
/** The bucket of a running rule: count, list, bitmap, paths, rank, best rank. */
export const RUN_LEN = 6;
/** The setup of a search: see searchcore.ts. */
export const SETUP_LEN = 13;
/** A rank in a chain: the previous entry, number of the rule, rank, best rank. */
export const RANKS_LEN = 4;
