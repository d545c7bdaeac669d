// The core's part of the short cut for one term that very many documents match: finds the documents that may
// be better than the others. Called by the host, where the short cut is explained
// (src/engine/search/leaders.ts).
import { bitmapCount, bitmapMeet, bitmapOr } from "../bitmap";
import { bitmapRoom, newBitmap } from "./bitmaps";
import { bitmapWords } from "./context";
import { countedDocuments, countedMost } from "./counted";
import { addField, fieldCount, isAllowed, newFieldBits } from "./fields";
import { exactDocuments, exactPhrase, exactWord, hasExactTerm } from "./forms";
import { ItemNumber } from "./item-numbers";
import { nodeOf } from "./nodes";
import { itemAt, pathAt } from "./paths";
import { slotOf } from "./phrases";
import { HOLE, PathSet, Ranges } from "./records";
import { addDocumentsIn } from "./words";

/** Most fields that are searched for the word alone: each costs a walk over its occurrences. */
const FIELDS_MAX: i32 = 4;

/** 1 when the paths are one word, or a phrase of one word: then the other functions here may be called. */
export function searchIsWord(paths: PathSet): i32 {
  if (paths.count != 1 || pathAt(paths, 0).length != 1) return 0;
  const item = itemAt(pathAt(paths, 0), 0);
  if (nodeOf(item).size != 1) return 0;
  const phrase = exactPhrase(item);
  return i32(!phrase || (phrase.count == 1 && slotOf(phrase, 0) != HOLE));
}

/** A new bitmap of those documents that contain the word exactly. */
export function searchHolding(paths: PathSet, documents: usize): usize {
  const item = itemAt(pathAt(paths, 0), 0);
  if (!hasExactTerm(item)) return newBitmap();
  const holding = bitmapRoom();
  bitmapMeet(holding, exactDocuments(item), documents, bitmapWords);
  return holding;
}

/**
 * A new bitmap of those documents, which all contain the word, in which it is all of a field; 0 when there
 * are too many fields.
 */
export function searchAlone(paths: PathSet, documents: usize): usize {
  const word = onlyWord(itemAt(pathAt(paths, 0), 0));
  let allowed = 0;
  for (let field = 0; field < fieldCount; field++) allowed += i32(isAllowed(field));
  if (allowed > FIELDS_MAX) return 0;
  const alone = newBitmap();
  const count = bitmapCount(documents, bitmapWords);
  for (let field = 0; field < fieldCount; field++) {
    if (!isAllowed(field)) continue;
    addAlone(alone, changetype<Ranges>(word), field, documents, count);
  }
  return alone;
}

/** Adds those of `count` documents in which the word is all of a field. */
function addAlone(alone: usize, word: Ranges, field: i32, documents: usize, count: i32): void {
  const bits = newFieldBits();
  addField(bits, field);
  // Starts with the condition that leaves fewer documents: names are often a single word, but rarely a
  // frequent one.
  if (countedMost(field, 1) < count) {
    addDocumentsIn(alone, word, bits, countedDocuments(field, 1, documents));
    return;
  }
  const holding = newBitmap();
  addDocumentsIn(holding, word, bits, documents);
  bitmapOr(alone, countedDocuments(field, 1, holding), bitmapWords);
}

function onlyWord(item: ItemNumber): usize {
  const phrase = exactPhrase(item);
  return phrase ? slotOf(phrase, 0) : changetype<usize>(exactWord(item));
}
