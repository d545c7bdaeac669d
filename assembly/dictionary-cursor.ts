// A walk over the terms of a dictionary in ascending order, with the current term assembled in linear memory.
// Merges of segments hold one cursor per segment; the layout of dictionaries is in dictionary-format.ts.
//
//   0            4         8        12      16      20          32
//   | dictionary | ordinal | length | block | at    | 0         | current term, then room for its copies |
import {
  BLOCK_TERMS,
  blockAddress,
  blockTails,
  copyBytes,
  DAMAGED_TERM_ROOM_BYTES,
  DictionaryHeader,
  firstBytes,
  firstTerm,
  sharedBytes,
  tailAddress,
  tailBytes,
} from "./dictionary-format";

const CURSOR_TERM: usize = 32;

/** Size of a cursor's region. */
export const DICTIONARY_CURSOR_BYTES: i32 = 32 + DAMAGED_TERM_ROOM_BYTES;

@unmanaged
class Cursor {
  dictionary: usize;
  ordinal: i32;
  length: i32;
  block: usize;
  at: usize;
}

/**
 * Sets a cursor to a term; returns 1, or 0 when there is no such ordinal (the number of terms is the end).
 */
export function dictionaryCursorStart(cursor: usize, dictionary: usize, ordinal: i32): i32 {
  const state = changetype<Cursor>(cursor);
  state.dictionary = dictionary;
  if (ordinal < 0 || ordinal >= changetype<DictionaryHeader>(dictionary).terms) return end(state);
  state.ordinal = ordinal - (ordinal % BLOCK_TERMS);
  enterBlock(state);
  while (state.ordinal < ordinal) {
    state.ordinal++;
    enterTerm(state);
  }
  return 1;
}

/** Moves to the next term; returns 1, or 0 at the end. */
export function dictionaryCursorNext(cursor: usize): i32 {
  const state = changetype<Cursor>(cursor);
  if (state.ordinal + 1 >= changetype<DictionaryHeader>(state.dictionary).terms) return end(state);
  state.ordinal++;
  if (state.ordinal % BLOCK_TERMS == 0) enterBlock(state);
  else enterTerm(state);
  return 1;
}

/** Ordinal of the current term; the number of terms at the end. */
export function dictionaryCursorOrdinal(cursor: usize): i32 {
  return changetype<Cursor>(cursor).ordinal;
}

/** Address of the bytes of the current term, which stays the same during the whole walk. */
export function dictionaryCursorTerm(cursor: usize): usize {
  return cursor + CURSOR_TERM;
}

/** Bytes of the current term; 0 at the end. */
export function dictionaryCursorLength(cursor: usize): i32 {
  return changetype<Cursor>(cursor).length;
}

function end(state: Cursor): i32 {
  state.ordinal = changetype<DictionaryHeader>(state.dictionary).terms;
  state.length = 0;
  return 0;
}

function enterBlock(state: Cursor): void {
  const block = blockAddress(state.dictionary, state.ordinal / BLOCK_TERMS);
  state.block = block;
  state.at = blockTails(block);
  state.length = firstBytes(block);
  copyBytes(changetype<usize>(state) + CURSOR_TERM, firstTerm(block), state.length);
}

function enterTerm(state: Cursor): void {
  const head: u32 = load<u8>(state.block + (state.ordinal % BLOCK_TERMS));
  const shared = sharedBytes(head, state.at);
  const bytes = tailBytes(head, state.at);
  const tail = tailAddress(head, state.at);
  copyBytes(changetype<usize>(state) + CURSOR_TERM + shared, tail, bytes);
  state.length = shared + bytes;
  state.at = tail + bytes;
}
