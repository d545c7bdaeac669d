// UTF-8 for the tokenizer. Invalid bytes read as U+FFFD, one for each "maximal subpart" (Unicode, chapter
// 3.9), just as in TextDecoder; nothing beyond the given end is looked at.

const REPLACEMENT: u32 = 0xfffd;

/** Character at `pointer`, below `end`: code point | bytes << 24. */
export function utf8Decode(pointer: usize, end: usize): u32 {
  const first: u32 = load<u8>(pointer);
  if (first < 0x80) return first | (1 << 24);
  const left = <u32>(end - pointer);
  if (first - 0xc2 < 0x1e) {
    if (left < 2 || !isContinuation(load<u8>(pointer, 1))) return REPLACEMENT | (1 << 24);
    return ((first & 0x1f) << 6) | rest(pointer + 1) | (2 << 24);
  }
  if (first - 0xe0 >= 0x15 || left < 2 || !isSecond(first, load<u8>(pointer, 1)))
    return REPLACEMENT | (1 << 24);
  if (left < 3 || !isContinuation(load<u8>(pointer, 2))) return REPLACEMENT | (2 << 24);
  const upper = (rest(pointer + 1) << 6) | rest(pointer + 2);
  if (first < 0xf0) return ((first & 15) << 12) | upper | (3 << 24);
  if (left < 4 || !isContinuation(load<u8>(pointer, 3))) return REPLACEMENT | (3 << 24);
  return ((first & 7) << 18) | (upper << 6) | rest(pointer + 3) | (4 << 24);
}

/** Writes a character and returns its length. Always stores 4 bytes. */
export function utf8Encode(pointer: usize, codePoint: u32): u32 {
  if (codePoint < 0x80) {
    store<u32>(pointer, codePoint);
    return 1;
  }
  const last = 0x80 | (codePoint & 63);
  if (codePoint < 0x800) {
    store<u32>(pointer, 0xc0 | (codePoint >> 6) | (last << 8));
    return 2;
  }
  const third = 0x80 | ((codePoint >> 6) & 63);
  if (codePoint < 0x10000) {
    store<u32>(pointer, 0xe0 | (codePoint >> 12) | (third << 8) | (last << 16));
    return 3;
  }
  const second = 0x80 | ((codePoint >> 12) & 63);
  store<u32>(pointer, 0xf0 | (codePoint >> 18) | (second << 8) | (third << 16) | (last << 24));
  return 4;
}

function isContinuation(byte: u32): bool {
  return (byte & 0xc0) == 0x80;
}

/** The rules for second bytes exclude overlong forms, surrogates and everything above U+10FFFF. */
function isSecond(first: u32, byte: u32): bool {
  if (first == 0xe0) return byte - 0xa0 < 0x20;
  if (first == 0xed) return byte - 0x80 < 0x20;
  if (first == 0xf0) return byte - 0x90 < 0x30;
  if (first == 0xf4) return byte - 0x80 < 0x10;
  return isContinuation(byte);
}

function rest(pointer: usize): u32 {
  return <u32>load<u8>(pointer) & 63;
}
