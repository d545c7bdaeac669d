// Byte layout of a dictionary of a segment, of terms or of the values of a column, and the few steps that all
// its readers share. Terms are strings of 1 to 480 bytes (words: 250) in ascending byte order; the value of a
// term is its ordinal. A pointer to the section is all that a reader needs.
//
//   section   | header | block 0 | block 1 | ... | padding to 4 | index: u32 place of each block |
//             places are counted from the section's start
//
//             0        4        8        12       16       20       24                32
//   header    | terms  | pseudo | blocks | index  | bytes  | longest| 0               |
//             pseudo: terms beginning with byte 00 (always the first ones); index: place of the index;
//             bytes: of the whole section; longest: bytes of the longest term
//
//             0   1              32
//   block     | n | head 1 .. 31 | first term, n bytes | tail 1 | tail 2 | ... | tail 31 |
//             32 terms; the last block may hold fewer, its unused heads are zero
//
//             7       4 3       0
//   head      | shared  | tail-1 |   bytes shared with the term before, bytes that follow them less one
//             15 in either half: the number less 15 stands as a byte before the tail, that of `shared` first;
//             a byte of 255 is followed by another, and their sum is meant. So is n, whose second byte stands
//             before the first term.
//
// Front coding after Witten, Moffat, Bell, "Managing Gigabytes", 4.1. Heads are stored together so that a
// search walks over a block without touching the tails of terms that cannot match.

export const DICTIONARY_TERM_BYTES_MAX: i32 = 480;
/** Words, the terms that fuzzy look-ups search, are no longer than this. */
export const DICTIONARY_WORD_BYTES_MAX: i32 = 250;
/** Room needed after a pointer at which a term is assembled: tails are copied 16 bytes at a time. */
export const DICTIONARY_TERM_ROOM_BYTES: i32 = 512;
/** Room for the longest term that damaged heads can spell: 15 + 510 shared bytes and a tail of 16 + 510. */
export const DAMAGED_TERM_ROOM_BYTES: i32 = 1088;

/** A cut as written by dictionaryCuts: u32 bytes of the left term, u32 ordinals of both terms. */
export const DICTIONARY_CUT_BYTES: usize = 12;

export const BLOCK_TERMS: i32 = 32;
export const BLOCK_FIRST: i32 = 32;
export const HEADER_BYTES: i32 = 32;
/** A byte to which another one is added. */
export const LONG: u32 = 255;

@unmanaged
export class DictionaryHeader {
  terms: i32;
  pseudo: i32;
  blocks: i32;
  index: u32;
  bytes: u32;
  longest: i32;
  reserved: u64;
}

/** Address of block `block`, which must be below the number of blocks. */
export function blockAddress(dictionary: usize, block: i32): usize {
  const index = dictionary + changetype<DictionaryHeader>(dictionary).index;
  return dictionary + load<u32>(index + ((<usize>block) << 2));
}

/** Number of terms in block `block`. */
export function blockTerms(dictionary: usize, block: i32): i32 {
  return min(BLOCK_TERMS, changetype<DictionaryHeader>(dictionary).terms - block * BLOCK_TERMS);
}

/** Bytes of the first term of a block. */
export function firstBytes(block: usize): i32 {
  const bytes: u32 = load<u8>(block);
  return <i32>(bytes < LONG ? bytes : LONG + <u32>load<u8>(block, BLOCK_FIRST));
}

/** Address of the first term of a block. */
export function firstTerm(block: usize): usize {
  return block + BLOCK_FIRST + <usize>(<u32>load<u8>(block) == LONG);
}

/** Address of the first tail of a block. */
export function blockTails(block: usize): usize {
  return firstTerm(block) + firstBytes(block);
}

/** Bytes that the term of `head` shares with the previous term; its tail is coded at `at`. */
export function sharedBytes(head: u32, at: usize): i32 {
  return <i32>(head < 0xf0 ? head >> 4 : 15 + longNumber(at));
}

/** Length of the tail of `head`. */
export function tailBytes(head: u32, at: usize): i32 {
  if ((head & 15) < 15) return <i32>(head & 15) + 1;
  return 16 + <i32>longNumber(head < 0xf0 ? at : longEnd(at));
}

/** Address of the bytes of the tail of `head`, which is coded at `at`. */
export function tailAddress(head: u32, at: usize): usize {
  if (head >= 0xf0) at = longEnd(at);
  return (head & 15) < 15 ? at : longEnd(at);
}

/** A number of one byte, or of two when the first is 255. */
function longNumber(at: usize): u32 {
  const byte: u32 = load<u8>(at);
  return byte < LONG ? byte : LONG + <u32>load<u8>(at, 1);
}

function longEnd(at: usize): usize {
  return at + 1 + <usize>(<u32>load<u8>(at) == LONG);
}

/** Writes such a number; returns the address after it. */
export function longWrite(at: usize, value: u32): usize {
  store<u8>(at, min(value, LONG));
  if (value < LONG) return at + 1;
  store<u8>(at, value - LONG, 1);
  return at + 2;
}

/** Copies in steps of 16 bytes: up to 15 bytes beyond `to + length` are overwritten. */
export function copyBytes(to: usize, from: usize, length: i32): void {
  for (let i = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Number of leading bytes, at most `most`, in which two strings agree. */
export function commonBytes(a: usize, b: usize, most: i32): i32 {
  for (let i = 0; i < most; i += 8) {
    const difference = load<u64>(a + i) ^ load<u64>(b + i);
    if (difference != 0) return min(most, i + <i32>(ctz(difference) >> 3));
  }
  return most;
}
