// Pass 1 of indexing: where the documents of an NDJSON payload begin and end, and the id of each. Runs over
// every byte that is indexed; src/engine/ingest/changes.ts calls it for each piece of a payload and then only
// looks at the rows.
//
// Row, u32 each:
//
//   0        4        8            12          16
//   | offset | length | id address | id length | status |     20 bytes
//
// `offset` counts from the text's first byte; a row covers the document from `{` to `}`. The id is the text
// between the quotes of a string, or a decimal integer as written; address and length are 0 when the status
// is not 0:
//   0 fine   1 the document has no such field   2 it has one, but its value cannot be an id
//   3 this kernel cannot tell (escapes in a top-level name or in the id, a top-level name twice, a dotted
//     primary key, more than NAMES_MAX fields): look with the slow path
//   4 not a JSON object; the row covers the line
//
// After the rows `out` has room for the names of one document, as 32-bit hashes:
//
//   most * 20
//   | known u32 | hash u32 x NAMES_MAX |
//
// `known` names are kept from the previous document: as long as a document repeats them in the same order,
// its names need not be compared with each other.
import { textEquals, textHash } from "./hash";
import {
  BACKSLASH,
  COMMA,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  blanksEnd,
  memberValue,
  stringEnd,
  valueEnd,
} from "./json-scan";

const ROW_BYTES: usize = 20;
const NAMES_MAX: i32 = 2048;
const ID_BYTES_MAX: usize = 511;
/** Digits of the largest u64. */
const INTEGER_DIGITS_MAX: usize = 20;

const FINE: u32 = 0;
const MISSING: u32 = 1;
const UNACCEPTABLE: u32 = 2;
const UNCLEAR: u32 = 3;
const DAMAGED: u32 = 4;

const LINE_FEED: u32 = 0x0a;
const DOT: u32 = 0x2e;
const MINUS: u32 = 0x2d;
const ZERO: u32 = 0x30;

/** Bytes that `out` of jsonIds needs for `most` rows. */
export function jsonIdsBytes(most: i32): i32 {
  return most * <i32>ROW_BYTES + 4 + NAMES_MAX * 4;
}

/**
 * Writes the rows of at most `most` documents; `key` is the primary key, as UTF-8. Returns how many: if that
 * equals `most`, call again from the end of the last document on. `out` has jsonIdsBytes(most) bytes.
 */
export function jsonIds(text: usize, length: i32, key: usize, keyLength: i32, out: usize, most: i32): i32 {
  const end = text + <usize>length;
  const names = out + <usize>most * ROW_BYTES;
  store<u32>(names, 0);
  const dotted = holdsDot(key, keyLength);
  const keyHash = textHash(key, keyLength);
  let count = 0;
  let at = blanksEnd(text, end);
  for (; at < end && count < most; count++, out += ROW_BYTES) {
    store<u64>(out, 0, 8);
    store<u32>(out, dotted ? UNCLEAR : MISSING, 16);
    let after = <u32>load<u8>(at) == OBJECT_OPEN ? document(at, end, key, keyLength, keyHash, names, out) : 0;
    if (!after) {
      after = lineEnd(at, end);
      store<u64>(out, 0, 8);
      store<u32>(out, DAMAGED, 16);
    }
    store<u32>(out, <u32>(at - text));
    store<u32>(out, <u32>(after - at), 4);
    at = blanksEnd(after, end);
  }
  return count;
}

/** Examines one document; returns the byte after it, or 0 when it is damaged. */
function document(
  at: usize, end: usize, key: usize, keyLength: i32, keyHash: u64, names: usize, row: usize,
): usize {
  at = blanksEnd(at + 1, end);
  if (at < end && <u32>load<u8>(at) == OBJECT_CLOSE) return at + 1;
  let repeats = true;
  let distinct = true;
  for (let count = 0; at < end && <u32>load<u8>(at) == QUOTE; count++) {
    const name = at + 1;
    const found = stringEnd(name, end);
    const closing = <usize>(found >> 1);
    const value = found ? memberValue(closing, end) : 0;
    const after = value ? valueEnd(value, end) : 0;
    if (!after) return 0;
    const nameLength = <i32>(closing - name);
    const hash = textHash(name, nameLength);
    if (<u32>(found & 1)) setUnclear(row);
    const isKey = hash == keyHash && nameLength == keyLength && textEquals(name, key, keyLength);
    if (isKey) identify(value, after, row);
    if (repeats && !isName(names, count, <u32>hash)) {
      repeats = false;
      store<i32>(names, 0);
    }
    if (!repeats && !addName(names, count, <u32>hash)) {
      distinct = false;
      setUnclear(row);
    }
    at = blanksEnd(after, end);
    if (at >= end) return 0;
    const separator: u32 = load<u8>(at);
    if (separator == OBJECT_CLOSE) {
      if (!repeats && distinct) store<i32>(names, count + 1);
      return at + 1;
    }
    if (separator != COMMA) return 0;
    at = blanksEnd(at + 1, end);
  }
  return 0;
}

