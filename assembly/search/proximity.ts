// Two neighbouring items of the query in the current documents: they are near each other when they are 1 to 3
// words apart, by their nearest occurrences in any field. Called by steps.ts.
import { bitmapAndCount, bitmapAny } from "../bitmap";
import { rankingNear, rankingShare } from "../ranking-near";
import { alloc, allocRecord } from "./arena";
import { newBitmap } from "./bitmaps";
import { bitmapWords, isByAttribute, segmentCount } from "./context";
import { bitmapOf } from "./documents";
import { fieldCount, fieldFlags, isEverywhere } from "./fields";
import { exactOf, phraseAt, phraseCount, prefixOf, typoCount } from "./forms";
import { ItemNumber } from "./item-numbers";
import { nodeOf } from "./nodes";
import { keysOf, openedBucket } from "./occurrences";
import { partOf } from "./parts";
import { phraseDocuments } from "./phrases";
import { CACHED, HOLE, MISSING, NGRAM, Ranges } from "./records";
import {
  addSource,
  allSources,
  FIRST_SLOT,
  LAST_SLOT,
  phraseWord,
  plainSources,
  Sources,
  sourceFilter,
  sourceRanges,
} from "./sources";
import { addDocuments } from "./words";

/** Largest distances that count: forward; below, of swapped words. */
const FORWARD_MAX: u32 = 3;
const BACKWARD_MAX: u32 = 2;

/**
 * Whether a word on the left counts may depend on what other documents contain: see addLoose and keepAlive.
 */
export function pairLooksAround(left: ItemNumber, right: ItemNumber): bool {
  if (!isEverywhere && formsOf(right) >= 2) return true;
  return isCached(right) && phraseCount(left) > 0;
}

/** Lowers the costs of documents in which the items are near each other to 0, 1 or 2. */
export function pairCosts(left: ItemNumber, right: ItemNumber, costs: usize): void {
  const before = newSources();
  const behind = newSources();
  allSources(left, LAST_SLOT, before);
  allSources(right, FIRST_SLOT, behind);
  keepAlive(before, left, right);
  if (!before.count || !behind.count) return;
  const beforeKeys = keysOf(before.start, before.count);
  const behindKeys = keysOf(behind.start, behind.count);
  if (isByAttribute) {
    rankingShare(beforeKeys, behindKeys, openedBucket.count, fieldFlags, fieldCount, costs);
    return;
  }
  rankingNear(beforeKeys, behindKeys, openedBucket.count, FORWARD_MAX, -1, costs);
  addSwapped(before, behind, right, costs);
  addLoose(left, right, costs);
}

/**
 * Swapped words cost one more. Of the words of a cached prefix only the prefix itself counts when swapped.
 */
function addSwapped(before: Sources, behind: Sources, right: ItemNumber, costs: usize): void {
  const from = newSources();
  if (isCached(right)) plainSources(right, false, from);
  else keepPlain(behind, from);
  const to = newSources();
  keepPlain(before, to);
  if (!from.count || !to.count) return;
  const fromKeys = keysOf(from.start, from.count);
  rankingNear(fromKeys, keysOf(to.start, to.count), openedBucket.count, BACKWARD_MAX, 0, costs);
}

/**
 * Before a cached prefix, the last word of a phrase counts in every document as soon as some candidate
 * contains the phrase.
 */
function addLoose(left: ItemNumber, right: ItemNumber, costs: usize): void {
  if (!isCached(right)) return;
  const prefix = prefixOf(right);
  const ranges = prefix ? prefix : exactOf(right);
  const count = phraseCount(left);
  if (!ranges || !count) return;
  const from = newSources();
  from.start = alloc((<usize>count) << 3);
  for (let i: u32 = 0; i < count; i++) {
    const phrase = phraseAt(left, i);
    const slot = phraseWord(phrase, LAST_SLOT);
    if (slot == HOLE || slot == MISSING) continue;
    if (!bitmapAndCount(phraseDocuments(phrase), bitmapOf(openedBucket), bitmapWords)) continue;
    addSource(from, changetype<Ranges>(slot), 0);
  }
  if (!from.count) return;
  const to = newSources();
  to.start = alloc(8);
  addSource(to, ranges, 0);
  const fromKeys = keysOf(from.start, from.count);
  rankingNear(fromKeys, keysOf(to.start, to.count), openedBucket.count, FORWARD_MAX, -1, costs);
}

/**
 * Drops words whose look-up finds documents, but no candidate among them: only if the right side has several
 * forms.
 */
function keepAlive(sources: Sources, left: ItemNumber, right: ItemNumber): void {
  if (isEverywhere || formsOf(right) < 2) return;
  const candidates = bitmapOf(openedBucket);
  const isNgram = (nodeOf(left).flags & NGRAM) != 0;
  const exact = changetype<usize>(exactOf(left));
  const count = sources.count;
  sources.count = 0;
  for (let i: u32 = 0; i < count; i++) {
    const ranges = sourceRanges(sources.start, i);
    const filter = sourceFilter(sources.start, i);
    if (!filter && !isAlive(ranges, isNgram || changetype<usize>(ranges) != exact, candidates)) continue;
    addSource(sources, ranges, filter);
  }
}

function isAlive(ranges: Ranges, isDerived: bool, candidates: usize): bool {
  const found = newBitmap();
  addDocuments(found, ranges, isDerived);
  return !bitmapAny(found, bitmapWords) || bitmapAndCount(found, candidates, bitmapWords) > 0;
}

/** Number of words and phrases that an item on the right stands for. */
function formsOf(item: ItemNumber): u32 {
  const others = typoCount(item) + phraseCount(item);
  const prefix = prefixOf(item);
  if (isCached(item) || !prefix) return others + u32(exactOf(item) != null);
  // Words in several segments may be the same: two in one segment are not.
  let most: u32 = 0;
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(prefix, segment);
    most = max(most, part.to - part.from);
  }
  return others + most;
}

function isCached(item: ItemNumber): bool {
  return (nodeOf(item).flags & CACHED) != 0;
}

function newSources(): Sources {
  return changetype<Sources>(allocRecord(offsetof<Sources>()));
}

/** Of some words, keeps those that count in all documents. */
function keepPlain(from: Sources, to: Sources): void {
  to.start = alloc((<usize>from.count) << 3);
  for (let i: u32 = 0; i < from.count; i++) {
    if (!sourceFilter(from.start, i)) addSource(to, sourceRanges(from.start, i), 0);
  }
}
