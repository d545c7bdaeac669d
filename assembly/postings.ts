// Posting lists: the documents of a term, strictly ascending docids. Written by postings-writer.ts (indexing
// and merging), read by searches. With more than 128 documents the list has blocks of 128, and a skip table
// that finds the block of a docid.
//
//   df > 128     | varint df | skip table: 12 bytes a block | block 0 | block 1 | ... | tail |
//   df <= 128    | varint df | tail |
//
//   skip entry   | u32 last docid | u32 end of the block | u32 end of its documents' positions |
//                  ends are counted from the start of the list, and of the term's positions (occurrences.ts);
//                  a block starts where the one before ends: block 0 behind the skip table, at byte 0
//   block        | u8 width | 16 * width bytes |    gaps less one, packed (pack.ts)
//   tail         | varint gap less one | ... |      the last df % 128 documents, or all of a short list
//
// The base of the first gap is -1, so a run of consecutive docids has width 0 and takes one byte for 128
// documents.
//
// Lists have no checksum of their own (their pages do). Readers get the byte length and check every block
// against it: damaged bytes give wrong docids or -1, never a trap or a write outside. They read up to 64
// bytes beyond the list.
import { bitmapAnyIn, bitmapFromList, bitmapHas, bitmapSet } from "./bitmap";
import { PACK_BLOCK_LEN, unpackDelta } from "./pack";
import { LONG_BITS, varintEnd, varintOfTwo, varintRead } from "./varint";

/** Result of readers for lists whose bytes contradict each other. */
const DAMAGED: i32 = -1;
const SKIP_ENTRY_BYTES: usize = 12;
const WIDTH_MAX: u32 = 32;
/** No list can have more documents: this keeps all sums below within 31 bits. */
const COUNT_MAX: u32 = 1 << 30;
/** Room for one block of docids, with slack after it. */
const DOCIDS: usize = memory.data(576, 16);

/** Number of documents in the list (df), -1 when damaged. */
export function postingsCount(list: usize, length: i32): i32 {
  const count = varintRead(list);
  if (length < 1 || count == 0 || count > COUNT_MAX) return DAMAGED;
  const blocks = postingsBlocks(count);
  const used = <u32>(varintEnd - list) + blocks * <u32>(SKIP_ENTRY_BYTES + 1) + tailCount(count);
  return used > <u32>length ? DAMAGED : count;
}

/** Number of full blocks in a list of this many documents. */
export function postingsBlocks(count: i32): i32 {
  return count > PACK_BLOCK_LEN ? count / PACK_BLOCK_LEN : 0;
}

/**
 * Writes the docids of block `index` (the number after the last full block is the tail) as u32 to `out`,
 * which has room for 128; returns how many, -1 when damaged.
 */
export function postingsBlock(list: usize, length: i32, index: i32, out: usize): i32 {
  const count = postingsCount(list, length);
  const blocks = postingsBlocks(count);
  if (count < 0 || <u32>index > <u32>blocks) return DAMAGED;
  const table = varintEnd;
  const end = list + <usize>length;
  const entry = table + <usize>index * SKIP_ENTRY_BYTES;
  const first = table + <usize>blocks * SKIP_ENTRY_BYTES;
  const start = index ? list + <usize>load<u32>(entry - SKIP_ENTRY_BYTES, 4) : first;
  const base: i32 = index ? load<i32>(entry - SKIP_ENTRY_BYTES) : -1;
  if (start < table || start > end) return DAMAGED;
  if (index == blocks) return tail(start, end, base, tailCount(count), u32.MAX_VALUE, out);
  if (start == end) return DAMAGED;
  const width: u32 = load<u8>(start);
  if (width > WIDTH_MAX || start + 1 + (<usize>width << 4) > end) return DAMAGED;
  unpackDelta(start + 1, width, base, out);
  return PACK_BLOCK_LEN;
}

/**
 * Writes the docids up to `last` of a list without full blocks as u32 to `out`, which has room for 128;
 * returns how many, -1 when damaged.
 */
export function postingsUpTo(list: usize, length: i32, last: u32, out: usize): i32 {
  const count = postingsCount(list, length);
  if (count < 0 || count > PACK_BLOCK_LEN) return DAMAGED;
  return tail(varintEnd, list + <usize>length, -1, count, last, out);
}

/**
 * Writes all docids as u32 to `out`, which has room for `most`; returns how many, -1 when damaged or when
 * there are more.
 */
export function postingsDecode(list: usize, length: i32, out: usize, most: i32): i32 {
  const count = postingsCount(list, length);
  if (count < 0 || count > most) return DAMAGED;
  const blocks = postingsBlocks(count);
  for (let index = 0; index <= blocks; index++, out += 512) {
    if (postingsBlock(list, length, index, out) < 0) return DAMAGED;
  }
  return count;
}

/**
 * Adds all docids to a bitmap (those beyond its end are left out); returns how many the list has; -1 when
 * damaged: the bitmap may then contain a part of them.
 */
export function postingsIntoBitmap(list: usize, length: i32, bitmap: usize, words: i32): i32 {
  const count = postingsCount(list, length);
  const blocks = postingsBlocks(count);
  if (count < 0) return DAMAGED;
  for (let index = 0; index <= blocks; index++) {
    const found = postingsBlock(list, length, index, DOCIDS);
    if (found < 0) return DAMAGED;
    bitmapFromList(bitmap, words, DOCIDS, found);
  }
  return count;
}

