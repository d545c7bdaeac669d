// One word of a pair: its documents, and where its occurrences begin in requested ones. Called by
// matching-near.ts; formats: postings.ts and occurrences.ts.
//
// For the word in fewer documents, all blocks of its list are unpacked; for the other one only blocks that
// may contain a document of the first. The room of a side:
//
//   starts      DOCUMENT_STARTS_BYTES: u32 addresses of the occurrences of one block's documents
//   numbers     | u32 block | u32 block | ... |      of the list, for each block that was unpacked
//   documents   | 128 docids | 128 docids | ... | docids of the tail |      u32 each
import { DOCUMENT_STARTS_BYTES, documentStarts } from "./document-ends";
import { listBehind } from "./lists";
import { occurrencesSkip } from "./occurrences";
import { PACK_BLOCK_LEN } from "./pack";
import { postingsBlock, postingsBlocks, postingsCount, postingsPositions, postingsSeek } from "./postings";

/** Starts of a block are found together when at least one in this many documents is asked for. */
const DENSE_RATIO: i32 = 16;

@unmanaged
export class Side {
  list: usize;
  length: i32;
  /** Number of full blocks of the list. */
  blocks: i32;
  positions: usize;
  positionsEnd: usize;
  numbers: usize;
  documents: usize;
  /** Number of docids at `documents`. */
  count: i32;
  isDense: bool;
  /** Index of the block of the last requested document. */
  block: i32;
  /**
   * On a dense side, the starts of that block; otherwise, below, the document's place in the block, and its
   * start.
   */
  starts: usize;
  place: i32;
  start: usize;
}

/** Bytes of the room of a side of which at most this many documents are unpacked. */
export function sideBytes(documents: u64): u64 {
  return (DOCUMENT_STARTS_BYTES + 4 * (numbersMost(documents) + documents) + 15) & ~15;
}

function numbersMost(documents: u64): u64 {
  return documents / PACK_BLOCK_LEN + 1;
}

/** Sets the word, of which at most `documents` are unpacked; `room`: see sideBytes. */
export function sideOpen(
  side: Side,
  list: usize,
  length: i32,
  positions: usize,
  positionsLength: i32,
  documents: u64,
  room: usize,
): void {
  side.list = list;
  side.length = length;
  side.blocks = postingsBlocks(postingsCount(list, length));
  side.positions = positions;
  side.positionsEnd = positions + <usize>positionsLength;
  side.starts = room;
  side.numbers = room + DOCUMENT_STARTS_BYTES;
  side.documents = side.numbers + (<usize>numbersMost(documents) << 2);
  side.count = 0;
}

/** Unpacks all blocks; false when the list is damaged. */
export function sideUnpackAll(side: Side): bool {
  for (let block = 0; block <= side.blocks; block++) if (!unpack(side, block)) return false;
  return true;
}

/** Unpacks the blocks that may contain some of `count` ascending docids; false when the list is damaged. */
export function sideUnpack(side: Side, docids: usize, count: i32): bool {
  let next = 0;
  let block = -1;
  while (next < count && block < side.blocks) {
    block = postingsSeek(side.list, side.length, block + 1, load<u32>(docids + ((<usize>next) << 2)));
    if (block < 0 || !unpack(side, block)) return false;
    const from = next;
    next = listBehind(docids, count, next, load<u32>(side.documents + ((<usize>side.count) << 2) - 4));
    // In a sound list, the last docid of a block is not below the one for which the block was sought.
    if (next == from && block < side.blocks) return false;
  }
  return true;
}

/** To be called before starts are requested, in `count` documents. */
export function sideBegin(side: Side, count: i32): void {
  side.isDense = count * DENSE_RATIO >= side.count;
  side.block = -1;
}

/** Where the occurrences begin in the document with this index at `documents`. */
export function sideStart(side: Side, index: i32): usize {
  const block = index / PACK_BLOCK_LEN;
  const place = index % PACK_BLOCK_LEN;
  if (block != side.block) enter(side, block);
  if (side.isDense) return load<u32>(side.starts + ((<usize>place) << 2));
  if (place > side.place) side.start = occurrencesSkip(side.start, side.positionsEnd, place - side.place);
  side.place = place;
  return side.start;
}

function unpack(side: Side, block: i32): bool {
  const found = postingsBlock(
    side.list,
    side.length,
    block,
    side.documents + ((<usize>side.count) << 2),
  );
  if (found < 0) return false;
  store<u32>(side.numbers + ((<usize>(side.count / PACK_BLOCK_LEN)) << 2), block);
  side.count += found;
  return true;
}

function enter(side: Side, block: i32): void {
  const number = load<i32>(side.numbers + ((<usize>block) << 2));
  const start = side.positions + <usize>postingsPositions(side.list, number);
  side.block = block;
  side.start = min(start, side.positionsEnd);
  side.place = 0;
  if (!side.isDense) return;
  const documents = min(PACK_BLOCK_LEN, side.count - block * PACK_BLOCK_LEN);
  documentStarts(side.start, side.positionsEnd, documents, side.starts);
}
