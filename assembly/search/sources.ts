// The words whose occurrences rules look at for an item. Called by occurrences.ts, proximity.ts
// and field-levels.ts.
import { alloc } from "./arena";
import { exactOf, phraseAt, phraseCount, prefixOf, typoCount } from "./forms";
import { ItemNumber, ONE, TWO } from "./item-numbers";
import { nodeOf } from "./nodes";
import { firstWordOf, phraseDocuments, slotOf } from "./phrases";
import { HOLE, MISSING, Phrase, Ranges } from "./records";

/** Which word of a phrase is looked at. */
export const FIRST_WORD: i32 = 0;
export const FIRST_SLOT: i32 = 1;
export const LAST_SLOT: i32 = 2;

/**
 * `count` words to look at, at `start`: u32 Ranges, u32 bitmap of the documents where they count (0:
 * everywhere).
 */
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

/**
 * The single words of an item, and one word of each of its phrases, in the documents where that phrase
 * matches.
 */
export function allSources(number: ItemNumber, which: i32, sources: Sources): void {
  plainSources(number, true, sources);
  for (let i: u32 = 0; i < phraseCount(number); i++) {
    const phrase = phraseAt(number, i);
    const slot = phraseWord(phrase, which);
    if (slot == HOLE || slot == MISSING) continue;
    addSource(sources, changetype<Ranges>(slot), phraseDocuments(phrase));
  }
}

/** A word of a phrase: see FIRST_WORD and the constants next to it. */
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
