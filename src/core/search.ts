// The records of the search of the core (exports/search.ts) that the host writes or reads. Lengths count u32
// numbers; the layouts are explained in assembly/search/records.ts, setup.ts, rule.ts and small-buckets.ts.

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
