// Turns the occurrences of words into costs for the documents of one bucket, as arrays by index in the
// bucket's list. Called by steps.ts, proximity.ts and exactness.ts between `openBucket` and `closeBucket` of
// evaluation.ts; the walk itself is in ../ranking-walk.ts.
import { rankingBegin, rankingBeginBitmap, rankingEnd } from "../ranking-bucket";
import { RANKING_NONE, rankingFill, rankingLower } from "../ranking-costs";
import { rankingSortChains } from "../ranking-near";
import {
  INTO_CHAINS,
  INTO_PLACES,
  INTO_SPANS,
  rankingInto,
  rankingSpaceEnd,
  rankingVisit,
} from "../ranking-walk";
import { alloc, allocRecord, allocSum, allocZeroed, arenaMark, arenaRelease } from "./arena";
import { bitmapWords, marks, segmentCount, tombstonesOf } from "./context";
import { bitmapOf, listOf } from "./documents";
import { ItemNumber } from "./item-numbers";
import { loadPart, partOf, partPositionsBytes } from "./parts";
import { Documents, Ranges } from "./records";
import { allSources, FIRST_WORD, Sources, sourceFilter, sourceRanges } from "./sources";

/** A bucket is taken as a bitmap when it has at least one document per this many 64-bit words. */
const BITMAP_RATIO: i32 = 4;
/** Bytes of a key; below, of a key with its link: at most one of these per byte of positions. */
const KEY_BYTES: u64 = 4;
const CHAINED_KEY_BYTES: u64 = 8;

/** Keys collected for the bucket, newest first. */
@unmanaged
class Keys {
  next: Keys;
  start: usize;
  count: u32;
  spans: usize;
}

/** The current documents. */
export let openedBucket: Documents = changetype<Documents>(0);
let collectedKeys: Keys = changetype<Keys>(0);
/** The words whose occurrences are looked at. */
let itemSources: Sources = changetype<Sources>(0);
let isBucketOpen: bool = false;

/**
 * Clears the marks that are left when the previous search ended in the middle of a bucket, because the host
 * threw.
 */
export function occurrencesBegin(): void {
  if (isBucketOpen) memory.fill(marks, 0, (<usize>bitmapWords) << 3);
  isBucketOpen = false;
}

export function openBucket(documents: Documents): void {
  const list = listOf(documents);
  const count = documents.count;
  const firsts = marks + ((<usize>bitmapWords) << 3);
  if (<i32>count * BITMAP_RATIO < bitmapWords) rankingBegin(list, count, marks, firsts, bitmapWords);
  else rankingBeginBitmap(list, count, bitmapOf(documents), firsts, bitmapWords);
  isBucketOpen = true;
  openedBucket = documents;
  collectedKeys = changetype<Keys>(0);
  itemSources = changetype<Sources>(allocRecord(offsetof<Sources>()));
}

export function closeBucket(): void {
  rankingEnd();
  isBucketOpen = false;
}

/** A new array of costs, all with the same value. */
export function newCosts(value: u32): usize {
  const costs = costsRoom(openedBucket.count);
  rankingFill(costs, openedBucket.count, value);
  return costs;
}

/** Room for this many costs: the kernels write up to 8 numbers beyond them. */
export function costsRoom(count: u32): usize {
  return alloc(((<usize>count) << 1) + 16);
}

/** Lowers the costs of the documents in a bitmap, if there is one. */
export function lowerCosts(costs: usize, bitmap: usize, value: u32): void {
  if (bitmap) rankingLower(listOf(openedBucket), openedBucket.count, bitmap, bitmapWords, value, costs);
}

/** The least of the `count` u16 values in a table over everything that an item occurs in: see rankingInto. */
export function leastCosts(number: ItemNumber, into: i32, table: usize, count: i32): usize {
  const costs = newCosts(RANKING_NONE);
  allSources(number, FIRST_WORD, itemSources);
  loadSources(itemSources);
  rankingInto(into, costs, table, count, 0, 0);
  for (let i: u32 = 0; i < itemSources.count; i++) {
    walkOccurrences(sourceRanges(itemSources.start, i), sourceFilter(itemSources.start, i));
  }
  return costs;
}

/**
 * Bits of the fields from `firstField` on in which a word occurs, u32 per document; 0 if it is never at
 * `place`.
 */
export function placesOf(ranges: Ranges, place: i32, firstField: i32): usize {
  const masks = allocZeroed(((<usize>openedBucket.count) << 2) + 4);
  loadRanges(ranges);
  rankingInto(INTO_PLACES, masks, firstField, place, 0, 0);
  walkOccurrences(ranges, 0);
  return masks;
}

/** Keys of some words as spans, two u32 per document. */
export function keysOf(start: usize, count: u32): usize {
  for (let known = collectedKeys; changetype<usize>(known); known = known.next) {
    if (known.count == count && !memory.compare(known.start, start, (<usize>count) << 3)) return known.spans;
  }
  const keys = changetype<Keys>(allocRecord(offsetof<Keys>()));
  keys.next = collectedKeys;
  keys.start = start;
  keys.count = count;
  keys.spans = collectKeys(start, count);
  collectedKeys = keys;
  return keys.spans;
}

function collectKeys(start: usize, count: u32): usize {
  const documents = <usize>openedBucket.count;
  let bytes: u64 = 0;
  let isSingle = count == 1;
  for (let i: u32 = 0; i < count; i++) {
    const ranges = sourceRanges(start, i);
    loadRanges(ranges);
    for (let segment = 0; segment < segmentCount; segment++) {
      const part = partOf(ranges, segment);
      if (part.from >= part.to) continue;
      bytes += partPositionsBytes(part);
      if (part.to - part.from > 1) isSingle = false;
    }
  }
  const spans = allocZeroed((documents << 3) + 8);
  if (isSingle) {
    collectInto(INTO_SPANS, spans, start, count, KEY_BYTES * bytes);
    return spans;
  }
  const heads = allocZeroed((documents << 2) + 4);
  const mark = alloc(0);
  const end = collectInto(INTO_CHAINS, heads, start, count, CHAINED_KEY_BYTES * bytes);
  const room = (end - mark) >> 1;
  rankingSortChains(heads, openedBucket.count, spans, alloc(room) + room);
  return spans;
}

/** Collects keys on top of the arena, whose top then follows them; returns their end. */
function collectInto(into: i32, out: usize, start: usize, count: u32, most: u64): usize {
  const mark = arenaMark();
  const space = allocSum(most + CHAINED_KEY_BYTES);
  const bytes = <usize>most;
  rankingInto(into, out, 0, 0, space, <i32>(bytes + <usize>CHAINED_KEY_BYTES));
  for (let i: u32 = 0; i < count; i++) walkOccurrences(sourceRanges(start, i), sourceFilter(start, i));
  const end = rankingSpaceEnd();
  arenaRelease(mark);
  alloc(end - space);
  return end;
}

function loadSources(from: Sources): void {
  for (let i: u32 = 0; i < from.count; i++) loadRanges(sourceRanges(from.start, i));
}

/** Loads what walks need in advance: they must not take memory themselves. */
function loadRanges(ranges: Ranges): void {
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(ranges, segment);
    if (part.from < part.to) loadPart(part, segment);
  }
}

function walkOccurrences(ranges: Ranges, filter: usize): void {
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(ranges, segment);
    if (part.from >= part.to) continue;
    rankingVisit(
      part.postings,
      part.postingsStarts,
      part.positions,
      part.positionsStarts,
      part.to - part.from,
      tombstonesOf(segment),
      filter,
      bitmapWords,
    );
  }
}
