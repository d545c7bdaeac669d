// Bounds of the search side. Users see the first group as behaviour; the second bounds work and memory.

/** Terms of a query that are looked at; a phrase counts as one. */
export const QUERY_TERMS_MAX = 10;
/**
 * Characters of a query text that are cut into tokens: far more than the tokens that are looked at usually
 * have.
 */
export const QUERY_CHARACTERS_MAX = 65_536;
/** Tokens of a query text that are looked at. */
export const QUERY_TOKENS_MAX = 1000;
/** Longest word, in bytes of UTF-8. */
export const WORD_BYTES_MAX = 250;
/** Words that a prefix which is not a cached one stands for. */
export const PREFIX_WORDS_MAX = 1000;
/** A prefix is a cached one up to this many bytes, and from this many words on. */
export const CACHED_PREFIX_BYTES_MAX = 4;
export const CACHED_PREFIX_WORDS_MIN = 100;
/** Values and words of the synonyms of one look-up. */
export const SYNONYMS_MAX = 50;
export const SYNONYM_WORDS_MAX = 100;

/** So many documents of one term are ranked by their first ones, if these fill the page (leaders.ts). */
export const SAMPLED_DOCUMENTS_MIN = 12_288;
/** Of the largest part that is tried, and of those that complete one. */
export const SAMPLE_DOCUMENTS = 4096;

/** Ranking ends after so long unless the settings say otherwise. */
export const SEARCH_CUTOFF_MS = 1500;

/** Texts whose split, or whose typos, are remembered for a version of an index. */
export const KNOWN_MAX = 2000;

/** Bitmaps and lists of one search. */
export const SEARCH_SCRATCH_BYTES = 512 * 1024 * 1024;
