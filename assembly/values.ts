// The value table: takes the values that documents have in columns, one after another, and keeps each
// distinct value once, with the documents that have it. The walker (json-walker.ts) feeds it alongside the
// inverter; the host (src/segment/valuetable.ts) has it sorted and turned into the columns of a segment
// (values-columns.ts).
//
//   valuesStart  ( valuesBegin  ( valueNumber | valueText | valueMark | valueContainer )...  valuesSettle
//                  valuesKeep )...  valuesSort ...
//
// A value is identified by its key; the values of a column are in the order of their keys:
//
//   | column u16, high byte first | kind u8 | bytes |
//
//   kind 0   number      its double as 8 bytes in order (below), without the zero bytes at its end
//   kind 1   text        in normal form; of more than 468 bytes the beginning, and 11 bytes by which it is
//                        told from others, as the host makes them (src/engine/filter/facettext.ts)
//   kind 2   bare        the document has the field, but neither a value nor one of these:
//   kind 3   null
//   kind 4   empty       "", [] or {}
//
// Doubles in order: high byte first, the sign bit flipped, all bits of negative ones flipped.
import { facet } from "./env";
import {
  LOG_DOCUMENT,
  VALUE_STAMP,
  Values,
  valueColumn,
  valueOf,
  valuesClear,
  valuesFixedBytes,
} from "./values-terms";

export const KIND_NUMBER: u32 = 0;
export const KIND_TEXT: u32 = 1;
export const KIND_BARE: u32 = 2;
export const KIND_NULL: u32 = 3;
export const KIND_EMPTY: u32 = 4;

/** Most bytes of a text in a key. The host makes the keys of longer texts. */
const TEXT_BYTES_MAX: i32 = 468;
const KEY_HEAD_BYTES: i32 = 3;
/** The key being made, with room for the bytes that look-ups read beyond it. */
const KEY: usize = memory.data(512, 16);
const CANDIDATE_STAMP: usize = 4;
const CANDIDATE_NEXT: usize = 8;

/** Bytes that a region of the table needs in addition to those for values. */
export function valuesOverhead(): i32 {
  return <i32>valuesFixedBytes();
}

/** Empties the table; its region has `bytes` bytes, aligned to 16. */
export function valuesStart(values: usize, bytes: usize): void {
  const state = changetype<Values>(values);
  state.columns = 0;
  state.stamp = 0;
  state.candidate = 0;
  state.full = 0;
  state.sorted = 0;
  valuesClear(state, bytes);
}

/** Begins a document; values of an earlier one that was not kept by `valuesKeep` are forgotten. */
export function valuesBegin(values: usize): void {
  const state = changetype<Values>(values);
  state.stamp++;
  state.candidate = 0;
  state.full = 0;
  state.logTop = state.logWhole;
  logAdd(state, LOG_DOCUMENT);
}

/** Adds a number; one that is not finite is no value, but the field counts as present. */
export function valueNumber(values: usize, column: u32, number: f64): void {
  const state = changetype<Values>(values);
  if (!isFinite(number)) return valueContainer(values, column);
  add(state, column, KIND_NUMBER, numberKey(number, KEY + KEY_HEAD_BYTES));
}

/**
 * Adds a text, with escapes resolved, in its normal form: trimmed, compatibility decomposition, lower case.
 */
export function valueText(values: usize, column: u32, text: usize, length: i32): void {
  const to = KEY + KEY_HEAD_BYTES;
  const isPlain = length <= TEXT_BYTES_MAX && isAscii(text, length);
  const bytes = isPlain ? asciiKey(text, length, to) : facet(text, length, to);
  add(changetype<Values>(values), column, KIND_TEXT, bytes);
}

/** Adds one of the kinds that have no value. */
export function valueMark(values: usize, column: u32, kind: u32): void {
  add(changetype<Values>(values), column, kind, 0);
}

/** Records that the document has the field: it is bare unless a value comes. */
export function valueContainer(values: usize, column: u32): void {
  const state = changetype<Values>(values);
  const entry = valueColumn(state, column);
  if (load<u32>(entry, CANDIDATE_STAMP) == state.stamp) return;
  store<u32>(entry, state.stamp, CANDIDATE_STAMP);
  store<u32>(entry, state.candidate, CANDIDATE_NEXT);
  state.candidate = column + 1;
}

/** Completes the values of a document; false when they did not fit. */
export function valuesSettle(values: usize): bool {
  const state = changetype<Values>(values);
  for (let candidate = state.candidate; candidate; ) {
    const entry = valueColumn(state, candidate - 1);
    if (load<u32>(entry) != state.stamp) add(state, candidate - 1, KIND_BARE, 0);
    candidate = load<u32>(entry, CANDIDATE_NEXT);
  }
  return !state.full;
}

/** Keeps the document, which counts from now on. */
export function valuesKeep(values: usize): void {
  const state = changetype<Values>(values);
  state.logWhole = state.logTop;
}

/** Free bytes of the region. */
export function valuesFree(values: usize): usize {
  const state = changetype<Values>(values);
  return state.logTop - state.valuesTop;
}

/** Writes the key of a number at `to`; returns its bytes. */
export function numberKey(number: f64, to: usize): i32 {
  // Both zeros are the same value.
  let bits = reinterpret<u64>(number == 0 ? 0 : number);
  bits ^= bits >> 63 ? <u64>-1 : (<u64>1) << 63;
  store<u64>(to, bswap<u64>(bits));
  return 8 - <i32>(ctz(bits) >> 3);
}

function add(state: Values, column: u32, kind: u32, bytes: i32): void {
  store<u16>(KEY, bswap<u16>(<u16>column));
  store<u8>(KEY, kind, 2);
  const value = valueOf(state, KEY, KEY_HEAD_BYTES + bytes);
  if (!value) {
    state.full = 1;
    return;
  }
  store<u32>(valueColumn(state, column), state.stamp);
  if (load<u32>(value, VALUE_STAMP) == state.stamp) return;
  store<u32>(value, state.stamp, VALUE_STAMP);
  logAdd(state, <u32>value);
}

function logAdd(state: Values, entry: u32): void {
  if (state.logTop - state.valuesTop < 4) state.full = 1;
  else {
    state.logTop -= 4;
    store<u32>(state.logTop, entry);
  }
}

function isAscii(text: usize, length: i32): bool {
  const end = text + <usize>length;
  for (; text + 16 <= end; text += 16) if (i8x16.bitmask(v128.load(text))) return false;
  return (i8x16.bitmask(v128.load(text)) & ((1 << <i32>(end - text)) - 1)) == 0;
}

/** Key of a text of ASCII characters, in its normal form. */
function asciiKey(text: usize, length: i32, to: usize): i32 {
  let end = text + <usize>length;
  while (text < end && isBlank(load<u8>(text))) text++;
  while (text < end && isBlank(load<u8>(end - 1))) end--;
  const bytes = <i32>(end - text);
  const lowest = i8x16.splat(0x40);
  const highest = i8x16.splat(0x5b);
  for (let at = 0; at < bytes; at += 16) {
    const letters = v128.load(text + at);
    const isUpper = v128.and(i8x16.gt_s(letters, lowest), i8x16.lt_s(letters, highest));
    v128.store(to + at, v128.or(letters, v128.and(isUpper, i8x16.splat(0x20))));
  }
  return bytes;
}

/** Tab, line feeds, form feed, carriage return, blank. */
function isBlank(byte: u32): bool {
  return byte == 0x20 || byte - 9 <= 4;
}
