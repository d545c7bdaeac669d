// Documents of phrases: all words in them, neighbours at their distance. Called by items.ts, proximity.ts,
// exactness.ts, words-rule.ts, leaders.ts and the host.
import { bitmapAnd, bitmapAny } from "../bitmap";
import { dictionaryFind } from "../dictionary";
import { lists } from "../env";
import { postingsIntoBitmap } from "../postings";
import { alloc, allocRecord, arenaMark, arenaRelease } from "./arena";
import {
  bitmapWords,
  copyBitmap,
  dictionaryOf,
  isEverywhere,
  live,
  newBitmap,
  segmentCount,
  tombstonesOf,
} from "./context";
import { HOLE, MISSING, Phrase, Ranges } from "./records";
import { nearDocuments, uniteLiving, wordDocuments } from "./words";

/** Slots at most this far apart constrain each other. */
const PHRASE_WINDOW: u32 = 3;

export function slotOf(phrase: Phrase, slot: u32): usize {
  return load<u32>(changetype<usize>(phrase) + offsetof<Phrase>() + ((<usize>slot) << 2));
}

/** First slot that is no hole, or HOLE. */
export function firstWordOf(phrase: Phrase): usize {
  let slot: u32 = 0;
  while (slot + 1 < phrase.count && slotOf(phrase, slot) == HOLE) slot++;
  return slotOf(phrase, slot);
}

/** Documents that hold a phrase: a bitmap that nobody writes to. */
export function phraseDocuments(phrase: Phrase): usize {
  if (!phrase.documents) phrase.documents = findPhrase(phrase);
  return phrase.documents;
}

/** 0 in place of an empty bitmap. */
export function someOf(bitmap: usize): usize {
  return bitmap && bitmapAny(bitmap, bitmapWords) ? bitmap : 0;
}

function findPhrase(phrase: Phrase): usize {
  const count = phrase.count;
  if (count == 1 && slotOf(phrase, 0) != HOLE) return documentsOfSlot(slotOf(phrase, 0));
  if (count == 2 && slotOf(phrase, 0) != HOLE && slotOf(phrase, 1) != HOLE && isEverywhere) {
    // Neighbours are there where both words are, unless look-ups leave out fields.
    return nearOfSlots(slotOf(phrase, 0), slotOf(phrase, 1), 1);
  }
  const found = copyBitmap(live);
  for (let i: u32 = 0; i < count; i++) {
    if (slotOf(phrase, i) != HOLE) bitmapAnd(found, documentsOfSlot(slotOf(phrase, i)), bitmapWords);
  }
  for (let i: u32 = 0; i < count; i++) {
    if (slotOf(phrase, i) == HOLE) continue;
    for (let j = i + 1; j < min(i + PHRASE_WINDOW, count); j++) {
      if (slotOf(phrase, j) == HOLE) continue;
      bitmapAnd(found, nearOfSlots(slotOf(phrase, i), slotOf(phrase, j), <i32>(j - i)), bitmapWords);
    }
  }
  return found;
}

function documentsOfSlot(slot: usize): usize {
  return slot == MISSING ? newBitmap() : wordDocuments(changetype<Ranges>(slot));
}

function nearOfSlots(a: usize, b: usize, most: i32): usize {
  return nearDocuments(changetype<Ranges>(a), changetype<Ranges>(b), most);
}

/** Bytes of the pseudo-term under which the documents are listed whose field has so many words. */
const COUNTED_BYTES: i32 = 4;

/**
 * The posting list of a segment's documents whose field has exactly `count` words (30 at most are known),
 * those deleted there too: address at `out`, bytes behind it. False when there is none.
 */
export function countedIn(segment: i32, field: i32, count: i32, out: usize): bool {
  const mark = arenaMark();
  const term = alloc(COUNTED_BYTES + 16);
  store<u8>(term, 0);
  store<u8>(term, <u8>(field >> 8), 1);
  store<u8>(term, <u8>field, 2);
  store<u8>(term, <u8>count, 3);
  const ordinal = dictionaryFind(dictionaryOf(segment), term, COUNTED_BYTES);
  arenaRelease(mark);
  if (ordinal < 0) return false;
  lists(segment, 0, ordinal, ordinal + 1, out);
  return true;
}

/** Documents whose field has exactly `count` words: a new bitmap. */
export function countedDocuments(field: i32, count: i32): usize {
  const found = newBitmap();
  const list = allocRecord(8);
  for (let segment = 0; segment < segmentCount; segment++) {
    if (!countedIn(segment, field, count, list)) continue;
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : found;
    postingsIntoBitmap(load<u32>(list), load<u32>(list, 4), own, bitmapWords);
    if (tombstones) uniteLiving(found, own, tombstones);
    arenaRelease(mark);
  }
  return found;
}
