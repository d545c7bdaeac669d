// Which documents match: ranges of posting lists and neighbouring words turned into bitmaps (a bit per
// docid). Called by search/words.ts and search/neighbours.ts; formats: postings.ts and occurrences.ts.
import { bitmapSet } from "./bitmap";
import { listIntersect } from "./lists";
import { occurrencesDecode } from "./occurrences";
import { postingsDecode, postingsIntoBitmap } from "./postings";

/**
 * Adds the documents of `count` terms whose lists lie one behind the other from `lists` on; `starts`: count +
 * 1 u32 offsets of which the first belongs to `lists`.
 */
export function matchRange(lists: usize, starts: usize, count: i32, bitmap: usize, words: i32): void {
  const base = load<u32>(starts);
  for (let i = 0; i < count; i++, starts += 4) {
    const start = load<u32>(starts);
    const length = <i32>(load<u32>(starts, 4) - start);
    postingsIntoBitmap(lists + <usize>(start - base), length, bitmap, words);
  }
}

/**
 * Documents where an occurrence of b follows one of a in the same field at a distance of 1 to `most`; with
 * `most` 0, where an allowed field (`fields`: a byte for each of `fieldCount`) holds both. `scratch`: 12
 * bytes per document of both lists together, 4 per byte of both positions, and 2048 more.
 */
export function matchNear(
  listA: usize,
  lengthA: i32,
  positionsA: usize,
  positionsLengthA: i32,
  listB: usize,
  lengthB: i32,
  positionsB: usize,
  positionsLengthB: i32,
  most: i32,
  fields: usize,
  fieldCount: u32,
  scratch: usize,
  bitmap: usize,
): i32 {
  const documentsA = scratch;
  const countA = postingsDecode(listA, lengthA, documentsA, i32.MAX_VALUE);
  if (countA < 0) return countA;
  const documentsB = documentsA + ((<usize>countA) << 2) + 512;
  const countB = postingsDecode(listB, lengthB, documentsB, i32.MAX_VALUE);
  if (countB < 0) return countB;
  const common = documentsB + ((<usize>countB) << 2) + 512;
  const count = listIntersect(documentsA, countA, documentsB, countB, common);
  // The lists are not needed any more: how many keys each document has takes their place.
  const countsA = documentsA;
  const countsB = documentsB;
  let keysA = common + ((<usize>count) << 2) + 64;
  const roomA = positionsLengthA + 1;
  const roomB = positionsLengthB + 1;
  let keysB = keysA + ((<usize>roomA) << 2);
  occurrencesDecode(listA, lengthA, positionsA, positionsLengthA, common, count, countsA, keysA, roomA);
  occurrencesDecode(listB, lengthB, positionsB, positionsLengthB, common, count, countsB, keysB, roomB);
  let found = 0;
  for (let at: usize = 0; at < (<usize>count) << 2; at += 4) {
    const endA = keysA + ((<usize>load<u32>(countsA + at)) << 2);
    const endB = keysB + ((<usize>load<u32>(countsB + at)) << 2);
    const matches = most
      ? near(keysA, endA, keysB, endB, <u32>most)
      : shareField(keysA, endA, keysB, endB, fields, fieldCount);
    if (matches) {
      bitmapSet(bitmap, load<i32>(common + at));
      found++;
    }
    keysA = endA;
    keysB = endB;
  }
  return found;
}

/**
 * True when some key of b is 1 to `most` above a key of a. Both lists ascend; keys of two fields are never
 * near.
 */
function near(a: usize, endA: usize, b: usize, endB: usize, most: u32): bool {
  for (; a < endA; a += 4) {
    const key = load<u32>(a);
    while (b < endB && load<u32>(b) <= key) b += 4;
    if (b == endB) return false;
    const next = load<u32>(b);
    if (next - key <= most && next >> 16 == key >> 16) return true;
  }
  return false;
}

/** True when some allowed field holds a key of both lists. */
function shareField(a: usize, endA: usize, b: usize, endB: usize, fields: usize, fieldCount: u32): bool {
  while (a < endA && b < endB) {
    const fieldA = load<u32>(a) >> 16;
    const fieldB = load<u32>(b) >> 16;
    if (fieldA == fieldB && fieldA < fieldCount && load<u8>(fields + <usize>fieldA)) return true;
    if (fieldA <= fieldB) a += 4;
    else b += 4;
  }
  return false;
}
