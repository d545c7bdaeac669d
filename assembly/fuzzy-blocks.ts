// Skips terms that cannot match: fuzzy-walk.ts uses it to pass over terms of a block by looking at all heads
// at once, fuzzy.ts to pass over whole blocks by looking at their bytes. Layout: dictionary-format.ts.
import {
  blockAddress,
  blockTails,
  DictionaryHeader,
  firstTerm,
  tailAddress,
  tailBytes,
} from "./dictionary-format";

/** Room for the offsets of the tails of a block: u16 for each of its 32 slots. */
export const OFFSETS_BYTES: usize = 64;

/**
 * Bit s is set when the term in slot s may share fewer than `bytes` bytes with the previous term (for heads
 * that say "15 or more" the caller looks closer). Bit 0 means nothing.
 */
export function candidates(block: usize, bytes: i32): u32 {
  const limit = i8x16.splat(<i8>min(bytes, 16));
  const low = i8x16.bitmask(i8x16.lt_u(i8x16.shr_u(v128.load(block), 4), limit));
  const high = i8x16.bitmask(i8x16.lt_u(i8x16.shr_u(v128.load(block, 16), 4), limit));
  return <u32>low | (<u32>high << 16);
}

/** Address of the coded tail of a slot; `tails` is that of slot 1, and `layTails` has written `offsets`. */
export function tailOfSlot(tails: usize, slot: i32, offsets: usize): usize {
  return tails + <usize>load<u16>(offsets + ((<usize>slot) << 1));
}

/** Writes to `offsets` how far from the first tail the tail of each slot is coded. */
export function layTails(block: usize, terms: i32, offsets: usize): void {
  const low = v128.load(block);
  const high = v128.load(block, 16);
  const fifteen = i8x16.splat(15);
  const first = v128.andnot(v128.and(low, fifteen), i8x16(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  const second = v128.and(high, fifteen);
  if (v128.any_true(v128.or(i8x16.eq(first, fifteen), i8x16.eq(second, fifteen)))) {
    layLongTails(block, terms, offsets);
    return;
  }
  // Coded bytes of each tail: its length, plus one when the number of shared bytes does not fit into the
  // head. Slot 0 has none.
  const one = i8x16(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  const escape = i8x16.splat(-16);
  const sizes = i8x16.sub(i8x16.add(first, one), v128.and(i8x16.ge_u(low, escape), i8x16.neg(one)));
  const sizes2 = i8x16.sub(i8x16.add(second, i8x16.splat(1)), i8x16.ge_u(high, escape));
  const sums = i8x16.sub(sumBytes(sizes), sizes);
  const total = i16x8.splat(<i16>i8x16.extract_lane_u(sums, 15) + <i16>i8x16.extract_lane_u(sizes, 15));
  const sums2 = i8x16.sub(sumBytes(sizes2), sizes2);
  v128.store(offsets, i16x8.extend_low_i8x16_u(sums));
  v128.store(offsets, i16x8.extend_high_i8x16_u(sums), 16);
  v128.store(offsets, i16x8.add(i16x8.extend_low_i8x16_u(sums2), total), 32);
  v128.store(offsets, i16x8.add(i16x8.extend_high_i8x16_u(sums2), total), 48);
}

/** The same for a block with a tail of more than 15 bytes, whose length does not fit into its head. */
function layLongTails(block: usize, terms: i32, offsets: usize): void {
  const tails = blockTails(block);
  let at = tails;
  for (let slot = 1; slot < terms; slot++) {
    store<u16>(offsets + ((<usize>slot) << 1), <u32>(at - tails));
    const head: u32 = load<u8>(block + slot);
    at = tailAddress(head, at) + tailBytes(head, at);
  }
}

/** For each byte, the sum of it and those before it. */
function sumBytes(bytes: v128): v128 {
  let sums = i8x16.add(bytes, i64x2.shl(bytes, 8));
  sums = i8x16.add(sums, i64x2.shl(sums, 16));
  sums = i8x16.add(sums, i64x2.shl(sums, 32));
  const half = i8x16.shuffle(sums, sums, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7);
  return i8x16.add(sums, v128.and(half, i64x2(0, -1)));
}

/** Does a byte occur in the terms of a block? Numbers between the tails may be mistaken for it. */
export function blockHas(dictionary: usize, number: i32, byte: i8): bool {
  const header = changetype<DictionaryHeader>(dictionary);
  const isLast = number + 1 >= header.blocks;
  const end = isLast ? dictionary + header.index : blockAddress(dictionary, number + 1);
  let at = firstTerm(blockAddress(dictionary, number));
  for (; at < end; at += 16) {
    const found = i8x16.eq(v128.load(at), i8x16.splat(byte));
    if (v128.any_true(found)) return at + ctz(i8x16.bitmask(found)) < end;
  }
  return false;
}
