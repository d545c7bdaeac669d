// The memory of the value table (values.ts): a hash table of the values of all columns, and a log that says
// which document has which value. Only used by the other files of this family. Everything is in the one
// region that the host provides:
//
//   | state: 128 | columns: 12 bytes each | table: 8 bytes a slot | values ->       free       <- log |
//
//   column    | u32 stamp of the last document with a value | u32 stamp as candidate | u32 see below |
//             third word: next candidate, column + 1, 0 = none; in the end where its entries go
//   slot      | u32 address of the value, 0 = empty | u32 hash |
//   value      0 u32 hash     4 u32 stamp of the last document     8 u32 documents, later its code
//             12 u32 byte length    16 key (values.ts draws it), padded to 4
//   log       downwards from the region's end: u32 1 begins a document, others are addresses of its values
//
// Length and key are placed as at the end of a term of the inverter, so that its sort (inverter-sort.ts) can
// be used here. The table is probed linearly; its used part doubles when it is three quarters full.
import { hashBucket, textEquals, textHash } from "./hash";
import { TERM_TEXT } from "./inverter-terms";

const VALUES_STATE_BYTES: usize = 128;
export const VALUE_COLUMN_BYTES: usize = 12;
export const VALUE_SLOT_BYTES: usize = 8;
export const VALUE_STAMP: usize = 4;
export const VALUE_CODE: usize = 8;
export const VALUE_LENGTH: usize = 12;
export const VALUE_KEY: usize = 16;
/** Subtracted from the address of a value, this gives its address as a term of the inverter. */
export const VALUE_AS_TERM: usize = TERM_TEXT - VALUE_KEY;
/** Entry of the log that begins a document. */
export const LOG_DOCUMENT: u32 = 1;

const COLUMNS_MAX: usize = 65536;
const SLOTS_FIRST: u32 = 1024;
/**
 * A value takes about 40 bytes, and an entry 4: it does not matter whether the table or the space is full
 * first.
 */
const REGION_BYTES_PER_SLOT: usize = 40;

@unmanaged
export class Values {
  /** First slot; below, first value. */
  table: usize;
  first: usize;
  /** Slots in use; below, their largest number. */
  slots: u32;
  slotsMax: u32;
  /** Number of values; below, the number at which the table grows. */
  count: u32;
  countMax: u32;
  /** The free space is between these two. */
  valuesTop: usize;
  logTop: usize;
  /** Where the log begins; below, where its last complete document ends. */
  logStart: usize;
  logWhole: usize;
  /**
   * Of the current document: its stamp; whether its values did not fit; the first of its columns without a
   * value so far.
   */
  stamp: u32;
  full: i32;
  candidate: u32;
  /** Number of entries in use in the table of columns. */
  columns: u32;
  /** Number of values after the sort. */
  sorted: u32;
}

/** Bytes before the space for values. */
export function valuesFixedBytes(): usize {
  return VALUES_STATE_BYTES + COLUMNS_MAX * VALUE_COLUMN_BYTES;
}

/** Empties the table and lays out a region of `bytes` bytes. */
export function valuesClear(state: Values, bytes: usize): void {
  const region = changetype<usize>(state);
  const rest = bytes - valuesFixedBytes();
  state.table = region + valuesFixedBytes();
  state.slotsMax = <u32>(rest / REGION_BYTES_PER_SLOT);
  state.first = (state.table + <usize>state.slotsMax * VALUE_SLOT_BYTES + 3) & ~3;
  state.valuesTop = state.first;
  state.logStart = (region + bytes) & ~3;
  state.logTop = state.logStart;
  state.logWhole = state.logStart;
  state.count = 0;
  tableClear(state, min(SLOTS_FIRST, state.slotsMax));
}

/** Address of the entry of a column, which is below 65,536. */
export function valueColumn(state: Values, column: u32): usize {
  const columns = changetype<usize>(state) + VALUES_STATE_BYTES;
  if (column >= state.columns) {
    const from = columns + <usize>state.columns * VALUE_COLUMN_BYTES;
    memory.fill(from, 0, <usize>(column + 1 - state.columns) * VALUE_COLUMN_BYTES);
    state.columns = column + 1;
  }
  return columns + <usize>column * VALUE_COLUMN_BYTES;
}

/** Address after a value. */
export function nextValue(value: usize): usize {
  return value + valueBytes(load<u32>(value, VALUE_LENGTH));
}

/** Size of a value with a key of `length` bytes. */
function valueBytes(length: usize): usize {
  return VALUE_KEY + ((length + 3) & ~3);
}

/** Finds or adds a value; 0 when the region is full. Reads up to 8 bytes beyond the key. */
export function valueOf(state: Values, key: usize, length: i32): usize {
  const hash = textHash(key, length);
  const upper = <u32>(hash >> 32);
  const end = state.table + <usize>state.slots * VALUE_SLOT_BYTES;
  let slot = state.table + <usize>hashBucket(hash, state.slots) * VALUE_SLOT_BYTES;
  for (let value = <usize>load<u32>(slot); value; value = <usize>load<u32>(slot)) {
    if (
      load<u32>(slot, 4) == upper &&
      load<i32>(value, VALUE_LENGTH) == length &&
      textEquals(value + VALUE_KEY, key, length)
    ) {
      return value;
    }
    slot += VALUE_SLOT_BYTES;
    if (slot == end) slot = state.table;
  }
  const value = state.valuesTop;
  const bytes = valueBytes(length);
  if (state.logTop - value < bytes) return 0;
  if (state.count == state.countMax) {
    if (state.slots == state.slotsMax) return 0;
    tableGrow(state);
    slot = emptySlot(state, upper);
  }
  store<u32>(slot, <u32>value);
  store<u32>(slot, upper, 4);
  store<u32>(value, upper);
  store<u32>(value, 0, VALUE_STAMP);
  store<u32>(value, 0, VALUE_CODE);
  store<i32>(value, length, VALUE_LENGTH);
  memory.copy(value + VALUE_KEY, key, length);
  state.valuesTop = value + bytes;
  state.count++;
  return value;
}

/** Doubles the used part of the table and inserts all values again. */
function tableGrow(state: Values): void {
  tableClear(state, min(state.slots << 1, state.slotsMax));
  for (let value = state.first; value < state.valuesTop; value = nextValue(value)) {
    const hash = load<u32>(value);
    const slot = emptySlot(state, hash);
    store<u32>(slot, <u32>value);
    store<u32>(slot, hash, 4);
  }
}

function tableClear(state: Values, slots: u32): void {
  state.slots = slots;
  state.countMax = (slots >> 2) * 3;
  memory.fill(state.table, 0, <usize>slots * VALUE_SLOT_BYTES);
}

function emptySlot(state: Values, hash: u32): usize {
  const end = state.table + <usize>state.slots * VALUE_SLOT_BYTES;
  let slot = state.table + <usize>hashBucket(<u64>hash << 32, state.slots) * VALUE_SLOT_BYTES;
  while (load<u32>(slot)) {
    slot += VALUE_SLOT_BYTES;
    if (slot == end) slot = state.table;
  }
  return slot;
}