/** True when the name at `place` of the known names has this hash. */
function isName(names: usize, place: i32, hash: u32): bool {
  return place < load<i32>(names) && load<u32>(names + ((<usize>place) << 2), 4) == hash;
}

/** Puts a hash at `place` of the list of names; false when it is already in the list, or the list is full. */
function addName(names: usize, place: i32, hash: u32): bool {
  if (place >= NAMES_MAX) return false;
  const slot = names + 4 + ((<usize>place) << 2);
  let fresh = true;
  for (let at = names + 4; at < slot; at += 4) if (load<u32>(at) == hash) fresh = false;
  store<u32>(slot, hash);
  return fresh;
}

function setUnclear(row: usize): void {
  store<u64>(row, 0, 8);
  store<u32>(row, UNCLEAR, 16);
}

/** Writes the id that a value stands for, unless the row's status is already UNCLEAR. */
function identify(value: usize, after: usize, row: usize): void {
  if (load<u32>(row, 16) == UNCLEAR) return;
  const quoted = <u32>load<u8>(value) == QUOTE;
  const from = quoted ? value + 1 : value;
  const to = quoted ? after - 1 : after;
  const status = quoted ? stringStatus(from, to) : integerStatus(from, to);
  store<u32>(row, status, 16);
  if (status != FINE) return;
  store<u32>(row, <u32>from, 8);
  store<u32>(row, <u32>(to - from), 12);
}

/** FINE when the bytes are 1 to 511 letters, digits, hyphens and underscores. */
function stringStatus(from: usize, to: usize): u32 {
  if (to <= from) return UNACCEPTABLE;
  for (let at = from; at < to; at += 16) {
    const bytes = v128.load(at);
    const letters = inRange(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26);
    const digits = inRange(bytes, 0x30, 10);
    const marks = v128.or(i8x16.eq(bytes, i8x16.splat(0x2d)), i8x16.eq(bytes, i8x16.splat(0x5f)));
    let wrong: u32 = ~i8x16.bitmask(v128.or(v128.or(letters, digits), marks)) & 0xffff;
    const left = <u32>(to - at);
    if (left < 16) wrong &= ((<u32>1) << left) - 1;
    if (wrong) return <u32>load<u8>(at + <usize>ctz(wrong)) == BACKSLASH ? UNCLEAR : UNACCEPTABLE;
  }
  return to - from <= ID_BYTES_MAX ? FINE : UNACCEPTABLE;
}

/** Lanes whose byte is one of the `count` bytes that follow each other from `first` on. */
function inRange(bytes: v128, first: i8, count: i8): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(first)), i8x16.splat(count));
}

/**
 * FINE when the bytes are an integer that fits into an i64 or a u64; not for `-0`, which JSON reads as a
 * float.
 */
function integerStatus(from: usize, to: usize): u32 {
  const negative = <u32>load<u8>(from) == MINUS;
  const digits = negative ? from + 1 : from;
  const length = to - digits;
  for (let at = digits; at < to; at++) if (<u32>load<u8>(at) - ZERO > 9) return UNACCEPTABLE;
  if (!length || length > INTEGER_DIGITS_MAX) return UNACCEPTABLE;
  if (negative && <u32>load<u8>(digits) == ZERO) return UNACCEPTABLE;
  if (length < INTEGER_DIGITS_MAX - 1) return FINE;
  return fitsInteger(digits, to, negative) ? FINE : UNACCEPTABLE;
}

/** Whether 19 or 20 digits fit into an i64 (negative) or a u64. */
function fitsInteger(digits: usize, to: usize, negative: bool): bool {
  let value: u64 = 0;
  for (let at = digits; at < to - 1; at++) value = value * 10 + <u64>(<u32>load<u8>(at) - ZERO);
  const last = <u64>(<u32>load<u8>(to - 1) - ZERO);
  const most: u64 = negative ? 0x8000000000000000 : 0xffffffffffffffff;
  return value < most / 10 || (value == most / 10 && last <= most % 10);
}

function holdsDot(key: usize, length: i32): bool {
  for (let i = 0; i < length; i++) if (<u32>load<u8>(key + <usize>i) == DOT) return true;
  return false;
}

/** The next line feed, or the end. */
function lineEnd(at: usize, end: usize): usize {
  while (at < end && <u32>load<u8>(at) != LINE_FEED) at++;
  return at;
}
