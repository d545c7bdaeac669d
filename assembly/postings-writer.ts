// Writes one posting list (layout in postings.ts): as a whole from a list of docids, or block by block for
// the inverter and for merges, which have no such list. Only one list at a time can be written; its state is
// kept in globals.
import { occurrencesSkip } from "./occurrences";
import { PACK_BLOCK_LEN, packBlock, packDelta, packWidth } from "./pack";
import { postingsBlocks } from "./postings";
import { VARINT_BYTES_MAX, varintBytes, varintWrite } from "./varint";

const SKIP_ENTRY_BYTES: usize = 12;
/** Gaps minus one of the current block. */
const GAPS: usize = memory.data(512, 16);
const NUMBER: usize = memory.data(8, 8);

let start: usize = 0;
let limit: usize = 0;
let entry: usize = 0;
let at: usize = 0;
let base: i32 = -1;

/**
 * Encodes `count` strictly ascending docids (u32, at least one), whose positions are at `positions` (0 bytes
 * when there are none), into at most `capacity` bytes at `out`; returns the bytes written, 0 when they do not
 * fit.
 */
export function postingsEncode(
  docids: usize,
  count: i32,
  positions: usize,
  positionsLength: i32,
  out: usize,
  capacity: i32,
): i32 {
  if (!postingsWriteHead(count, out, capacity)) return 0;
  const end = positions + <usize>positionsLength;
  let done = positions;
  for (let blocks = postingsBlocks(count); blocks > 0; blocks--, docids += PACK_BLOCK_LEN << 2) {
    done = occurrencesSkip(done, end, PACK_BLOCK_LEN);
    if (!postingsWriteBlock(docids, <u32>(done - positions))) return 0;
  }
  return postingsWriteTail(docids, count > PACK_BLOCK_LEN ? count % PACK_BLOCK_LEN : count);
}

/**
 * Begins a list of `count` documents in `capacity` bytes at `out`; false when the head, with 5 bytes for df,
 * does not fit.
 */
export function postingsWriteHead(count: i32, out: usize, capacity: i32): bool {
  start = out;
  limit = out + <usize>capacity;
  base = -1;
  const tableBytes = <usize>postingsBlocks(count) * SKIP_ENTRY_BYTES;
  if (VARINT_BYTES_MAX + tableBytes > <usize>capacity) return false;
  entry = varintWrite(out, count);
  at = entry + tableBytes;
  return true;
}

/** Adds a block of 128 docids, whose positions end at byte `positionsEnd`; false when it does not fit. */
export function postingsWriteBlock(docids: usize, positionsEnd: u32): bool {
  packDelta(docids, base, GAPS);
  const width = packWidth(GAPS);
  if (at + 1 + (<usize>width << 4) > limit) return false;
  store<u8>(at, width);
  packBlock(GAPS, width, at + 1);
  at += 1 + (<usize>width << 4);
  base = load<i32>(docids + ((PACK_BLOCK_LEN - 1) << 2));
  store<i32>(entry, base);
  store<u32>(entry, <u32>(at - start), 4);
  store<u32>(entry, positionsEnd, 8);
  entry += SKIP_ENTRY_BYTES;
  return true;
}

/** Adds the last `count` docids and ends the list; returns its bytes, 0 when they do not fit. */
export function postingsWriteTail(docids: usize, count: i32): i32 {
  for (const end = docids + (<usize>count << 2); docids < end; docids += 4) {
    const gap: u32 = load<i32>(docids) - base - 1;
    base = load<i32>(docids);
    if (limit - at >= VARINT_BYTES_MAX) {
      at = varintWrite(at, gap);
      continue;
    }
    // At the end of the output, the bytes that varintWrite writes beyond a number would be outside.
    const bytes = <usize>varintBytes(gap);
    if (bytes > limit - at) return 0;
    varintWrite(NUMBER, gap);
    memory.copy(at, NUMBER, bytes);
    at += bytes;
  }
  return <i32>(at - start);
}
