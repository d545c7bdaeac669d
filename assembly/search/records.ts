// The records of a search that its files share. Those marked "host" are written by
// src/engine/search/records.ts, by the layout in src/core/search.ts; all lie in the scratch memory and are
// void when the next search begins. Addresses are 0 where there is nothing.

/** Host. Words of the index: a word, or those that begin alike. A Part for each segment follows. */
@unmanaged
export class Ranges {
  /** Bitmap of the documents of a word of the query as it stands, once it was asked for. */
  documents: usize;
}

/** Host: `from` and `to`. The terms [from, to) of a segment's dictionary, and where their lists lie. */
@unmanaged
export class Part {
  from: u32;
  to: u32;
  postings: usize;
  /** Starts of the lists, u32 each and one closing; the first belongs to `postings`. 0: not loaded yet. */
  postingsStarts: usize;
  positions: usize;
  positionsStarts: usize;
  /** Starts of a part of one term. */
  own0: u32;
  own1: u32;
  own2: u32;
  own3: u32;
}

/** Host. Words that must stand together; `count` slots follow: an address of Ranges, HOLE or MISSING. */
@unmanaged
export class Phrase {
  /** Bitmap of its documents, once it was asked for. */
  documents: usize;
  count: u32;
}

/** A slot left by a stop word; one whose word no document has. */
export const HOLE: usize = 0;
export const MISSING: usize = 1;

/** Host: all up to `phrase`. A node of the query graph: see src/engine/search/derive.ts. */
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
  /** Words one typo away: addresses of Ranges. */
  one: usize;
  oneCount: u32;
  two: usize;
  twoCount: u32;
  split: Phrase;
  /** Addresses of Phrases. */
  synonyms: usize;
  synonymCount: u32;
  phrase: Phrase;
  /** Bitmaps of the documents of its single words by typos, and a bit for each that is known. */
  words0: usize;
  words1: usize;
  words2: usize;
  known: u32;
}

/** Flags of a node. */
export const NGRAM: u32 = 1;
/** Its prefix is a cached one: see src/engine/search/vocabulary.ts. */
export const CACHED: u32 = 2;

/** What is known of an item. */
@unmanaged
export class Item {
  isKnown: u32;
  /** Bitmaps of the documents by the fewest typos they need. */
  level0: usize;
  level1: usize;
  level2: usize;
  /** All of them. */
  documents: usize;
  /** Costs of its steps in the evaluation of that number (evaluation.ts). */
  steps: usize;
  evaluation: u32;
}

/** Items that cover the query one behind the other: `length` u32 numbers follow. */
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

/** Numbers of the rules, as src/engine/search/corerule.ts knows them. */
export const WORDS: i32 = 0;
export const TYPO: i32 = 1;
export const PROXIMITY: i32 = 2;
export const ATTRIBUTE_RANK: i32 = 3;
export const WORD_POSITION: i32 = 4;
export const EXACT_ATTRIBUTE: i32 = 5;
export const EXACT_WORDS: i32 = 6;
