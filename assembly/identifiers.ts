// The ids of one batch: a growing hash table that numbers distinct ids from 0 in the order in which they
// come. The engine puts in the ids of every operation of a batch, then looks all of them up in the segments
// (identifiersLookup).
//
// Region, of the size given to identifiersStart; it does not move:
//
//   0           4           8               12            16          20
//   | count u32 | slots u32 | slots max u32 | entries u32 | texts u32 | 0 ... |    32 bytes
//   | slot u64 x slots max |                  upper half of the hash << 32 | entry + 1; 0 is free
//   | entry -> ...                            address u32, length u32: 8 bytes
//   |                     ... <- id bytes |   the newest id lowest
//
// `entries` and `texts` are addresses: of the first entry, and of the newest id.
//
// The slots in use double in place, so that a small batch touches little of a large region. A region holds
// about one id of 10 bytes per 50 bytes.
import { textEquals, textHash } from "./hash";
import { idSectionFind } from "./identifier-section";

const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 8;
const SLOT_BYTES: usize = 8;
const SLOTS_FIRST: u32 = 1024;

/** Result for an id that is not in the table. */
const IDENTIFIERS_NONE: i32 = -1;
/** Error: the region has no room for another id. */
const IDENTIFIERS_FULL: i32 = -2;

/** Makes a region of `bytes` an empty table. False when it is too small for a table. */
export function identifiersStart(table: usize, bytes: i32): bool {
  let slots = SLOTS_FIRST;
  if ((<usize>slots * SLOT_BYTES) * 2 > <usize>bytes) return false;
  // As many slots as fit into 45 % of the region.
  while (<u64>slots * 2 * SLOT_BYTES * 20 <= <u64>(<u32>bytes) * 9) slots <<= 1;
  store<u32>(table, 0);
  store<u32>(table, slots, 8);
  store<u32>(table, <u32>(table + HEADER_BYTES + <usize>slots * SLOT_BYTES), 12);
  store<u32>(table, <u32>(table + <usize>bytes), 16);
  useSlots(table, SLOTS_FIRST);
  return true;
}

/**
 * Number of an id's entry, which is added when it was not there; IDENTIFIERS_FULL (-2) when there is no room.
 */
export function identifiersPut(table: usize, id: usize, length: i32): i32 {
  const hash = textHash(id, length);
  let slot = search(table, id, length, hash);
  const found = <i32>load<u32>(slot) - 1;
  if (found >= 0) return found;
  const count = load<u32>(table);
  const entry = entryAt(table, count);
  const text = <usize>load<u32>(table, 16) - <usize>length;
  if (entry + ENTRY_BYTES > text || text > <usize>load<u32>(table, 16)) return IDENTIFIERS_FULL;
  const slots = load<u32>(table, 4);
  if ((count + 1) * 4 > slots * 3) {
    if (slots == load<u32>(table, 8)) return IDENTIFIERS_FULL;
    useSlots(table, slots << 1);
    slot = freeSlot(table, hash);
  }
  memory.copy(text, id, <usize>length);
  store<u32>(entry, <u32>text);
  store<i32>(entry, length, 4);
  store<u64>(slot, slotWord(hash, count));
  store<u32>(table, <u32>text, 16);
  store<u32>(table, count + 1);
  return <i32>count;
}

/**
 * Puts in the ids of `count` rows of jsonIds; writes the entry number of each as i32 to `out`, -1 for rows
 * without an id. Returns `count`, or the number of rows done when the table became full.
 */
export function identifiersPutRows(table: usize, rows: usize, count: i32, out: usize): i32 {
  for (let i = 0; i < count; i++, rows += 20, out += 4) {
    const length = load<i32>(rows, 12);
    const entry = length ? identifiersPut(table, <usize>load<u32>(rows, 8), length) : IDENTIFIERS_NONE;
    if (entry == IDENTIFIERS_FULL) return i;
    store<i32>(out, entry);
  }
  return count;
}

/** Number of distinct ids. */
export function identifiersCount(table: usize): i32 {
  return load<i32>(table);
}

/** Address of the id bytes of an entry below the count. */
export function identifiersText(table: usize, entry: i32): usize {
  return <usize>load<u32>(entryAt(table, <u32>entry));
}

export function identifiersTextLength(table: usize, entry: i32): i32 {
  return load<i32>(entryAt(table, <u32>entry), 4);
}

/**
 * Looks up `count` entries in an ids section; writes the ordinal of each as i32 to `out`, -1 when it is not
 * there.
 */
export function identifiersLookup(
  table: usize,
  firstEntry: i32,
  count: i32,
  section: usize,
  out: usize,
): void {
  const end = entryAt(table, <u32>(firstEntry + count));
  for (let entry = entryAt(table, <u32>firstEntry); entry < end; entry += ENTRY_BYTES, out += 4) {
    const text = <usize>load<u32>(entry);
    const length = load<i32>(entry, 4);
    store<i32>(out, idSectionFind(section, text, length));
  }
}

function entryAt(table: usize, entry: u32): usize {
  return <usize>load<u32>(table, 12) + <usize>entry * ENTRY_BYTES;
}

function slotWord(hash: u64, entry: u32): u64 {
  return (hash & 0xffffffff00000000) | <u64>(entry + 1);
}

/** The slot that holds an id, or the free one where it belongs. */
function search(table: usize, id: usize, length: i32, hash: u64): usize {
  const slots = table + HEADER_BYTES;
  const last = load<u32>(table, 4) - 1;
  let index = <u32>hash & last;
  while (true) {
    const slot = slots + <usize>index * SLOT_BYTES;
    const word = load<u64>(slot);
    if (!word) return slot;
    if ((word ^ hash) >> 32 == 0) {
      const entry = entryAt(table, <u32>word - 1);
      if (load<i32>(entry, 4) == length && textEquals(<usize>load<u32>(entry), id, length)) return slot;
    }
    index = (index + 1) & last;
  }
}

function freeSlot(table: usize, hash: u64): usize {
  const slots = table + HEADER_BYTES;
  const last = load<u32>(table, 4) - 1;
  let index = <u32>hash & last;
  while (load<u64>(slots + <usize>index * SLOT_BYTES)) index = (index + 1) & last;
  return slots + <usize>index * SLOT_BYTES;
}

/** Spreads all entries over the first `slots` slots. */
function useSlots(table: usize, slots: u32): void {
  store<u32>(table, slots, 4);
  memory.fill(table + HEADER_BYTES, 0, <usize>slots * SLOT_BYTES);
  const count = load<u32>(table);
  for (let number: u32 = 0; number < count; number++) {
    const entry = entryAt(table, number);
    const hash = textHash(<usize>load<u32>(entry), load<i32>(entry, 4));
    store<u64>(freeSlot(table, hash), slotWord(hash, number));
  }
}
