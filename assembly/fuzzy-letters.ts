// Code points of UTF-8 text. Text in a dictionary is valid; damaged bytes give wrong letters but never a
// trap.

/** Code point that begins at `at`. */
export function letterAt(at: usize): u32 {
  const a: u32 = load<u8>(at);
  if (a < 0x80) return a;
  const b: u32 = <u32>load<u8>(at, 1) & 63;
  if (a < 0xe0) return ((a & 31) << 6) | b;
  const c: u32 = <u32>load<u8>(at, 2) & 63;
  if (a < 0xf0) return ((a & 15) << 12) | (b << 6) | c;
  return ((a & 7) << 18) | (b << 12) | (c << 6) | (<u32>load<u8>(at, 3) & 63);
}

/** UTF-8 bytes of a code point. */
export function letterBytes(letter: u32): i32 {
  return 1 + i32(letter >= 0x80) + i32(letter >= 0x800) + i32(letter >= 0x10000);
}

/** First byte of a code point in UTF-8; these bytes have the same order as the code points. */
export function leadByte(letter: u32): u32 {
  if (letter < 0x80) return letter;
  const bytes = letterBytes(letter);
  return ((0xf00 >> bytes) & 0xff) | (letter >> (6 * (bytes - 1)));
}

/** Writes a code point as UTF-8 and returns its bytes. */
export function writeLetter(at: usize, letter: u32): i32 {
  const bytes = letterBytes(letter);
  store<u8>(at, leadByte(letter));
  for (let i = bytes - 1; i > 0; i--, letter >>= 6) store<u8>(at + i, 0x80 | (letter & 63));
  return bytes;
}
