// The memory in which blocks of documents are compressed, and the compression of a block. Used at both ends:
// in the thread that makes the blocks (blockpress.ts) and in its helper (blockthread.ts).
//
//   press  | u32 helpers | u32 filled | u32 helped | 4 bytes | table of the helper | slot, SLOTS times |
//     helpers  1 while there is a helper, or one is starting
//     filled   blocks put in so far: an idle helper waits at this cell
//     helped   blocks that helpers compressed so far
//   slot   | u32 state | u32 raw bytes | u32 packed bytes | 4 bytes | raw | packed |
//     packed bytes  0: the block does not become smaller
import type { Lz4Exports } from "../core/exports/lz4.ts";
import { LZ4_TABLE_BYTES } from "../core/lz4.ts";

/** More than a helper compresses while the other thread fills one. */
export const SLOTS = 16;
/** A block of a single large document may be larger: such blocks are not put into slots. */
export const RAW_BYTES_MAX = 24 * 1024;
/** Kernels may read a little past the end of their input. */
export const BLOCK_SLACK_BYTES = 64;
const PART_BYTES = RAW_BYTES_MAX + BLOCK_SLACK_BYTES;
const PRESS_HEAD_BYTES = 16;
const SLOT_HEAD_BYTES = 16;
export const SLOT_BYTES = SLOT_HEAD_BYTES + 2 * PART_BYTES;
/** The press without its slots. */
export const PRESS_BYTES = PRESS_HEAD_BYTES + LZ4_TABLE_BYTES;

/** Places of values, as u32 from the start of their press or slot. */
export const HELPERS = 0;
export const FILLED = 1;
export const HELPED = 2;
export const STATE = 0;
export const RAW_BYTES = 1;
export const PACKED_BYTES = 2;

/** States of a slot: only the block's maker fills and empties it; whoever takes it compresses it. */
export const EMPTY = 0;
export const WAITING = 1;
export const TAKEN = 2;
export const DONE = 3;

/** A table for the helper alone. */
export const helperTableAt = (press: number): number => press + PRESS_HEAD_BYTES;
export const slotAt = (press: number, number: number): number => press + PRESS_BYTES + number * SLOT_BYTES;
export const rawAt = (slot: number): number => slot + SLOT_HEAD_BYTES;
export const packedAt = (slot: number): number => slot + SLOT_HEAD_BYTES + PART_BYTES;

/** False when it is done, or another thread has taken it. `cells`: the whole memory. */
export function compressSlot(
  cells: Int32Array,
  { lz4Compress }: Pick<Lz4Exports, "lz4Compress">,
  slot: number,
  table: number,
): boolean {
  const at = slot >>> 2;
  if (Atomics.compareExchange(cells, at + STATE, WAITING, TAKEN) !== WAITING) return false;
  const bytes = cells[at + RAW_BYTES];
  cells[at + PACKED_BYTES] = lz4Compress(rawAt(slot), bytes, packedAt(slot), bytes, table);
  Atomics.store(cells, at + STATE, DONE);
  Atomics.notify(cells, at + STATE);
  return true;
}
