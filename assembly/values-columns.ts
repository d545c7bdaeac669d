// Turns the value table (values.ts) into the columns of a segment: sorts the values, numbers those of each
// column (its codes) and writes dictionaries and entries. Called by src/segment/valuetable.ts when the
// documents of a segment are complete.
//
//   row of a column   | u32 column | u32 first value | u32 numbers | u32 texts | u32 kinds without values
//                     | u32 entries | u32 bytes of all keys |      kinds: bit 0 bare, 1 null, 2 empty
//   entry             | u32 ordinal of the document | u32 code |   one for each distinct value of a document
import { dictionaryWriterAdd } from "./dictionary-writer";
import { sortRecords } from "./inverter-sort";
import { KIND_BARE, KIND_NUMBER, KIND_TEXT } from "./values";
import {
  LOG_DOCUMENT,
  nextValue,
  VALUE_AS_TERM,
  VALUE_CODE,
  VALUE_COLUMN_BYTES,
  VALUE_KEY,
  VALUE_LENGTH,
  VALUE_SLOT_BYTES,
  Values,
  valueColumn,
} from "./values-terms";

const ROW_BYTES: usize = 28;
/** The column number at the beginning of a key, which dictionaries of columns leave out. */
const COLUMN_BYTES: i32 = 2;
const TARGET: usize = 8;

/**
 * Sorts the values of complete documents; returns how many there are. No document can be added afterwards.
 */
export function valuesSort(values: usize): i32 {
  const state = changetype<Values>(values);
  for (let at = state.logStart; at > state.logWhole; ) {
    at -= 4;
    const value = <usize>load<u32>(at);
    if (<u32>value != LOG_DOCUMENT) store<u32>(value, load<u32>(value, VALUE_CODE) + 1, VALUE_CODE);
  }
  let to = state.table;
  for (let value = state.first; value < state.valuesTop; value = nextValue(value)) {
    if (!load<u32>(value, VALUE_CODE)) continue;
    store<u32>(to, <u32>(value - VALUE_AS_TERM));
    to += VALUE_SLOT_BYTES;
  }
  state.sorted = <u32>((to - state.table) / VALUE_SLOT_BYTES);
  sortRecords(state.table, to);
  return state.sorted;
}

/**
 * Writes the rows of the columns from sorted value `from` on, at most `most`, and gives codes to their
 * values; returns how many. Only once for each value, since the codes replace counts of documents.
 */
export function valuesRows(values: usize, from: i32, out: usize, most: i32): i32 {
  const state = changetype<Values>(values);
  let rows = 0;
  for (let index = <u32>from; index < state.sorted; ) {
    if (rows == most) break;
    const column = columnOf(sortedAt(state, index));
    memory.fill(out, 0, ROW_BYTES);
    store<u32>(out, column);
    store<u32>(out, index, 4);
    const first = index;
    for (; index < state.sorted; index++) {
      const value = sortedAt(state, index);
      if (columnOf(value) != column) break;
      const kind: u32 = load<u8>(value, VALUE_KEY + COLUMN_BYTES);
      if (kind == KIND_NUMBER) increase(out + 8, 1);
      else if (kind == KIND_TEXT) increase(out + 12, 1);
      else store<u32>(out, load<u32>(out, 16) | (1 << (kind - KIND_BARE)), 16);
      increase(out + 20, load<u32>(value, VALUE_CODE));
      increase(out + 24, load<u32>(value, VALUE_LENGTH) - COLUMN_BYTES);
      store<u32>(value, index - first, VALUE_CODE);
    }
    out += ROW_BYTES;
    rows++;
  }
  return rows;
}

/**
 * Adds sorted values, without their column, to a dictionary; returns 0, or the negative result of the writer.
 */
export function valuesDictionary(values: usize, from: i32, count: i32, writer: usize): i32 {
  const state = changetype<Values>(values);
  for (let index = from; index < from + count; index++) {
    const value = sortedAt(state, index);
    const length = load<i32>(value, VALUE_LENGTH) - COLUMN_BYTES;
    const error = dictionaryWriterAdd(writer, value + VALUE_KEY + COLUMN_BYTES, length);
    if (error < 0) return error;
  }
  return 0;
}

/** Sets where `valuesEntries` writes the entries of a column; 0 means nowhere, which is the initial state. */
export function valuesTarget(values: usize, column: i32, address: usize): void {
  store<u32>(valueColumn(changetype<Values>(values), column), <u32>address, TARGET);
}

/** Sets all columns to be written nowhere. */
export function valuesTargetNone(values: usize): void {
  const state = changetype<Values>(values);
  for (let column: u32 = 0; column < state.columns; column++) {
    store<u32>(valueColumn(state, column), 0, TARGET);
  }
}

/** Writes the entries of the columns with targets, which are moved on, in order of the documents. */
export function valuesEntries(values: usize): void {
  const state = changetype<Values>(values);
  const columns = valueColumn(state, 0);
  let ordinal: u32 = -1;
  for (let at = state.logStart; at > state.logWhole; ) {
    at -= 4;
    const value = <usize>load<u32>(at);
    if (<u32>value == LOG_DOCUMENT) {
      ordinal++;
      continue;
    }
    const column = columns + <usize>columnOf(value) * VALUE_COLUMN_BYTES;
    const to = <usize>load<u32>(column, TARGET);
    if (!to) continue;
    store<u32>(to, ordinal);
    store<u32>(to, load<u32>(value, VALUE_CODE), 4);
    store<u32>(column, <u32>(to + 8), TARGET);
  }
}

function sortedAt(state: Values, index: u32): usize {
  return <usize>load<u32>(state.table + <usize>index * VALUE_SLOT_BYTES) + VALUE_AS_TERM;
}

function columnOf(value: usize): u32 {
  return bswap<u16>(load<u16>(value, VALUE_KEY));
}

function increase(at: usize, by: u32): void {
  store<u32>(at, load<u32>(at) + by);
}
