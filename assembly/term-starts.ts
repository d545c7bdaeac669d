// Where the lists of terms begin: section `offsets` of a segment, packed. Written by
// src/segment/termoffsets.ts, read by src/segment/termstarts.ts with these kernels.
//
//   | row x (blocks + 1) | rests of block 0 | rests of block 1 | ...        blocks of 64 starts
//
//   row    | u32 first start of postings | u32 first start of occurrences | u32 place |
//   place  high 6 bits: width of the rests of postings; low 26 bits: where the rests of the block begin,
//          in units of 8 bytes from the end of the rows
//   rests  64 numbers of the postings' width, then 64 of the occurrences' (column-bits.ts): how far behind
//          the first start of the block the others are
//
// The last row only says where the rests end.
import { bitsRead } from "./column-bits";

const BLOCK_SHIFT: u32 = 6;
const ROW_BYTES: usize = 12;
const PLACE_OFFSET: usize = 8;
const PLACE_BITS: u32 = 26;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
const WIDTH_MAX: u32 = 32;

/**
 * Start number `at`, counted from the first one of the first row. `kind`: 0 postings, 1 occurrences. `rests`:
 * `units` units of rests, starting with those of the first row; a damaged place outside of them counts as 0.
 */
export function termStart(rows: usize, rests: usize, units: u32, at: u32, kind: u32): u32 {
  const row = rows + (<usize>(at >> BLOCK_SHIFT)) * ROW_BYTES;
  const skipped = load<u32>(rows, PLACE_OFFSET) & PLACE_MASK;
  const place = load<u32>(row, PLACE_OFFSET);
  const from = (place & PLACE_MASK) - skipped;
  const end = (load<u32>(row, ROW_BYTES + PLACE_OFFSET) & PLACE_MASK) - skipped;
  const first = load<u32>(row + (<usize>kind << 2));
  const before = kind ? place >> PLACE_BITS : 0;
  const width = kind ? end - from - before : place >> PLACE_BITS;
  if (width > WIDTH_MAX || end > units || from > end || before + width > end - from) return first;
  return first + bitsRead(rests + (<usize>(from + before) << 3), at & ((1 << BLOCK_SHIFT) - 1), width);
}

/** Writes `count` starts, beginning with number `at`, u32 each, to `out`. */
export function termStarts(
  rows: usize,
  rests: usize,
  units: u32,
  at: u32,
  kind: u32,
  count: i32,
  out: usize,
): void {
  for (const end = at + <u32>count; at < end; at++, out += 4) {
    store<u32>(out, termStart(rows, rests, units, at, kind));
  }
}
