// Merges the posting lists and positions of one term from several segments into one list, without deleted
// documents: called for every term when segments are merged. Documents are copied, not decoded: a run of live
// documents below the next docid of every other source takes one copy of position bytes.
//
//   source       | u32 list | u32 bytes | u32 positions | u32 bytes | u32 tombstones or 0 | u32 bits |
//   result       | u32 df | u32 bytes of the list | u32 bytes of the positions |
//
//   scratch      | cursor of source 0: 640 bytes | ... | docids of the block in the making: 512 bytes |
//   cursor        0 u32 source                4 u32 next block      8 u32 index in the block
//                12 u32 docids in the block   16 u32 positions at   20 u32 positions end
//                64 docids of the block: 512 bytes
//
// A docid is live in at most one source. Docids beyond the tombstones of a source are live.
import { occurrencesSkip } from "./occurrences";
import { PACK_BLOCK_LEN } from "./pack";
import { postingsBlock, postingsBlocks, postingsCount } from "./postings";
import { postingsWriteBlock, postingsWriteHead, postingsWriteTail } from "./postings-writer";

const DAMAGED: i32 = -1;
const FULL: i32 = -2;
const SOURCE_BYTES: usize = 24;
const CURSOR_BYTES: usize = 640;
const CURSOR_DOCIDS: usize = 64;
const NO_DOCID: u32 = 0xffffffff;

/** The block being filled; below, the positions written so far. */
let pending: usize = 0;
let pendingCount: i32 = 0;
let positionsStart: usize = 0;
let positionsAt: usize = 0;
let positionsLimit: usize = 0;

/** Bytes of scratch for a merge of this many sources. */
export function postingsMergeScratch(count: i32): i32 {
  return (count + 1) * <i32>CURSOR_BYTES;
}

/**
 * Merges `count` sources. Returns 0 and writes the sizes to `result` (df 0: no document is left, nothing is
 * written); -1 when a source is damaged, -2 when an output is too small.
 */
export function postingsMerge(
  sources: usize,
  count: i32,
  postingsOut: usize,
  postingsCapacity: i32,
  positionsOut: usize,
  positionsCapacity: i32,
  scratch: usize,
  result: usize,
): i32 {
  memory.fill(result, 0, 12);
  pending = scratch + <usize>count * CURSOR_BYTES;
  pendingCount = 0;
  positionsStart = positionsOut;
  positionsAt = positionsOut;
  positionsLimit = positionsOut + <usize>positionsCapacity;
  const df = countAlive(sources, count);
  if (df <= 0) return df;
  if (!postingsWriteHead(df, postingsOut, postingsCapacity)) return FULL;
  for (let index = 0; index < count; index++) {
    const source = sources + <usize>index * SOURCE_BYTES;
    if (!openCursor(scratch + <usize>index * CURSOR_BYTES, source)) return DAMAGED;
  }
  // Blocks left to write as full ones; what follows them is the tail.
  let blocks = postingsBlocks(df);
  for (let left = df; left > 0; ) {
    const cursor = leastCursor(scratch, count);
    if (!cursor || pendingCount == PACK_BLOCK_LEN) return DAMAGED;
    const taken = takeRun(cursor, secondDocid);
    if (taken < 0) return taken;
    left -= taken;
    if (pendingCount == PACK_BLOCK_LEN && blocks > 0) {
      if (!postingsWriteBlock(pending, <u32>(positionsAt - positionsStart))) return FULL;
      pendingCount = 0;
      blocks--;
    }
  }
  const bytes = postingsWriteTail(pending, pendingCount);
  if (!bytes) return FULL;
  store<i32>(result, df);
  store<i32>(result, bytes, 4);
  store<u32>(result, <u32>(positionsAt - positionsStart), 8);
  return 0;
}

/** Number of live documents in all sources, -1 when one is damaged. */
function countAlive(sources: usize, count: i32): i32 {
  let alive = 0;
  for (; count > 0; count--, sources += SOURCE_BYTES) {
    const list = <usize>load<u32>(sources);
    const length = load<i32>(sources, 4);
    const df = postingsCount(list, length);
    if (df < 0) return DAMAGED;
    alive += df;
    if (!load<u32>(sources, 16)) continue;
    for (let block = 0; block <= postingsBlocks(df); block++) {
      const found = postingsBlock(list, length, block, pending);
      if (found < 0) return DAMAGED;
      const end = pending + (<usize>found << 2);
      for (let at = pending; at < end; at += 4) alive -= isDead(sources, load<u32>(at));
    }
  }
  return alive;
}

