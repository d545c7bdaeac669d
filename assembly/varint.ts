// Variable-length numbers as posting lists and positions hold them: seven bits a byte, low bits first, the high bit set in all
// but the last byte (LEB128). Used inside the core only: postings*.ts, occurrences.ts, inverter*.ts.
//
//   300 = 10 0101100b       | 1 0101100 | 0 0000010 |

/** A u32 takes at most so many bytes. */
export const VARINT_BYTES_MAX: usize = 5;

/** Second result of varintRead: the address behind the number. */
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

/** Writes a number; returns the address behind it. */
export function varintWrite(at: usize, value: u32): usize {
  for (; value > 127; value >>= 7) store<u8>(at++, value | 128);
  store<u8>(at, value);
  return at + 1;
}
