// The memory of the inverter: a hash table of terms, and for each term the bytes of its postings so far. Used
// by the inverter's other files, by values-terms.ts and the walker. Everything is in the one region that the
// host provides:
//
//   | state: 128 | table: 8 bytes a slot | terms ->                 free                 <- slices |
//
//   slot     | u32 address of the term, 0 = empty | u32 hash |
//   term      0 u32 hash              4 u32 df                  8 u32 last docid      12 u32 last key
//            16 u32 last occurrence  20 u32 next free byte     24 u32 slice's end     28 u32 slice's bytes
//            32 u32 byte length      36 the term, padded to 4, then its first slice: 16 bytes
//
// The sort (inverter-sort.ts) only looks at the last two: other records with a text may have the same end.
//   slice    | 12, 28, 60, ... 2044 bytes | u32 address of the next slice |
//
// The table is probed linearly; its used part doubles when it is three quarters full, and its largest size
// outlasts the space for terms.
//
// The slices of a term contain for each document: varint docid minus the previous one minus 1 (the one before
// the first is -1), then its occurrences as occurrences.ts draws them. The flag `last` of the last occurrence
// is set when the next document begins, or by the sort.
import { hashBucket, textEquals, textHash } from "./hash";
import { varintBytes, varintWrite } from "./varint";

export const FULL: i32 = -1;
export const STATE_BYTES: usize = 128;
export const SLOT_BYTES: usize = 8;

export const TERM_LENGTH: usize = 32;
export const TERM_DF: usize = 4;
export const TERM_DOCID: usize = 8;
const TERM_KEY: usize = 12;
const TERM_OCCURRENCE: usize = 16;
export const TERM_NEXT: usize = 20;
export const TERM_END: usize = 24;
const TERM_SLICE_BYTES: usize = 28;
export const TERM_TEXT: usize = 36;

export const SLICE_BYTES_FIRST: usize = 16;
export const SLICE_BYTES_MAX: usize = 2048;
export const SLICE_LINK_BYTES: usize = 4;

const SLOTS_FIRST: u32 = 4096;
/**
 * The smallest term takes 56 bytes: with a slot for every 50 bytes of the region, there is always a slot for
 * it.
 */
const REGION_BYTES_PER_SLOT: u32 = 50;
/** An occurrence (at most 12 bytes) that does not fit into the rest of a slice is assembled here. */
const SPLIT: usize = memory.data(32, 16);

@unmanaged
export class Inverter {
  /** First slot; below, first term. */
  table: usize;
  first: usize;
  /** Slots in use; below, their largest number. */
  slots: u32;
  slotsMax: u32;
  /** Number of terms; below, the number at which the table grows. */
  terms: u32;
  termsMax: u32;
  /** The free space is between these two. */
  termsTop: usize;
  slicesTop: usize;
  docid: u32;
  /** 1 from the beginning of a document to its end. */
  open: i32;
  /** Current field, -1 for none; below, the position counter of its last leaf, and its words so far. */
  field: i32;
  position: u32;
  words: u32;
  /** Number of terms after the sort; below, the sum of their lengths. */
  sorted: u32;
  sortedBytes: u32;
  /** Text of a pseudo-term. */
  pseudo: u32;
}

/** Empties the table and lays out a region of `bytes` bytes. */
export function termsClear(state: Inverter, bytes: usize): void {
  const region = changetype<usize>(state);
  state.table = region + STATE_BYTES;
  state.slotsMax = <u32>bytes / REGION_BYTES_PER_SLOT;
  state.first = (state.table + <usize>state.slotsMax * SLOT_BYTES + 3) & ~3;
  state.termsTop = state.first;
  state.slicesTop = (region + bytes) & ~3;
  state.terms = 0;
  tableClear(state, min(SLOTS_FIRST, state.slotsMax));
}

/** Size of a term with everything that belongs to it, up to the next term. */
export function termBytes(length: usize): usize {
  return TERM_TEXT + ((length + 3) & ~3) + SLICE_BYTES_FIRST;
}

/**
 * Finds or adds a term; returns its address, 0 when the region is full. Reads up to 8 bytes beyond the text.
 */
export function termOf(state: Inverter, text: usize, length: i32): usize {
  const hash = textHash(text, length);
  const upper = <u32>(hash >> 32);
  const end = state.table + <usize>state.slots * SLOT_BYTES;
  let slot = state.table + <usize>hashBucket(hash, state.slots) * SLOT_BYTES;
  for (let term = <usize>load<u32>(slot); term; term = <usize>load<u32>(slot)) {
    if (
      load<u32>(slot, 4) == upper &&
      load<i32>(term, TERM_LENGTH) == length &&
      textEquals(term + TERM_TEXT, text, length)
    ) {
      return term;
    }
    slot += SLOT_BYTES;
    if (slot == end) slot = state.table;
  }
  const term = state.termsTop;
  const bytes = termBytes(length);
  if (state.slicesTop - term < bytes) return 0;
  if (state.terms == state.termsMax) {
    tableGrow(state);
    slot = emptySlot(state, upper);
  }
  store<u32>(slot, <u32>term);
  store<u32>(slot, upper, 4);
  termCreate(term, upper, text, length);
  state.termsTop = term + bytes;
  state.terms++;
  return term;
}

