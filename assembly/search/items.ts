// Finds the documents that items of the query graph match, by the typos they need. Called by the rules,
// removal.ts and matched.ts.
import { newBitmap, someOf, unionOf } from "./bitmaps";
import { derivationsOf, EXACT, ItemNumber, ONE, TWO, ZERO } from "./item-numbers";
import { itemOf, nodeOf } from "./nodes";
import { phraseDocuments } from "./phrases";
import { CACHED, Item, NGRAM, Node, Phrase, Ranges } from "./records";
import { addDocuments, prefixDocuments, wordDocuments } from "./words";

/** The record of an item, with the documents that it matches. */
export function knownItem(number: ItemNumber): Item {
  const item = itemOf(number);
  if (!item.isKnown) {
    item.isKnown = 1;
    findLevels(item, nodeOf(number), derivationsOf(number));
  }
  return item;
}

/** Bitmap of the documents of an item at any level; 0 when there are none. */
export function itemDocuments(number: ItemNumber): usize {
  return knownItem(number).documents;
}

/** Bitmap of the documents that need at least this many typos, or 0. */
export function levelOf(item: Item, typos: u32): usize {
  return typos == 0 ? item.level0 : typos == 1 ? item.level1 : item.level2;
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

/** Documents of the phrase that a node stands for, or of its synonyms. */
function phrasesOf(node: Node): usize {
  if (node.phrase) return someOf(phraseDocuments(node.phrase));
  let all: usize = 0;
  for (let i: usize = 0; i < <usize>node.synonymCount; i++) {
    const phrase = changetype<Phrase>(<usize>load<u32>(node.synonyms + (i << 2)));
    all = unionOf(all, someOf(phraseDocuments(phrase)));
  }
  return all;
}

/** Documents of the single words of a node that need this many typos. */
function wordsAt(node: Node, typos: u32): usize {
  const at = changetype<usize>(node) + offsetof<Node>("words0") + ((<usize>typos) << 2);
  if (node.known & (1 << typos)) return load<u32>(at);
  node.known |= 1 << typos;
  const documents = typos == 0 ? plainWords(node) : typoWords(node, typos);
  store<u32>(at, <u32>documents);
  return documents;
}

/** Documents of the text itself and of words that begin with it: one range covers both. */
function plainWords(node: Node): usize {
  const isDerived = (node.flags & NGRAM) != 0;
  if (node.exact && !isDerived) {
    return someOf(node.prefix ? prefixDocuments(node.exact, node.prefix) : wordDocuments(node.exact));
  }
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
