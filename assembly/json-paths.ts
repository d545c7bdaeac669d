// The path cache of the walker (json-walker.ts): the searchable field and the column to which the name of a
// value belongs. A name is found by its parent and its own bytes, so dotted paths are only assembled to ask
// the host about a new one.
//
// Region, PATHS_BYTES:
//
//   0          4         16               16 + 4 * SLOTS
//   | used u32 | end u32 | slot u32 x SLOTS | entries ...          |
//
// A slot holds the offset of an entry from the region's start, 0 when free; that offset is the number of the
// path, and number 0 is the document itself. Entry, padded to 8 bytes:
//
//   0          4            8           12               16           24
//   | hash u32 | parent u32 | field i32 | key length u32 | column i32 | key ... |
//
// The walker empties a full cache and then starts its document again: numbers of paths do not survive that.
import { column, field } from "./env";
import { textEquals } from "./hash";
import { JSON_FULL } from "./json-scan";

const SLOTS: u32 = 262144;
const SLOTS_USED_MAX: u32 = SLOTS / 2;
const SLOTS_OFFSET: usize = 16;
const ENTRIES_OFFSET: u32 = <u32>SLOTS_OFFSET + SLOTS * 4;
const ENTRY_BYTES: u32 = 24;
const DOT: u32 = 0x2e;

/** Size of the region. */
export const PATHS_BYTES: usize = 8 * 1024 * 1024;
/** Flag added to a column number: its values at the top level of documents are locations. */
export const COLUMN_POINT: i32 = 65536;
export const COLUMN_GEOMETRY: i32 = 131072;
/** Flag: its values are degrees, and a text that is a number counts as one. */
export const COLUMN_DEGREES: i32 = 262144;
/** Error: the cache has no room for another path. */
export const PATHS_FULL: i32 = -109;

/** Empties the cache. */
export function pathsReset(paths: usize): void {
  memory.fill(paths, 0, SLOTS_OFFSET + <usize>SLOTS * 4);
  store<u32>(paths, ENTRIES_OFFSET, 4);
}

/**
 * Number of the path with the name `key` below `parent`. `hash` is the key's textHash; `spare` to `spareEnd`
 * is room for the text of the path. PATHS_FULL, or JSON_FULL when the text of the path exceeds the spare
 * room.
 */
export function pathOf(
  paths: usize, parent: i32, key: usize, length: i32, hash: u64, spare: usize, spareEnd: usize,
): i32 {
  const mixed = <u32>hash ^ (<u32>parent * 0x9e3779b1);
  let slot = mixed & (SLOTS - 1);
  for (;;) {
    const number = load<u32>(paths + SLOTS_OFFSET + <usize>(slot << 2));
    if (!number) break;
    const entry = paths + <usize>number;
    if (
      load<u32>(entry) == mixed &&
      load<u32>(entry, 4) == <u32>parent &&
      load<i32>(entry, 12) == length &&
      textEquals(entry + ENTRY_BYTES, key, length)
    ) return <i32>number;
    slot = (slot + 1) & (SLOTS - 1);
  }
  const number = load<u32>(paths, 4);
  const after = <u64>number + <u64>((ENTRY_BYTES + <u32>length + 7) & ~7);
  if (load<u32>(paths) == SLOTS_USED_MAX || after > <u64>PATHS_BYTES) return PATHS_FULL;
  const entry = paths + <usize>number;
  store<u32>(entry, mixed);
  store<u32>(entry, <u32>parent, 4);
  store<i32>(entry, length, 12);
  memory.copy(entry + ENTRY_BYTES, key, <usize>length);
  const asked = ask(paths, number, spare, spareEnd);
  if (asked == JSON_FULL) return JSON_FULL;
  store<u32>(paths + SLOTS_OFFSET + <usize>(slot << 2), number);
  store<u32>(paths, load<u32>(paths) + 1);
  store<u32>(paths, <u32>after, 4);
  return <i32>number;
}

/**
 * The host's answer for a path: a field number, -1 when not searchable, FIELD_NONE_BELOW when nothing below
 * it is either.
 */
export function pathField(paths: usize, path: i32): i32 {
  return load<i32>(paths + <usize>path, 8);
}

/**
 * Number of the column of a path, -1 for none; COLUMN_POINT is added where the value is a location,
 * COLUMN_GEOMETRY where it is a geometry, COLUMN_DEGREES where it is a latitude or longitude.
 */
export function pathColumn(paths: usize, path: i32): i32 {
  return load<i32>(paths + <usize>path, 16);
}

/**
 * Assembles the dotted text of a path, asks the host for its field and column and keeps the answers;
 * JSON_FULL without room.
 */
function ask(paths: usize, number: u32, spare: usize, spareEnd: usize): i32 {
  let length: u64 = 0;
  for (let at = number; at; at = load<u32>(paths + <usize>at, 4)) {
    length += <u64>load<u32>(paths + <usize>at, 12) + 1;
  }
  if (<u64>spare + length > <u64>spareEnd) return JSON_FULL;
  let to = spare + <usize>length;
  for (let at = number; at; at = load<u32>(paths + <usize>at, 4)) {
    const keyLength = <usize>load<u32>(paths + <usize>at, 12);
    // The dot after the last name is written, but left out of the length.
    store<u8>(--to, DOT);
    to -= keyLength;
    memory.copy(to, paths + <usize>at + ENTRY_BYTES, keyLength);
  }
  store<i32>(paths + <usize>number, field(spare, <i32>length - 1), 8);
  store<i32>(paths + <usize>number, column(spare, <i32>length - 1), 16);
  return 0;
}
