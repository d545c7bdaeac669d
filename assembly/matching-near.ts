// Finds documents where two words are near each other: their occurrences are read side by side, only until
// that is decided. Called by search/neighbours.ts; formats: postings.ts and occurrences.ts.
import { bitmapSet } from "./bitmap";
import { listPairs } from "./lists";
import { sideBegin, sideBytes, sideOpen, Side, sideStart, sideUnpack, sideUnpackAll } from "./matching-side";
import { FIELD_SHIFT, LAST, STEP } from "./occurrences";
import { PACK_BLOCK_LEN } from "./pack";
import { postingsCount } from "./postings";
import { LONG_BITS, varintEnd, varintOfTwo, varintRead } from "./varint";

const SIDE_A = changetype<Side>(memory.data(offsetof<Side>(), 16));
const SIDE_B = changetype<Side>(memory.data(offsetof<Side>(), 16));
/** A document's places in both lists. */
const PAIR_BYTES: u64 = 8;

/** Bytes of scratch for two lists of this many documents. */
export function matchNearBytes(documentsA: i32, documentsB: i32): u64 {
  const bytesA = sideBytes(unpackedMost(documentsA, documentsB));
  const bytesB = sideBytes(unpackedMost(documentsB, documentsA));
  return bytesA + bytesB + PAIR_BYTES * <u64>min(documentsA, documentsB);
}

/** Most documents of a list that are unpacked: all, or a block for each document of the other list. */
function unpackedMost(documents: i32, others: i32): u64 {
  return min<u64>(documents, <u64>PACK_BLOCK_LEN * <u64>others);
}

/**
 * Adds to a bitmap the documents where an occurrence of b follows one of a in the same field at a distance of
 * 1 to `most`; with `most` 0, those where an allowed field (`fields`: a byte for each of `fieldCount`)
 * contains both. The bitmap has `words` words; `scratch`: see matchNearBytes.
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
  words: i32,
): void {
  const countA = postingsCount(listA, lengthA);
  const countB = postingsCount(listB, lengthB);
  if (countA < 0 || countB < 0) return;
  const mostA = unpackedMost(countA, countB);
  const mostB = unpackedMost(countB, countA);
  const roomB = scratch + <usize>sideBytes(mostA);
  const pairs = roomB + <usize>sideBytes(mostB);
  sideOpen(SIDE_A, listA, lengthA, positionsA, positionsLengthA, mostA, scratch);
  sideOpen(SIDE_B, listB, lengthB, positionsB, positionsLengthB, mostB, roomB);
  const rare = countA <= countB ? SIDE_A : SIDE_B;
  const other = countA <= countB ? SIDE_B : SIDE_A;
  if (!sideUnpackAll(rare) || !sideUnpack(other, rare.documents, rare.count)) return;
  const count = listPairs(SIDE_A.documents, SIDE_A.count, SIDE_B.documents, SIDE_B.count, pairs);
  sideBegin(SIDE_A, count);
  sideBegin(SIDE_B, count);
  const end = pairs + <usize>count * <usize>PAIR_BYTES;
  for (let at = pairs; at < end; at += <usize>PAIR_BYTES) {
    const index = load<i32>(at);
    const a = sideStart(SIDE_A, index);
    const b = sideStart(SIDE_B, load<i32>(at, 4));
    const matches = most
      ? isNear(a, SIDE_A.positionsEnd, b, SIDE_B.positionsEnd, <u32>most)
      : isShared(a, SIDE_A.positionsEnd, b, SIDE_B.positionsEnd, fields, fieldCount);
    const docid = load<u32>(SIDE_A.documents + ((<usize>index) << 2));
    if (matches && docid >> 6 < <u32>words) bitmapSet(bitmap, docid);
  }
}

/** Is some occurrence at b 1 to `most` after one at a, in the same field? */
function isNear(a: usize, endA: usize, b: usize, endB: usize, most: u32): bool {
  if (a >= endA || b >= endB) return false;
  let keyA: u32 = 0;
  let keyB: u32 = 0;
  let isLastB = false;
  while (true) {
    keyA = readKey(a, endA, keyA);
    const isLastA = readLast;
    a = readEnd;
    // This also reads the first occurrence of b, since no key is below 0.
    while (keyB <= keyA) {
      if (isLastB) return false;
      keyB = readKey(b, endB, keyB);
      isLastB = readLast;
      b = readEnd;
    }
    if (keyB - keyA <= most && keyB >> FIELD_SHIFT == keyA >> FIELD_SHIFT) return true;
    if (isLastA) return false;
  }
}

/** Does an allowed field contain occurrences of both? */
function isShared(a: usize, endA: usize, b: usize, endB: usize, fields: usize, fieldCount: u32): bool {
  if (a >= endA || b >= endB) return false;
  let keyA = nextKey(a, endA, 0);
  let isLastA = readLast;
  a = readEnd;
  let keyB = nextKey(b, endB, 0);
  let isLastB = readLast;
  b = readEnd;
  while (true) {
    const fieldA = keyA >> FIELD_SHIFT;
    const fieldB = keyB >> FIELD_SHIFT;
    if (fieldA == fieldB && fieldA < fieldCount && load<u8>(fields + <usize>fieldA)) return true;
    if (fieldA <= fieldB) {
      if (isLastA) return false;
      keyA = nextKey(a, endA, keyA);
      isLastA = readLast;
      a = readEnd;
    } else {
      if (isLastB) return false;
      keyB = nextKey(b, endB, keyB);
      isLastB = readLast;
      b = readEnd;
    }
  }
}

/** Further results of readKey: the address after the occurrence; below, whether its document ends there. */
let readEnd: usize = 0;
let readLast: bool = false;

/**
 * Key of the occurrence at `at`, given the key `before` of the previous one, or 0; at the end, the same key
 * again.
 */
@inline
function readKey(at: usize, end: usize, before: u32): u32 {
  let key = before;
  while (at < end) {
    let value: u32 = load<u16>(at);
    if ((value & LONG_BITS) == LONG_BITS) {
      value = varintRead(at);
      at = varintEnd;
    } else {
      const more = (value >> 7) & 1;
      value = varintOfTwo(value, more);
      at += 1 + <usize>more;
    }
    if (value & STEP) {
      key = ((key >> FIELD_SHIFT) + (value >> 2)) << FIELD_SHIFT;
      continue;
    }
    readEnd = at;
    readLast = (value & LAST) != 0;
    return key + (value >> 2);
  }
  readEnd = at;
  readLast = true;
  return before;
}

/** The same as a call: less frequent uses should not be inlined. */
function nextKey(at: usize, end: usize, before: u32): u32 {
  return readKey(at, end, before);
}