/**
 * Adds an occurrence, later than all earlier ones, to a term; false when the region is full (and nothing was
 * added).
 */
export function termOccurs(state: Inverter, term: usize, docid: u32, key: u32): bool {
  const df = load<u32>(term, TERM_DF);
  const last = load<u32>(term, TERM_DOCID);
  const isNew = docid != last || df == 0;
  const gap = docid - last - 1;
  const before = isNew ? 0 : load<u32>(term, TERM_KEY);
  const step = (key >> 16) - (before >> 16);
  const delta = step ? key & 0xffff : key - before;
  const next = <usize>load<u32>(term, TERM_NEXT);
  const room = <usize>load<u32>(term, TERM_END) - next;
  const bytes =
    varintBytes(delta << 2) + (step ? varintBytes((step << 2) | 2) : 0) + (isNew ? varintBytes(gap) : 0);
  const fits = <usize>bytes <= room;
  if (!fits && state.slicesTop - state.termsTop < SLICE_BYTES_MAX) return false;

  let at = fits ? next : SPLIT;
  if (isNew) {
    if (df) termEndDocument(term);
    store<u32>(term, df + 1, TERM_DF);
    store<u32>(term, docid, TERM_DOCID);
    at = varintWrite(at, gap);
  }
  if (step) at = varintWrite(at, (step << 2) | 2);
  store<u32>(term, key, TERM_KEY);
  store<u32>(term, <u32>at, TERM_OCCURRENCE);
  // Overwriting the link of the slice does no harm: it is set when the slice is full.
  at = varintWrite(at, delta << 2);
  if (fits) store<u32>(term, <u32>at, TERM_NEXT);
  else splitOccurrence(state, term, next, room, bytes);
  return true;
}

/** Marks the last occurrence written as the last one of its document. */
export function termEndDocument(term: usize): void {
  const occurrence = <usize>load<u32>(term, TERM_OCCURRENCE);
  store<u8>(occurrence, load<u8>(occurrence) | 1);
}

/** Moves the occurrence in SPLIT to the rest of a slice, `room` bytes at `next`, and to a new slice. */
function splitOccurrence(state: Inverter, term: usize, next: usize, room: usize, bytes: usize): void {
  const sliceBytes = min(<usize>load<u32>(term, TERM_SLICE_BYTES) << 1, SLICE_BYTES_MAX);
  const slice = state.slicesTop - sliceBytes;
  const offset = <usize>load<u32>(term, TERM_OCCURRENCE) - SPLIT;
  state.slicesTop = slice;
  for (let at: usize = 0; at < room; at++) store<u8>(next + at, load<u8>(SPLIT + at));
  store<u32>(next + room, <u32>slice);
  v128.store(slice, v128.load(SPLIT + room));
  store<u32>(term, <u32>(offset < room ? next + offset : slice + offset - room), TERM_OCCURRENCE);
  store<u32>(term, <u32>(slice + bytes - room), TERM_NEXT);
  store<u32>(term, <u32>(slice + sliceBytes - SLICE_LINK_BYTES), TERM_END);
  store<u32>(term, <u32>sliceBytes, TERM_SLICE_BYTES);
}

function termCreate(term: usize, hash: u32, text: usize, length: i32): void {
  const slice = term + termBytes(length) - SLICE_BYTES_FIRST;
  store<u32>(term, hash);
  store<u32>(term, length, TERM_LENGTH);
  store<u32>(term, 0, TERM_DF);
  store<u32>(term, -1, TERM_DOCID);
  store<u32>(term, 0, TERM_KEY);
  store<u32>(term, <u32>slice, TERM_NEXT);
  store<u32>(term, <u32>(slice + SLICE_BYTES_FIRST - SLICE_LINK_BYTES), TERM_END);
  store<u32>(term, <u32>SLICE_BYTES_FIRST, TERM_SLICE_BYTES);
  memory.copy(term + TERM_TEXT, text, length);
}

/** Doubles the used part of the table and inserts all terms again. */
function tableGrow(state: Inverter): void {
  tableClear(state, min(state.slots << 1, state.slotsMax));
  for (let term = state.first; term < state.termsTop; term += termBytes(load<u32>(term, TERM_LENGTH))) {
    const hash = load<u32>(term);
    const slot = emptySlot(state, hash);
    store<u32>(slot, <u32>term);
    store<u32>(slot, hash, 4);
  }
}

function tableClear(state: Inverter, slots: u32): void {
  state.slots = slots;
  state.termsMax = (slots >> 2) * 3;
  memory.fill(state.table, 0, <usize>slots * SLOT_BYTES);
}

function emptySlot(state: Inverter, hash: u32): usize {
  const end = state.table + <usize>state.slots * SLOT_BYTES;
  let slot = state.table + <usize>hashBucket(<u64>hash << 32, state.slots) * SLOT_BYTES;
  while (load<u32>(slot)) {
    slot += SLOT_BYTES;
    if (slot == end) slot = state.table;
  }
  return slot;
}