/** 1 when the source has a tombstone for the docid, else 0. */
function isDead(source: usize, docid: u32): i32 {
  const tombstones = <usize>load<u32>(source, 16);
  if (!tombstones || docid >= load<u32>(source, 20)) return 0;
  return (load<u8>(tombstones + (docid >> 3)) >> (docid & 7)) & 1;
}

function openCursor(cursor: usize, source: usize): bool {
  const positions = load<u32>(source, 8);
  store<u32>(cursor, <u32>source);
  store<i32>(cursor, 0, 4);
  store<u32>(cursor, positions, 16);
  store<u32>(cursor, positions + load<u32>(source, 12), 20);
  return loadBlock(cursor);
}

/** Reads the next block of a cursor (an empty one after the tail); false when it is damaged. */
function loadBlock(cursor: usize): bool {
  const source = <usize>load<u32>(cursor);
  const block = load<i32>(cursor, 4);
  const list = <usize>load<u32>(source);
  const length = load<i32>(source, 4);
  let found = 0;
  if (block <= postingsBlocks(postingsCount(list, length))) {
    found = postingsBlock(list, length, block, cursor + CURSOR_DOCIDS);
  }
  store<i32>(cursor, block + 1, 4);
  store<i32>(cursor, 0, 8);
  store<i32>(cursor, found, 12);
  return found >= 0;
}

/** Second result of leastCursor: the least docid of the other cursors. */
let secondDocid: u32 = NO_DOCID;

/** The cursor with the least docid, 0 when all are at their ends. */
function leastCursor(scratch: usize, count: i32): usize {
  let least: usize = 0;
  let leastDocid = NO_DOCID;
  for (let cursor = scratch; count > 0; count--, cursor += CURSOR_BYTES) {
    const index = load<i32>(cursor, 8);
    if (index >= load<i32>(cursor, 12)) continue;
    const docid = load<u32>(cursor + (<usize>index << 2), CURSOR_DOCIDS);
    // A deleted document may have a docid that is live elsewhere: an equal docid becomes the limit of the
    // other cursor.
    if (docid < leastDocid || !least) {
      secondDocid = leastDocid;
      leastDocid = docid;
      least = cursor;
    } else if (docid < secondDocid) secondDocid = docid;
  }
  return least;
}

/**
 * Moves one run of documents, all live or all deleted, from a cursor's block to the output: up to the docid
 * `limit`, the end of the block, or a full pending block. Returns how many documents were kept, or an error.
 */
function takeRun(cursor: usize, limit: u32): i32 {
  const source = <usize>load<u32>(cursor);
  const start = load<i32>(cursor, 8);
  const end = load<i32>(cursor, 12);
  const docids = cursor + CURSOR_DOCIDS;
  let at = start;
  const dead = isDead(source, load<u32>(docids + (<usize>at << 2)));
  const room = dead ? end : min(end, start + PACK_BLOCK_LEN - pendingCount);
  // The first docid is the least of all, so every run makes progress even when it equals the limit.
  for (at++; at < room; at++) {
    const docid = load<u32>(docids + (<usize>at << 2));
    if (docid >= limit || isDead(source, docid) != dead) break;
  }
  const from = <usize>load<u32>(cursor, 16);
  const to = occurrencesSkip(from, <usize>load<u32>(cursor, 20), at - start);
  store<u32>(cursor, <u32>to, 16);
  store<i32>(cursor, at, 8);
  if (!dead) {
    if (to - from > positionsLimit - positionsAt) return FULL;
    const bytes = <usize>(at - start) << 2;
    memory.copy(pending + (<usize>pendingCount << 2), docids + (<usize>start << 2), bytes);
    copyPositions(from, to);
    pendingCount += at - start;
  }
  if (at == end && !loadBlock(cursor)) return DAMAGED;
  return dead ? 0 : at - start;
}

/**
 * Appends position bytes; short ones as one vector if there is room for it, since memory.copy is a slow call.
 */
function copyPositions(from: usize, to: usize): void {
  const length = to - from;
  if (length <= 16 && positionsLimit - positionsAt >= 16) v128.store(positionsAt, v128.load(from));
  else memory.copy(positionsAt, from, length);
  positionsAt += length;
}
