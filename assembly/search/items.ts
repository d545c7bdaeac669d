// What the items of the query graph match and stand for: documents by the typos they need, and the words
// whose occurrences rules look at. Called by the rules, removal.ts, matched.ts and leaders.ts.
import { alloc } from "./arena";
import { itemOf, newBitmap, nodeOf, unionOf } from "./context";
import { derivationsOf, EXACT, ItemNumber, ONE, TWO, ZERO } from "./item-numbers";
import { firstWordOf, phraseDocuments, slotOf, someOf } from "./phrases";
import { CACHED, HOLE, Item, MISSING, NGRAM, Node, Phrase, Ranges } from "./records";
import { addDocuments, wordDocuments } from "./words";

/** Which word of a phrase is looked at. */
export const FIRST_WORD: i32 = 0;
export const FIRST_SLOT: i32 = 1;
export const LAST_SLOT: i32 = 2;

/** `count` words to look at, at `start`: u32 Ranges, u32 bitmap of where they count (0: everywhere). */
@unmanaged
export class Sources {
  start: usize;
  count: u32;
}

export function sourceRanges(start: usize, index: u32): Ranges {
  return changetype<Ranges>(<usize>load<u32>(start + ((<usize>index) << 3)));
}

export function sourceFilter(start: usize, index: u32): usize {
  return load<u32>(start + ((<usize>index) << 3), 4);
}

/** The item with what it matches. */
export function knownItem(number: ItemNumber): Item {
  const item = itemOf(number);
  if (!item.isKnown) {
    item.isKnown = 1;
    findLevels(item, nodeOf(number), derivationsOf(number));
  }
  return item;
}

/** Bitmap of the documents of an item at any level; 0: none. */
export function itemDocuments(number: ItemNumber): usize {
  return knownItem(number).documents;
}

/** Bitmap of the documents that need so many typos at least, or 0. */
export function levelOf(item: Item, typos: u32): usize {
  return typos == 0 ? item.level0 : typos == 1 ? item.level1 : item.level2;
}

/** True when the index has something that an item stands for. */
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

/** The phrase whose documents hold the item as it stands in the query; null when there is none, or a word. */
export function exactPhrase(number: ItemNumber): Phrase {
  return nodeOf(number).phrase;
}

/** The word that is the item as it stands in the query, or null. */
export function exactWord(number: ItemNumber): Ranges {
  const node = nodeOf(number);
  return node.phrase || node.flags & NGRAM ? changetype<Ranges>(0) : exactOf(number);
}

/** Does the item have an exact term? */
export function hasExactTerm(number: ItemNumber): bool {
  return exactPhrase(number) != null || exactWord(number) != null;
}

/** Documents that hold the exact term of an item that has one. */
export function exactDocuments(number: ItemNumber): usize {
  const phrase = exactPhrase(number);
  return phrase ? phraseDocuments(phrase) : wordDocuments(exactWord(number));
}

/** The single words of an item, without phrases. */
export function plainSources(number: ItemNumber, withPrefix: bool, sources: Sources): void {
  sources.start = alloc((<usize>(typoCount(number) + phraseCount(number) + 1)) << 3);
  sources.count = 0;
  const exact = exactOf(number);
  const prefix = withPrefix ? prefixOf(number) : changetype<Ranges>(0);
  if (prefix) addSource(sources, prefix, 0);
  else if (exact) addSource(sources, exact, 0);
  const node = nodeOf(number);
  if (number & ONE) addWords(sources, node.one, node.oneCount);
  if (number & TWO) addWords(sources, node.two, node.twoCount);
}

/** The single words of an item, and a word of each of its phrases where that phrase matches. */
export function allSources(number: ItemNumber, which: i32, sources: Sources): void {
  plainSources(number, true, sources);
  for (let i: u32 = 0; i < phraseCount(number); i++) {
    const phrase = phraseAt(number, i);
    const slot = phraseWord(phrase, which);
    if (slot == HOLE || slot == MISSING) continue;
    addSource(sources, changetype<Ranges>(slot), phraseDocuments(phrase));
  }
}

/** A word of a phrase: see FIRST_WORD and those beside it. */
export function phraseWord(phrase: Phrase, which: i32): usize {
  if (which == FIRST_WORD) return firstWordOf(phrase);
  return slotOf(phrase, which == FIRST_SLOT ? 0 : phrase.count - 1);
}

export function addSource(sources: Sources, ranges: Ranges, filter: usize): void {
  const at = sources.start + ((<usize>(sources.count++)) << 3);
  store<u32>(at, <u32>changetype<usize>(ranges));
  store<u32>(at, <u32>filter, 4);
}

function addWords(sources: Sources, list: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    addSource(sources, changetype<Ranges>(<usize>load<u32>(list + (i << 2))), 0);
  }
}

function findLevels(item: Item, node: Node, allowed: u32): void {
  let zero: usize = 0;
  let one: usize = 0;
  let two: usize = 0;
  if (allowed & ZERO) zero = wordsAt(node, 0);
  else if (allowed & EXACT && node.exact) {
    zero = node.flags & CACHED ? wordsAt(node, 0) : someOf(wordDocuments(node.exact));
  }
  if (allowed & ONE) {
    one = wordsAt(node, 1);
    if (node.split) one = unionOf(one, someOf(phraseDocuments(node.split)));
  }
  if (allowed & TWO) two = wordsAt(node, 2);
  const phrases = phrasesOf(node);
  if (allowed & (ZERO | EXACT)) zero = unionOf(zero, phrases);
  else if (allowed & ONE) one = unionOf(one, phrases);
  else two = unionOf(two, phrases);
  item.level0 = zero;
  item.level1 = one;
  item.level2 = two;
  item.documents = unionOf(unionOf(zero, one), two);
}

/** Documents of the phrase that a node is, or of its synonyms. */
function phrasesOf(node: Node): usize {
  if (node.phrase) return someOf(phraseDocuments(node.phrase));
  let all: usize = 0;
  for (let i: usize = 0; i < <usize>node.synonymCount; i++) {
    const phrase = changetype<Phrase>(<usize>load<u32>(node.synonyms + (i << 2)));
    all = unionOf(all, someOf(phraseDocuments(phrase)));
  }
  return all;
}

/** Documents of the single words of a node that need so many typos. */
function wordsAt(node: Node, typos: u32): usize {
  const at = changetype<usize>(node) + offsetof<Node>("words0") + ((<usize>typos) << 2);
  if (node.known & (1 << typos)) return load<u32>(at);
  node.known |= 1 << typos;
  const documents = typos == 0 ? plainWords(node) : typoWords(node, typos);
  store<u32>(at, <u32>documents);
  return documents;
}

/** Documents of the text itself and of what begins with it: one range covers both. */
function plainWords(node: Node): usize {
  const isDerived = (node.flags & NGRAM) != 0;
  if (!node.prefix && node.exact && !isDerived) return someOf(wordDocuments(node.exact));
  const ranges = node.prefix ? node.prefix : node.exact;
  if (!ranges) return 0;
  const documents = newBitmap();
  addDocuments(documents, ranges, isDerived);
  return someOf(documents);
}

function typoWords(node: Node, typos: u32): usize {
  const list = typos == 1 ? node.one : node.two;
  const count = typos == 1 ? node.oneCount : node.twoCount;
  if (!count) return 0;
  const documents = newBitmap();
  for (let i: usize = 0; i < <usize>count; i++) {
    addDocuments(documents, changetype<Ranges>(<usize>load<u32>(list + (i << 2))), true);
  }
  return someOf(documents);
}
