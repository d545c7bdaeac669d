// Finds the codes of a range in a packed array (column-bits.ts), eight at a time: eight codes of w bits are w
// whole bytes. Called by column-reader.ts.
//
//   w bytes      | code 0 | code 1 | ... | code 7 |           as they are packed
//   swizzle      | bytes of code 0 | of 1 | of 2 | of 3 |     a lane each; the code begins at bit 0 to 7
//   multiply     shifts each lane by its own count: bits above the code fall off
//   compare      with the ends of the range, shifted as far: bits below the code make no difference
//   narrow       the lanes of sixteen codes to bytes, of which a bit each remains
import { bitmapOrWord } from "./bitmap";

/** A code and the bits before it in its first byte fit into a lane. */
const WIDTH_MAX: u32 = 24;
/** For the bytes of a lane, in two halves: their places in 16 bytes; then their multipliers. */
const LANES: usize = memory.data(64, 16);
const BLOCK: u32 = 64;
const SIGN: u32 = 1 << 31;

/**
 * Adds the documents whose code is in [from, from + length) to a bitmap of `words`; the first of the
 * `documents` codes belongs to `firstDocid`. Only processes blocks of 64, and none that would read 16 bytes
 * beyond the array; returns how many codes are done: none when the range is empty.
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
  length = min(length, (1 << width) - from);
  if (length == 0 || width == 0 || width > WIDTH_MAX) return 0;
  prepareLanes(width);
  const half = <usize>(width >> 1);
  const shift = 32 - width;
  // There is only a comparison of signed lanes.
  const start = i32x4.splat(<i32>((from << shift) + SIGN));
  const last = i32x4.splat(<i32>((length << shift) - 1 - SIGN));
  const end = codes + ((<usize>documents * <usize>width) >> 3);
  let done: u32 = 0;
  for (let at = codes; at + <usize>width * 8 + 16 <= end; done += BLOCK) {
    let word: u64 = ~0;
    for (let bit: u64 = 0; bit < 64; bit += 16) {
      const first = outsideOf(at, half, start, last);
      const second = outsideOf(at + <usize>width, half, start, last);
      word ^= <u64>(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(first, second))) << bit;
      at += <usize>width << 1;
    }
    if (word) bitmapOrWord(bitmap, words, firstDocid + done, word);
  }
  return done;
}

/** Which of eight codes are not in the range: a lane of ones each. */
function outsideOf(at: usize, half: usize, start: v128, last: v128): v128 {
  const lower = i32x4.mul(i8x16.swizzle(v128.load(at), v128.load(LANES)), v128.load(LANES, 16));
  const upper = i32x4.mul(i8x16.swizzle(v128.load(at + half), v128.load(LANES, 32)), v128.load(LANES, 48));
  return i16x8.narrow_i32x4_s(
    i32x4.gt_s(i32x4.sub(lower, start), last),
    i32x4.gt_s(i32x4.sub(upper, start), last),
  );
}

function prepareLanes(width: u32): void {
  for (let code: u32 = 0; code < 8; code++) {
    const bit = code * width;
    const isUpper = code >> 2;
    const lane = LANES + <usize>((isUpper << 5) + ((code & 3) << 2));
    const start = (bit >> 3) - isUpper * (width >> 1);
    store<u32>(lane, start * 0x01010101 + 0x03020100);
    store<u32>(lane + 16, 1 << (32 - width - (bit & 7)));
  }
}
