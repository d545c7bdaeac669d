// Writes a term dictionary (layout: dictionary-format.ts) from terms that arrive in ascending byte order, as
// the inverter's sorted terms and merges deliver them. Blocks grow upwards from the start of `out`, their
// places downwards from its end; at the end the places are moved to follow the blocks.
//
//   out                                                                     out + capacity
//   | header | block 0 | block 1 | ... ->                       <- ... | place 1 | place 0 |
import {
  BLOCK_FIRST,
  BLOCK_TERMS,
  commonBytes,
  copyBytes,
  DICTIONARY_TERM_BYTES_MAX,
  DICTIONARY_TERM_ROOM_BYTES,
  DictionaryHeader,
  firstTerm,
  HEADER_BYTES,
  LONG,
  longWrite,
} from "./dictionary-format";

/** Size of a writer's region. */
export const DICTIONARY_WRITER_BYTES: i32 = 560;

const FULL: i32 = -1;
const OUT_OF_ORDER: i32 = -2;
/** Padding before the index, and room for the 16-byte steps of a copy. */
const END_SLACK_BYTES: usize = 24;

@unmanaged
class Writer {
  out: usize;
  end: usize;
  at: usize;
  block: usize;
  terms: i32;
  pseudo: i32;
  blocks: i32;
  longest: i32;
  previousBytes: i32;
  full: i32;
  // the previous term follows, DICTIONARY_TERM_ROOM_BYTES
}
const PREVIOUS: usize = 48;

/**
 * Starts a dictionary at `out` (aligned to 16). A `capacity` of 128 + (bytes of all terms) + 6 * (number of
 * terms) always suffices. Nothing beyond it is touched.
 */
export function dictionaryWriterStart(writer: usize, out: usize, capacity: u32): void {
  memory.fill(writer, 0, DICTIONARY_WRITER_BYTES);
  const state = changetype<Writer>(writer);
  state.out = out;
  state.end = out + (capacity & ~3);
  state.at = out + HEADER_BYTES;
  state.full = i32(capacity < <u32>HEADER_BYTES + <u32>END_SLACK_BYTES);
}

/**
 * Adds a term. Returns 0; -1 when `out` is full (as will every later call); or -2, without adding it, when
 * the term is not greater than the previous one or not 1 to 480 bytes long.
 */
export function dictionaryWriterAdd(writer: usize, term: usize, length: i32): i32 {
  const state = changetype<Writer>(writer);
  if (state.full) return FULL;
  if (length <= 0 || length > DICTIONARY_TERM_BYTES_MAX) return OUT_OF_ORDER;
  const previous = writer + PREVIOUS;
  const shared = commonBytes(previous, term, min(length, state.previousBytes));
  if (shared == length) return OUT_OF_ORDER;
  const isLess = shared < state.previousBytes && load<u8>(term + shared) < load<u8>(previous + shared);
  if (isLess) return OUT_OF_ORDER;
  const slot = state.terms % BLOCK_TERMS;
  const places = <usize>(state.blocks + 1) << 2;
  if (state.at + BLOCK_FIRST + length + places + END_SLACK_BYTES > state.end) {
    state.full = 1;
    return FULL;
  }
  if (slot == 0) addFirst(state, term, length);
  else addTail(state, slot, shared, term + shared, length - shared);
  copyBytes(previous + shared, term + shared, length - shared);
  state.previousBytes = length;
  state.longest = max(state.longest, length);
  state.pseudo += i32(load<u8>(term) == 0);
  state.terms++;
  return 0;
}

/** Completes the section and returns its bytes, or -1 when `out` was full. */
export function dictionaryWriterFinish(writer: usize): i32 {
  const state = changetype<Writer>(writer);
  if (state.full) return FULL;
  while (state.at & 3) store<u8>(state.at++, 0);
  const indexBytes = (<usize>state.blocks) << 2;
  reverseWords(state.end - indexBytes, state.end);
  memory.copy(state.at, state.end - indexBytes, indexBytes);
  const header = changetype<DictionaryHeader>(state.out);
  header.terms = state.terms;
  header.pseudo = state.pseudo;
  header.blocks = state.blocks;
  header.index = <u32>(state.at - state.out);
  header.bytes = <u32>(state.at - state.out + indexBytes);
  header.longest = state.longest;
  header.reserved = 0;
  return <i32>header.bytes;
}

/** Opens a block with its first term; its other heads are zero until their terms come. */
function addFirst(state: Writer, term: usize, length: i32): void {
  state.blocks++;
  store<u32>(state.end - ((<usize>state.blocks) << 2), <u32>(state.at - state.out));
  state.block = state.at;
  memory.fill(state.at, 0, BLOCK_FIRST);
  store<u8>(state.at, min(length, <i32>LONG));
  if (length >= <i32>LONG) store<u8>(state.at, length - <i32>LONG, BLOCK_FIRST);
  const to = firstTerm(state.at);
  copyBytes(to, term, length);
  state.at = to + length;
}

function addTail(state: Writer, slot: i32, shared: i32, tail: usize, length: i32): void {
  store<u8>(state.block + slot, (min(shared, 15) << 4) | min(length - 1, 15));
  if (shared >= 15) state.at = longWrite(state.at, shared - 15);
  if (length > 15) state.at = longWrite(state.at, length - 16);
  copyBytes(state.at, tail, length);
  state.at += length;
}

function reverseWords(from: usize, to: usize): void {
  for (to -= 4; from < to; from += 4, to -= 4) {
    const word = load<u32>(from);
    store<u32>(from, load<u32>(to));
    store<u32>(to, word);
  }
}
