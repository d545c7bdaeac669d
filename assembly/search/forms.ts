// What the items of the query graph stand for: words and phrases, as far as rules have left them, and those
// that are exactly the item as written in the query. Used throughout this folder.
import { EXACT, ItemNumber, ONE, TWO, ZERO } from "./item-numbers";
import { nodeOf } from "./nodes";
import { phraseDocuments } from "./phrases";
import { CACHED, NGRAM, Phrase, Ranges } from "./records";
import { wordDocuments } from "./words";

/** True when an item stands for something that the index contains. */
export function hasForms(number: ItemNumber): bool {
  return (
    exactOf(number) != null || prefixOf(number) != null || typoCount(number) > 0 || phraseCount(number) > 0
  );
}

/** The text itself as a word, or null. */
export function exactOf(number: ItemNumber): Ranges {
  return number & (ZERO | EXACT) ? nodeOf(number).exact : changetype<Ranges>(0);
}

/** Words that begin with the text, itself included, or null. */
export function prefixOf(number: ItemNumber): Ranges {
  const node = nodeOf(number);
  const isPrefix = (number & ZERO) != 0 || (exactOf(number) != null && (node.flags & CACHED) != 0);
  return isPrefix ? node.prefix : changetype<Ranges>(0);
}

export function typoCount(number: ItemNumber): u32 {
  const node = nodeOf(number);
  return (number & ONE ? node.oneCount : 0) + (number & TWO ? node.twoCount : 0);
}

export function phraseCount(number: ItemNumber): u32 {
  const node = nodeOf(number);
  if (node.phrase) return 1;
  return node.synonymCount + u32((number & ONE) != 0 && node.split != null);
}

export function phraseAt(number: ItemNumber, index: u32): Phrase {
  const node = nodeOf(number);
  if (node.phrase) return node.phrase;
  if (index == node.synonymCount) return node.split;
  return changetype<Phrase>(<usize>load<u32>(node.synonyms + ((<usize>index) << 2)));
}

/**
 * The phrase whose documents contain the item exactly as in the query; null when there is none, or it is a
 * word.
 */
export function exactPhrase(number: ItemNumber): Phrase {
  return nodeOf(number).phrase;
}

/** The word that is exactly the item as in the query, or null. */
export function exactWord(number: ItemNumber): Ranges {
  const node = nodeOf(number);
  return node.phrase || node.flags & NGRAM ? changetype<Ranges>(0) : exactOf(number);
}

/** Does the item have an exact term? */
export function hasExactTerm(number: ItemNumber): bool {
  return exactPhrase(number) != null || exactWord(number) != null;
}

/** Documents that contain the exact term of an item that has one. */
export function exactDocuments(number: ItemNumber): usize {
  const phrase = exactPhrase(number);
  return phrase ? phraseDocuments(phrase) : wordDocuments(exactWord(number));
}
