// Bounds of the search side. The first group is visible to users as behaviour; the second bounds work and
// memory.

/** Terms of a query that count; a phrase is one term. */
export const QUERY_TERMS_MAX = 10;
/**
 * Characters of a query text that are split into tokens: usually far more than the tokens that count have.
 */
export const QUERY_CHARACTERS_MAX = 65_536;
/** Tokens of a query text that count. */
export const QUERY_TOKENS_MAX = 1000;
/** Longest word, in bytes of UTF-8. */
export const WORD_BYTES_MAX = 250;
/** Most words that a prefix stands for, unless it is a cached one. */
export const PREFIX_WORDS_MAX = 1000;
/** A prefix is cached if it has at most this many bytes; below: and at least this many words. */
export const CACHED_PREFIX_BYTES_MAX = 4;
export const CACHED_PREFIX_WORDS_MIN = 100;
/** Most values, and below most words, of the synonyms found by one look-up. */
export const SYNONYMS_MAX = 50;
export const SYNONYM_WORDS_MAX = 100;

/**
 * When one term matches at least this many documents, only the first ones are ranked, provided that these
 * fill the page (leaders.ts).
 */
export const SAMPLED_DOCUMENTS_MIN = 12_288;
/** Size of the largest part that is tried, and most documents that complete one. */
export const SAMPLE_DOCUMENTS = 4096;

/** Ranking ends after this time unless the settings say otherwise. */
export const SEARCH_CUTOFF_MS = 1500;

/** Number of texts whose split, or whose typos, are remembered for a version of an index. */
export const KNOWN_MAX = 2000;

/** Memory for the bitmaps and lists of one search. */
export const SEARCH_SCRATCH_BYTES = 512 * 1024 * 1024;
