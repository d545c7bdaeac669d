// The functions of the search that the host may call (src/core/search.ts); the rest of this folder is
// internal.
import { contextBegin } from "./context";
import { fieldsBegin } from "./fields";
import { keptWordsBegin } from "./kept-words";
import { neighboursBegin } from "./neighbours";
import { nodesBegin } from "./nodes";
import { occurrencesBegin } from "./occurrences";
import { phraseDocuments } from "./phrases";
import { Node, Part, Phrase, Ranges } from "./records";
import { RuleRun } from "./rule";
import { Setup } from "./setup";
import { Ranks, SmallBucket } from "./small-buckets";
import { tolerantDocuments, wordDocuments } from "./words";

export { searchExclude } from "./context";
export { searchAlone, searchHolding, searchIsWord } from "./leaders";
export { searchMatched } from "./matched";
export { searchNodes } from "./nodes";
export { searchPaths } from "./paths";
export { searchNext, searchRule } from "./rule";
export { searchSplit } from "./splits";
export { searchTogether } from "./together";

/** Begins a search: see Setup in setup.ts. */
export function searchBegin(at: usize): void {
  const setup = changetype<Setup>(at);
  contextBegin(setup);
  fieldsBegin(setup);
  keptWordsBegin(setup);
  nodesBegin();
  neighboursBegin();
  occurrencesBegin();
}

/** Bitmap of the documents that contain a word of the query exactly. */
export function searchWord(ranges: usize): usize {
  return wordDocuments(changetype<Ranges>(ranges));
}

/** Bitmap of the documents that contain a phrase. */
export function searchPhrase(phrase: usize): usize {
  return phraseDocuments(changetype<Phrase>(phrase));
}

/**
 * Bitmap of the documents that contain a word of one segment at a place where typos are tolerated, deleted
 * ones included.
 */
export function searchTolerant(ranges: usize, segment: i32): usize {
  return tolerantDocuments(changetype<Ranges>(ranges), segment);
}

/**
 * Writes the lengths of records in u32 numbers, which the host repeats (src/core/search.ts) and a test
 * compares: Ranges, Part, Node and how much of it the host writes, Phrase, Setup, SmallBucket, Ranks, and how
 * much of RuleRun the host reads.
 */
export function searchLayout(out: usize): void {
  store<u32>(out, offsetof<Ranges>() >> 2);
  store<u32>(out, offsetof<Part>() >> 2, 4);
  store<u32>(out, offsetof<Node>() >> 2, 8);
  store<u32>(out, offsetof<Node>("words0") >> 2, 12);
  store<u32>(out, offsetof<Phrase>() >> 2, 16);
  store<u32>(out, offsetof<Setup>() >> 2, 20);
  store<u32>(out, offsetof<SmallBucket>() >> 2, 24);
  store<u32>(out, offsetof<Ranks>() >> 2, 28);
  store<u32>(out, offsetof<RuleRun>("kind") >> 2, 32);
}
