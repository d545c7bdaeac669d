// Variable-length numbers as posting lists and positions hold them: seven bits a byte, low bits first, the
// high bit set in all but the last byte (LEB128). Only used inside the core, by the files that read and write
// posting lists and positions.
//
// Loops over many numbers read those of one byte or two in place, without a branch between the two
// (LONG_BITS, varintOfTwo), and only call varintRead for longer ones. With a branch, frequent pairs take a
// twentieth longer; with a call for each number, another tenth; with an inlined function that returns both
// the number and its length, 3 to 9 hundredths.
//
//   300 = 10 0101100b       | 1 0101100 | 0 0000010 |

/** Most bytes that a u32 takes. */
export const VARINT_BYTES_MAX: usize = 5;

/** Second result of varintRead: the address after the number. */
export let varintEnd: usize = 0;

/** Reads a number of at most five bytes; damaged bytes give some number. */
export function varintRead(at: usize): u32 {
  let byte: u32 = load<u8>(at++);
  let value = byte & 127;
  for (let shift: u32 = 7; byte > 127 && shift < 35; shift += 7) {
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
  }
  varintEnd = at;
  return value;
}

/** Both bits are set in the first two bytes of a number of more than two. */
export const LONG_BITS: u32 = 0x8080;

/** The number of one byte, or of two (`more` 1), whose first two bytes are `bytes`: without a branch. */
@inline
export function varintOfTwo(bytes: u32, more: u32): u32 {
  return (bytes & 127) | ((bytes >> 1) & 0x3f80 & (0 - more));
}

/** Bytes that a number takes. */
export function varintBytes(value: u32): u32 {
  return ((31 - clz<u32>(value | 1)) * 9 + 73) >> 6;
}

/**
 * Writes a number; returns the address after it. Up to three bytes beyond that are overwritten, too: the
 * seven-bit groups are spread at once, since the end of a loop would be mispredicted.
 */
export function varintWrite(at: usize, value: u32): usize {
  if (value >> 28) return writeLong(at, value);
  const bytes = varintBytes(value);
  const low = (value & 127) | ((value << 1) & 0x7f00);
  const high = ((value << 2) & 0x7f0000) | ((value << 3) & 0x7f000000);
  store<u32>(at, low | high | (0x00808080 & ((1 << ((bytes - 1) << 3)) - 1)));
  return at + <usize>bytes;
}

function writeLong(at: usize, value: u32): usize {
  for (; value > 127; value >>= 7) store<u8>(at++, value | 128);
  store<u8>(at, value);
  return at + 1;
}
