// Positions of a term: where it occurs in each document of its posting list (postings.ts), in the same order.
// Searches rank with them (proximity, attribute, position); merges copy the bytes of whole documents.
//
//   positions    | document | document | ... |
//   document     one varint after another, value = (number << 2) | (step << 1) | last
//                  step 0: an occurrence; number = its position less the one before in the same field
//                  step 1: the next occurrences are in a higher field; number = how much higher
//                  last 1: the document ends with this occurrence
//                a document starts at field 0, position 0; after a step the position is 0 again
//
//   example      field 0 at 3 and 5, field 2 at 1:   | 3<<2 | 2<<2 | 2<<2|2 | 1<<2|1 |
//
// `last` sits in the first byte of its varint, so that the ends of documents can be counted 16 bytes at a
// time.
//
// A key = field << 16 | position is one occurrence as searches see it; the keys of a document ascend.
import { postingsBlock, postingsBlocks, postingsCount, postingsPositions, postingsSeek } from "./postings";
import { varintEnd, varintRead } from "./varint";

const DAMAGED: i32 = -1;
/** Bits of a value. */
export const LAST: u32 = 1;
export const STEP: u32 = 2;
/** Of the field in a key. */
export const FIELD_SHIFT: u32 = 16;
/** Docids of one block, followed by room for sentinels. */
const DOCIDS: usize = memory.data(576, 16);
const DOCIDS_MAX: u32 = 0xffffffff;

/**
 * Keys of many documents at once. `docids` are `count` ascending u32; for each, the number of its occurrences
 * (0 when it is not in the list) goes to `counts` as u32, and its keys behind each other to `keys`, which has
 * room for `keysMost`. Returns the number of docids done: fewer than `count` when the keys of the next one do
 * not fit any more (0: not even those of the first); go on with the rest. -1 when damaged.
 */
export function occurrencesDecode(
  list: usize,
  length: i32,
  positions: usize,
  positionsLength: i32,
  docids: usize,
  count: i32,
  counts: usize,
  keys: usize,
  keysMost: i32,
): i32 {
  const end = positions + <usize>positionsLength;
  const keysLimit = keys + (<usize>keysMost << 2);
  let at = positions;
  let block = -1;
  let blockLast: u32 = 0;
  let next = DOCIDS;
  for (let done = 0; done < count; done++) {
    const docid = load<u32>(docids + (<usize>done << 2));
    if (block < 0 || docid > blockLast) {
      block = postingsSeek(list, length, block + 1, docid);
      blockLast = block < 0 ? 0 : loadBlock(list, length, block);
      if (block < 0 || !blockLoaded) return DAMAGED;
      next = DOCIDS;
      at = min(positions + <usize>postingsPositions(list, block), end);
    }
    const found = seek(next, docid);
    if (load<u32>(found) != docid) {
      store<u32>(counts + (<usize>done << 2), 0);
      continue;
    }
    if (found > next) at = occurrencesSkip(at, end, <i32>((found - next) >> 2));
    next = found;
    const behind = occurrencesKeys(at, end, keys, keysLimit);
    if (!behind) return done;
    store<u32>(counts + (<usize>done << 2), <u32>((keysEnd - keys) >> 2));
    keys = keysEnd;
    at = behind;
    next += 4;
  }
  return count;
}

/** Second result of occurrencesKeys: the end of the keys written. */
let keysEnd: usize = 0;

/**
 * Keys of the document at `at`; returns the address behind it, 0 when `outEnd` is reached before (and
 * `keysEnd` is `outEnd`).
 */
function occurrencesKeys(at: usize, end: usize, out: usize, outEnd: usize): usize {
  let key: u32 = 0;
  while (at < end) {
    let value: u32 = load<u8>(at);
    if (value < 128) at++;
    else {
      value = varintRead(at);
      at = varintEnd;
    }
    if (value & STEP) {
      key = ((key >> FIELD_SHIFT) + (value >> 2)) << FIELD_SHIFT;
      continue;
    }
    if (out == outEnd) {
      keysEnd = out;
      return 0;
    }
    key += value >> 2;
    store<u32>(out, key);
    out += 4;
    if (value & LAST) break;
  }
  keysEnd = out;
  return at;
}

/** Address behind the next `count` documents, or `end`. Reads up to 16 bytes behind `end`. */
export function occurrencesSkip(at: usize, end: usize, count: i32): usize {
  let inside: u32 = 0;
  for (; count > 0 && at < end; at += 16) {
    const bytes = v128.load(at);
    const high: u32 = i8x16.bitmask(bytes);
    // First bytes of varints are those behind a byte without the high bit.
    let lasts = i8x16.bitmask(i8x16.shl(bytes, 7)) & ~((high << 1) | inside) & 0xffff;
    const found = popcnt<i32>(lasts);
    if (found < count) {
      count -= found;
      inside = high >> 15;
      continue;
    }
    for (; count > 1; count--) lasts &= lasts - 1;
    at += <usize>ctz<u32>(lasts);
    while (load<u8>(at) > 127) at++;
    return min(at + 1, end);
  }
  return min(at, end);
}

/** 1 while the block that loadBlock has read is sound. */
let blockLoaded: bool = false;

/**
 * Reads a block into DOCIDS, with sentinels behind it; returns its last docid, or the largest number for the
 * tail.
 */
function loadBlock(list: usize, length: i32, block: i32): u32 {
  const count = postingsBlock(list, length, block, DOCIDS);
  blockLoaded = count >= 0;
  if (count < 0) return 0;
  const behind = DOCIDS + (<usize>count << 2);
  v128.store(behind, i32x4.splat(DOCIDS_MAX));
  return block < postingsBlocks(postingsCount(list, length)) ? load<u32>(behind - 4) : DOCIDS_MAX;
}

/** First docid from `next` on that is not below `docid`; the sentinels end the search. */
function seek(next: usize, docid: u32): usize {
  for (let step = 0; step < 4; step++, next += 4) if (load<u32>(next) >= docid) return next;
  while (load<u32>(next, 12) < docid) next += 16;
  while (load<u32>(next) < docid) next += 4;
  return next;
}
