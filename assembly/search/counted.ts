// Finds documents by the number of words in one of their fields. Called by exactness.ts and leaders.ts.
import { dictionaryFind } from "../dictionary";
import { lists } from "../env";
import { postingsCount, postingsMeet } from "../postings";
import { alloc, allocRecord, arenaMark, arenaRelease } from "./arena";
import { newBitmap, uniteLiving } from "./bitmaps";
import { bitmapWords, dictionaryOf, segmentCount, tombstonesOf } from "./context";
import { POSTINGS } from "./parts";

/** Bytes of the pseudo-term that lists the documents whose field has a certain number of words. */
const COUNTED_BYTES: i32 = 4;

/**
 * The posting list of a segment's documents whose field has exactly `count` words (known up to 30), including
 * those deleted there: writes its address to `out`, followed by its bytes. False when there is none.
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
  lists(segment, POSTINGS, ordinal, ordinal + 1, out);
  return true;
}

/** Upper bound of the number of documents that have exactly `count` words in the field. */
export function countedMost(field: i32, count: i32): i32 {
  const list = allocRecord(8);
  let most = 0;
  for (let segment = 0; segment < segmentCount; segment++) {
    if (!countedIn(segment, field, count, list)) continue;
    most += max(0, postingsCount(load<u32>(list), load<u32>(list, 4)));
  }
  return most;
}

/** A new bitmap of the documents in the bitmap `among` whose field has exactly `count` words. */
export function countedDocuments(field: i32, count: i32, among: usize): usize {
  const found = newBitmap();
  const list = allocRecord(8);
  for (let segment = 0; segment < segmentCount; segment++) {
    if (!countedIn(segment, field, count, list)) continue;
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : found;
    postingsMeet(load<u32>(list), load<u32>(list, 4), among, own, bitmapWords);
    if (tombstones) uniteLiving(found, own, tombstones);
    arenaRelease(mark);
  }
  return found;
}
