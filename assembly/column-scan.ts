// Finds the codes of a range in a packed array (column-bits.ts), eight at a time: eight codes of w bits are w
// whole bytes. Called by column-reader.ts.
//
//   w bytes      | code 0 | code 1 | ... | code 7 |           as they are packed
//   swizzle      | bytes of code 0 | of 1 | of 2 | of 3 |     a lane each; the code begins at bit 0 to 7
//   multiply     shifts each lane by its own count: bits above the code fall off
//   shift        all lanes by the same count: bits below it fall off
import { bitmapOrWord } from "./bitmap";

/** A code and the bits before it in its first byte fit into a lane. */
const WIDTH_MAX: u32 = 24;
/** For the bytes of a lane, in two halves: their places in 16 bytes; then their multipliers. */
const LANES: usize = memory.data(64, 16);
const BLOCK: u32 = 64;

/**
 * Adds the documents whose code is in [from, from + length) to a bitmap of `words`; the first of the
 * `documents` codes belongs to `firstDocid`. Only processes blocks of 64, and none that would read 16 bytes
 * beyond the array; returns how many codes are done.
 */
export function bitsScan(
  codes: usize,
  documents: u32,
  width: u32,
  from: u32,
  length: u32,
  bitmap: usize,
  words: i32,
  firstDocid: u32,
): u32 {
  if (width == 0 || width > WIDTH_MAX) return 0;
  prepareLanes(width);
  const places = v128.load(LANES);
  const factors = v128.load(LANES, 16);
  const upperPlaces = v128.load(LANES, 32);
  const upperFactors = v128.load(LANES, 48);
  const half = <usize>(width >> 1);
  const shift = <i32>(32 - width);
  const first = i32x4.splat(<i32>from);
  const range = i32x4.splat(<i32>length);
  const end = codes + (((<usize>documents * <usize>width) >> 3) & ~7);
  let done: u32 = 0;
  for (let at = codes; done + BLOCK <= documents && at + <usize>width * 8 + 16 <= end; done += BLOCK) {
    let word: u64 = 0;
    for (let bit: u64 = 0; bit < 64; bit += 8, at += <usize>width) {
      const lower = i32x4.mul(i8x16.swizzle(v128.load(at), places), factors);
      const upper = i32x4.mul(i8x16.swizzle(v128.load(at + half), upperPlaces), upperFactors);
      const inLower = i32x4.lt_u(i32x4.sub(i32x4.shr_u(lower, shift), first), range);
      const inUpper = i32x4.lt_u(i32x4.sub(i32x4.shr_u(upper, shift), first), range);
      word |= <u64>(<u32>(i32x4.bitmask(inLower) | (i32x4.bitmask(inUpper) << 4))) << bit;
    }
    if (word) bitmapOrWord(bitmap, words, firstDocid + done, word);
  }
  return done;
}

function prepareLanes(width: u32): void {
  for (let code: u32 = 0; code < 8; code++) {
    const bit = code * width;
    const lanes = LANES + (code < 4 ? 0 : 32);
    const start = (bit >> 3) - (code < 4 ? 0 : width >> 1);
    const lane = <usize>(code & 3) << 2;
    store<u32>(lanes + lane, (start * 0x01010101) + 0x03020100);
    store<u32>(lanes + lane + 16, 1 << (32 - width - (bit & 7)));
  }
}