/**
 * The same for `count` lists that are stored one after another from `lists` on; `starts`: count + 1 u32
 * offsets, the first of which belongs to `lists`.
 */
export function postingsUnite(lists: usize, starts: usize, count: i32, bitmap: usize, words: i32): void {
  const base = load<u32>(starts);
  for (let i = 0; i < count; i++, starts += 4) {
    const start = load<u32>(starts);
    const length = <i32>(load<u32>(starts, 4) - start);
    postingsIntoBitmap(lists + <usize>(start - base), length, bitmap, words);
  }
}

/** Adds to a bitmap those docids that are also in the bitmap `among`: blocks without any are not unpacked. */
export function postingsMeet(list: usize, length: i32, among: usize, bitmap: usize, words: i32): void {
  const blocks = postingsBlocks(postingsCount(list, length));
  let from: u32 = 0;
  for (let index = 0; index <= blocks; index++) {
    const last = postingsLast(list, index, blocks);
    const isMet = bitmapAnyIn(among, words, from, last);
    from = last;
    if (!isMet) continue;
    const found = postingsBlock(list, length, index, DOCIDS);
    for (let at = DOCIDS, end = DOCIDS + ((<usize>max(found, 0)) << 2); at < end; at += 4) {
      const docid = load<i32>(at);
      if (bitmapHas(among, words, docid)) bitmapSet(bitmap, docid);
    }
    if (found < 0) return;
  }
}

/** 1 when some docid of the list is not in the bitmap, else 0; -1 when damaged. */
export function postingsAnyOutside(list: usize, length: i32, bitmap: usize, words: i32): i32 {
  const blocks = postingsBlocks(postingsCount(list, length));
  for (let index = 0; index <= blocks; index++) {
    const found = postingsBlock(list, length, index, DOCIDS);
    if (found < 0) return DAMAGED;
    for (let at = DOCIDS, end = DOCIDS + ((<usize>found) << 2); at < end; at += 4) {
      if (!bitmapHas(bitmap, words, load<i32>(at))) return 1;
    }
  }
  return 0;
}

/**
 * The first docid that is in the bitmap (`isIn` 1), or not in it (0); -1 when there is none, or the list is
 * damaged.
 */
export function postingsFirst(list: usize, length: i32, bitmap: usize, words: i32, isIn: i32): i32 {
  const blocks = postingsBlocks(postingsCount(list, length));
  for (let index = 0; index <= blocks; index++) {
    const found = postingsBlock(list, length, index, DOCIDS);
    for (let at = DOCIDS, end = DOCIDS + (<usize>max(found, 0) << 2); at < end; at += 4) {
      if (bitmapHas(bitmap, words, load<i32>(at)) == isIn) return load<i32>(at);
    }
    if (found < 0) break;
  }
  return DAMAGED;
}

/**
 * Number of the first block from block `from` on that can hold `docid`: the tail's number when no full block
 * can; -1 when damaged. Gallops, so a walk over ascending docids costs little.
 */
export function postingsSeek(list: usize, length: i32, from: i32, docid: u32): i32 {
  const count = postingsCount(list, length);
  const table = varintEnd;
  if (count < 0) return DAMAGED;
  const blocks = postingsBlocks(count);
  let low = min(from, blocks);
  let high = low;
  for (let step = 1; high < blocks && load<u32>(table + <usize>high * SKIP_ENTRY_BYTES) < docid; step <<= 1) {
    low = high + 1;
    high += step;
  }
  high = min(high, blocks);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(table + <usize>middle * SKIP_ENTRY_BYTES) < docid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Upper bound of the docids in block `index`, where there are `blocks` full ones: its last docid, or the
 * largest number for the tail.
 */
export function postingsLast(list: usize, index: i32, blocks: i32): u32 {
  if (index >= blocks) return u32.MAX_VALUE;
  varintRead(list);
  return load<u32>(varintEnd + <usize>index * SKIP_ENTRY_BYTES);
}

/**
 * Byte of the term's positions at which those of block `index` start. The list has been checked by
 * postingsBlock.
 */
export function postingsPositions(list: usize, index: i32): u32 {
  if (index == 0) return 0;
  varintRead(list);
  return load<u32>(varintEnd + <usize>(index - 1) * SKIP_ENTRY_BYTES, 8);
}

function tailCount(count: i32): i32 {
  return count > PACK_BLOCK_LEN ? count % PACK_BLOCK_LEN : count;
}

/** Writes the first docids of the tail's `count`, up to `last`; returns how many. */
function tail(at: usize, end: usize, base: i32, count: i32, last: u32, out: usize): i32 {
  const start = out;
  for (const outEnd = out + (<usize>count << 2); out < outEnd; out += 4) {
    if (at >= end) return DAMAGED;
    let gap: u32 = load<u16>(at);
    if ((gap & LONG_BITS) == LONG_BITS) {
      gap = varintRead(at);
      at = varintEnd;
    } else {
      const more = (gap >> 7) & 1;
      gap = varintOfTwo(gap, more);
      at += 1 + <usize>more;
    }
    base += gap + 1;
    if (<u32>base > last) break;
    store<i32>(out, base);
  }
  return at <= end ? <i32>((out - start) >> 2) : DAMAGED;
}
