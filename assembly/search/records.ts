// The records of a search that its files share. Those marked "host" are written by
// src/engine/search/records.ts, with the layout in src/core/search.ts. All are in the scratch memory and are
// void when the next search begins. An address is 0 when there is nothing.

/**
 * Host. Words of the index: one word, or several with the same beginning. A Part for each segment follows.
 */
@unmanaged
export class Ranges {
  /** Bitmap of the documents that contain a word of the query exactly, once it was asked for. */
  documents: usize;
}

/**
 * Host: `from` and `to`. The terms [from, to) of a segment's dictionary, and the addresses of their lists.
 */
@unmanaged
export class Part {
  from: u32;
  to: u32;
  postings: usize;
  /**
   * Starts of the lists, u32 each and one to close the last; the first belongs to `postings`. 0: not loaded
   * yet.
   */
  postingsStarts: usize;
  positions: usize;
  positionsStarts: usize;
  /** Starts for a part of one term. */
  own0: u32;
  own1: u32;
  own2: u32;
  own3: u32;
}

/**
 * Host. Words that must follow each other; `count` slots come next: each an address of Ranges, HOLE or
 * MISSING.
 */
@unmanaged
export class Phrase {
  /** Bitmap of its documents, once it was asked for. */
  documents: usize;
  count: u32;
}

/** A slot left by a stop word; below, one whose word is in no document. */
export const HOLE: usize = 0;
export const MISSING: usize = 1;

/** Host: everything up to `phrase`. A node of the query graph: see src/engine/search/derive.ts. */
@unmanaged
export class Node {
  from: u32;
  to: u32;
  first: u32;
  last: u32;
  size: u32;
  flags: u32;
  budget: u32;
  exact: Ranges;
  prefix: Ranges;
  /** Words at one typo: addresses of Ranges. */
  one: usize;
  oneCount: u32;
  two: usize;
  twoCount: u32;
  split: Phrase;
  /** Addresses of Phrases. */
  synonyms: usize;
  synonymCount: u32;
  phrase: Phrase;
  /** Bitmaps of the documents of its single words by typos; below, a bit for each bitmap that is known. */
  words0: usize;
  words1: usize;
  words2: usize;
  known: u32;
}

/** Flags of a node. */
export const NGRAM: u32 = 1;
/** The prefix of the node is a cached one: see src/engine/search/vocabulary.ts. */
export const CACHED: u32 = 2;

/** What is known of an item. */
@unmanaged
export class Item {
  isKnown: u32;
  /** Bitmaps of the documents by the fewest typos that they need. */
  level0: usize;
  level1: usize;
  level2: usize;
  /** All of its documents. */
  documents: usize;
  /** Costs of its steps in the evaluation with this number (evaluation.ts). */
  steps: usize;
  evaluation: u32;
}

/** Items that cover the query, one after another: `length` u32 numbers follow. */
@unmanaged
export class Path {
  length: u32;
}

/** Paths in the order in which they claim documents: `count` u32 addresses follow. */
@unmanaged
export class PathSet {
  count: u32;
}

/** A set of documents: an ascending list of u32 docids, a bitmap, or both. */
@unmanaged
export class Documents {
  count: u32;
  list: usize;
  bitmap: usize;
}

/** Numbers of the rules, the same as in src/engine/search/corerule.ts. */
export const WORDS: i32 = 0;
export const TYPO: i32 = 1;
export const PROXIMITY: i32 = 2;
export const ATTRIBUTE_RANK: i32 = 3;
export const WORD_POSITION: i32 = 4;
export const EXACT_ATTRIBUTE: i32 = 5;
export const EXACT_WORDS: i32 = 6;
