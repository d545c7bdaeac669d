// Finds the documents of phrases: all words in them, neighbours at their distance. Used throughout this
// folder.
import { bitmapAnd } from "../bitmap";
import { copyBitmap, newBitmap } from "./bitmaps";
import { bitmapWords, live } from "./context";
import { isEverywhere } from "./fields";
import { nearDocuments } from "./neighbours";
import { HOLE, MISSING, Phrase, Ranges } from "./records";
import { wordDocuments } from "./words";

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

/** Documents that contain a phrase; the bitmap must not be written to. */
export function phraseDocuments(phrase: Phrase): usize {
  if (!phrase.documents) phrase.documents = findPhrase(phrase);
  return phrase.documents;
}

function findPhrase(phrase: Phrase): usize {
  const count = phrase.count;
  if (count == 1 && slotOf(phrase, 0) != HOLE) return documentsOfSlot(slotOf(phrase, 0));
  if (count == 2 && slotOf(phrase, 0) != HOLE && slotOf(phrase, 1) != HOLE && isEverywhere) {
    // Neighbours are in the same documents as both words, unless look-ups leave out fields.
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
