// The rule ExactAttribute: documents in which a field equals the query come first, then those in which a
// field begins with it. Called by evaluation.ts.
import { rankingBeginnings, rankingIntersect, rankingWhole } from "../ranking-beginnings";
import { placeOf } from "../ranking-walk";
import { allocRecord } from "./arena";
import { bitmapWords, segmentCount, tombstonesOf } from "./context";
import { countedIn } from "./counted";
import { listOf } from "./documents";
import { fieldCount, isAllowed } from "./fields";
import { exactPhrase, exactWord, hasExactTerm } from "./forms";
import { ItemNumber, NO_ITEM } from "./item-numbers";
import { nodeOf, termCount } from "./nodes";
import { newCosts, openedBucket, placesOf } from "./occurrences";
import { itemAt, pathAt } from "./paths";
import { slotOf } from "./phrases";
import { HOLE, MISSING, PathSet, Ranges } from "./records";

/** Difference between the best rank and the worst. */
const NO_MATCH_COST: u32 = 2;
/** The words of longer fields are not counted. */
const COUNTED_WORDS_MAX: u32 = 30;
/** Number of fields that are looked at at a time. */
const FIELD_BITS: i32 = 32;

/** An item with an exact term for each term of the query, NO_ITEM when there is none. */
let leading: usize = 0;
/** Fields that contain all words in any document; below, the mask of each document. */
let allFields: u32 = 0;
let fieldMasks: usize = 0;

/**
 * For each current document a u16, the best rank minus its own; 0 when no document has more than the worst
 * rank.
 */
export function exactAttributeCosts(paths: PathSet): usize {
  const terms = findLeading(paths);
  if (!terms) return 0;
  let length: u32 = 0;
  for (let i = 0; i < terms; i++) length += nodeOf(leadingAt(i)).last - nodeOf(leadingAt(i)).first + 1;
  let costs: usize = 0;
  for (let first = 0; first < fieldCount; first += FIELD_BITS) {
    findFields(first, terms);
    if (!allFields || !fieldMasks) continue;
    if (!costs) costs = newCosts(NO_MATCH_COST);
    rankingBeginnings(fieldMasks, openedBucket.count, costs);
    if (length <= COUNTED_WORDS_MAX) lowerWhole(first, length, costs);
  }
  return costs;
}

/**
 * Finds an item of each term that has an exact term. Returns how many terms have one, without a gap
 * from the first term on; 0 when there is a gap.
 */
function findLeading(paths: PathSet): i32 {
  leading = allocRecord((<usize>termCount) << 2);
  for (let term = 0; term < termCount; term++) store<u32>(leading + ((<usize>term) << 2), NO_ITEM);
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    for (let at: u32 = 0; at < path.length; at++) {
      const item = itemAt(path, at);
      const place = leading + ((<usize>nodeOf(item).from) << 2);
      // A node has one exact term at the most, and no other node that begins here has one.
      if (hasExactTerm(item)) store<u32>(place, item);
    }
  }
  let found = 0;
  while (found < termCount && leadingAt(found) != NO_ITEM) found++;
  for (let term = found; term < termCount; term++) if (leadingAt(term) != NO_ITEM) return 0;
  return found;
}

function leadingAt(term: i32): ItemNumber {
  return load<u32>(leading + ((<usize>term) << 2));
}

/** Finds the fields from `first` on that contain all words at their places. */
function findFields(first: i32, terms: i32): void {
  fieldMasks = 0;
  allFields = 0;
  for (let bit = 0; bit < FIELD_BITS && first + bit < fieldCount; bit++) {
    if (isAllowed(first + bit)) allFields |= 1 << bit;
  }
  for (let term = 0; term < terms && allFields; term++) {
    const item = leadingAt(term);
    const start = nodeOf(item).first;
    const phrase = exactPhrase(item);
    if (!phrase) {
      keepFields(changetype<usize>(exactWord(item)), start, first);
      continue;
    }
    for (let slot: u32 = 0; slot < phrase.count && allFields; slot++) {
      if (slotOf(phrase, slot) != HOLE) keepFields(slotOf(phrase, slot), start + slot, first);
    }
  }
}

/** Keeps the fields that contain a word at a position. */
function keepFields(word: usize, position: u32, first: i32): void {
  if (word == MISSING) {
    allFields = 0;
    return;
  }
  const own = placesOf(changetype<Ranges>(word), placeOf(position), first);
  allFields = rankingIntersect(fieldMasks ? fieldMasks : own, own, openedBucket.count, allFields);
  if (!fieldMasks) fieldMasks = own;
}

/** Lowers the costs to 0 where a field begins with the query and has no further words. */
function lowerWhole(first: i32, length: u32, costs: usize): void {
  const list = allocRecord(8);
  for (let bit = 0; bit < FIELD_BITS; bit++) {
    if (!((allFields >>> bit) & 1)) continue;
    for (let segment = 0; segment < segmentCount; segment++) {
      if (!countedIn(segment, first + bit, length, list)) continue;
      const postings: usize = load<u32>(list);
      const bytes = load<i32>(list, 4);
      const tombstones = tombstonesOf(segment);
      rankingWhole(
        listOf(openedBucket),
        fieldMasks,
        openedBucket.count,
        bit,
        postings,
        bytes,
        tombstones,
        bitmapWords,
        costs,
      );
    }
  }
}
