// What lies directly inside a JSON object or array, and the text of JSON strings. src/core/json.ts wraps it
// for everything that selects, merges or names fields of raw documents.
//
// Row that jsonEntries and jsonElements write, u32 each:
//
//   0             4            8               12             16     20
//   | key address | key length | value address | value length | type | flags |     24 bytes
//
// The key is what stands between its quotes, escapes not resolved (flag 1 when it has some); elements of an
// array have key length 0. The value is what stands in the text, strings with their quotes. Types: 0 null, 1
// false, 2 true,
// 3 number, 4 string, 5 array, 6 object.
import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  BACKSLASH,
  COMMA,
  JSON_DAMAGED,
  JSON_FULL,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  blanksEnd,
  memberValue,
  stringEnd,
  valueEnd,
} from "./json-scan";

const ROW_BYTES: usize = 24;

/**
 * Writes the rows of the object at `json`, at most `most`. Returns how many, JSON_DAMAGED (-101) or JSON_FULL
 * (-102).
 */
export function jsonEntries(json: usize, length: i32, out: usize, most: i32): i32 {
  return rows(json, length, OBJECT_OPEN, out, most);
}

/**
 * Writes the rows of the array at `json`, at most `most`. Returns how many, JSON_DAMAGED (-101) or JSON_FULL
 * (-102).
 */
export function jsonElements(json: usize, length: i32, out: usize, most: i32): i32 {
  return rows(json, length, ARRAY_OPEN, out, most);
}

/**
 * Resolves the escapes in the `length` bytes between the quotes of a string. Lone halves of surrogate pairs
 * become U+FFFD. `out` needs `length` bytes and must not overlap. Returns the number of bytes written.
 */
export function jsonUnescape(string: usize, length: i32, out: usize): i32 {
  const end = string + <usize>length;
  const outEnd = out + <usize>length;
  let to = out;
  let at = string;
  while (at < end) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
    let run: usize = found ? <usize>ctz(found) : 16;
    if (at + run > end) run = end - at;
    if (to + 16 <= outEnd) v128.store(to, bytes);
    else for (let i: usize = 0; i < run; i++) store<u8>(to + i, load<u8>(at + i));
    at += run;
    to += run;
    if (at >= end || <u32>load<u8>(at) != BACKSLASH) continue;
    if (at + 1 >= end) break;
    const letter: u32 = load<u8>(at, 1);
    if (letter == 0x75 && at + 6 <= end) {
      const point = escapedPoint(at, end);
      at += point > 0xffff ? 12 : 6;
      to = storePoint(to, point);
    } else {
      store<u8>(to++, plainEscape(letter));
      at += 2;
    }
  }
  return <i32>(to - out);
}

function rows(json: usize, length: i32, open: u32, out: usize, most: i32): i32 {
  const end = json + <usize>length;
  const close = open == OBJECT_OPEN ? OBJECT_CLOSE : ARRAY_CLOSE;
  let at = blanksEnd(json, end);
  if (at >= end || <u32>load<u8>(at) != open) return JSON_DAMAGED;
  at = blanksEnd(at + 1, end);
  if (at < end && <u32>load<u8>(at) == close) return 0;
  let count = 0;
  while (true) {
    if (count == most) return JSON_FULL;
    store<u32>(out, 0, 4);
    store<u32>(out, 0, 20);
    if (open == OBJECT_OPEN) at = storeKey(at, end, out);
    if (!at || at >= end) return JSON_DAMAGED;
    const after = valueEnd(at, end);
    if (!after) return JSON_DAMAGED;
    store<u32>(out, <u32>at, 8);
    store<u32>(out, <u32>(after - at), 12);
    store<u32>(out, valueType(load<u8>(at)), 16);
    at = blanksEnd(after, end);
    if (at >= end) return JSON_DAMAGED;
    const separator: u32 = load<u8>(at);
    count++;
    if (separator == close) return count;
    if (separator != COMMA) return JSON_DAMAGED;
    at = blanksEnd(at + 1, end);
    out += ROW_BYTES;
  }
}

/** Writes the key fields of a row; returns where the value begins, or 0. */
function storeKey(at: usize, end: usize, out: usize): usize {
  if (at >= end || <u32>load<u8>(at) != QUOTE) return 0;
  const found = stringEnd(at + 1, end);
  if (!found) return 0;
  const closing = <usize>(found >> 1);
  store<u32>(out, <u32>(at + 1));
  store<u32>(out, <u32>(closing - at - 1), 4);
  store<u32>(out, <u32>(found & 1), 20);
  return memberValue(closing, end);
}

function valueType(first: u32): u32 {
  switch (first) {
    case 0x6e:
      return 0;
    case 0x66:
      return 1;
    case 0x74:
      return 2;
    case QUOTE:
      return 4;
    case ARRAY_OPEN:
      return 5;
    case OBJECT_OPEN:
      return 6;
    default:
      return 3;
  }
}

/** The byte that a one-letter escape stands for. */
function plainEscape(letter: u32): u32 {
  switch (letter) {
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return letter;
  }
}

/** The character of the \uXXXX at `at`, or of the surrogate pair that begins there. */
function escapedPoint(at: usize, end: usize): u32 {
  const unit = hexadecimal(at + 2);
  if ((unit & 0xf800) != 0xd800) return unit;
  // A pair is D800..DBFF, then \uDC00..\uDFFF.
  if (unit < 0xdc00 && at + 12 <= end && load<u16>(at, 6) == 0x755c) {
    const low = hexadecimal(at + 8);
    if ((low & 0xfc00) == 0xdc00) return 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
  }
  return 0xfffd;
}

function hexadecimal(at: usize): u32 {
  const high = (digit(load<u8>(at)) << 4) | digit(load<u8>(at, 1));
  const low = (digit(load<u8>(at, 2)) << 4) | digit(load<u8>(at, 3));
  return (high << 8) | low;
}

/** Value of a hexadecimal digit: letters have bit 6 set. */
function digit(letter: u32): u32 {
  return ((letter & 15) + (letter >> 6) * 9) & 15;
}

/** Writes a character as UTF-8; returns the place after it. */
function storePoint(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, 0xc0 | (point >> 6));
    store<u8>(to, 0x80 | (point & 63), 1);
    return to + 2;
  }
  if (point < 0x10000) {
    store<u8>(to, 0xe0 | (point >> 12));
    store<u8>(to, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(to, 0x80 | (point & 63), 2);
    return to + 3;
  }
  store<u8>(to, 0xf0 | (point >> 18));
  store<u8>(to, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(to, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(to, 0x80 | (point & 63), 3);
  return to + 4;
}
