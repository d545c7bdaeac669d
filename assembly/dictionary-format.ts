// Byte layout of the term dictionary of a segment, and the few steps that all its readers share. Terms are
// UTF-8 of 1 to 250 bytes in ascending byte order; the value of a term is its ordinal. A pointer to the
// section is all a reader needs.
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
//             15 in either half: the number less 15 stands as a byte before the tail, that of `shared` first
//
// Front coding after Witten, Moffat, Bell, "Managing Gigabytes", 4.1. Heads lie together so that a search
// walks over a block without touching the tails of terms that cannot match.

export const DICTIONARY_TERM_BYTES_MAX: i32 = 250;
/** Room that must lie behind a pointer where a term is put together: tails are copied 16 bytes at a time. */
export const DICTIONARY_TERM_ROOM_BYTES: i32 = 272;
/** Room for the worst that damaged heads can spell: 15 + 255 shared bytes and a tail of 16 + 255. */
export const DAMAGED_TERM_ROOM_BYTES: i32 = 576;

export const BLOCK_TERMS: i32 = 32;
export const BLOCK_FIRST: i32 = 32;
export const HEADER_BYTES: i32 = 32;

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

/** Address of the first tail of a block. */
export function blockTails(block: usize): usize {
  return block + BLOCK_FIRST + load<u8>(block);
}

/** Bytes that the term of `head` shares with the term before it; its tail is coded at `at`. */
export function sharedBytes(head: u32, at: usize): i32 {
  return head < 0xf0 ? <i32>(head >> 4) : 15 + <i32>load<u8>(at);
}

/** Length of the tail of `head`. */
export function tailBytes(head: u32, at: usize): i32 {
  return (head & 15) < 15 ? <i32>(head & 15) + 1 : 16 + <i32>load<u8>(at + <usize>(head >= 0xf0));
}

/** Address of the bytes of the tail of `head`, which is coded at `at`. */
export function tailAddress(head: u32, at: usize): usize {
  return at + <usize>(head >= 0xf0) + <usize>((head & 15) == 15);
}

/** Copies in steps of 16 bytes: up to 15 bytes behind `to + length` are overwritten. */
export function copyBytes(to: usize, from: usize, length: i32): void {
  for (let i = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** How many of the first `most` bytes of two strings are the same. */
export function commonBytes(a: usize, b: usize, most: i32): i32 {
  for (let i = 0; i < most; i += 8) {
    const difference = load<u64>(a + i) ^ load<u64>(b + i);
    if (difference != 0) return min(most, i + <i32>(ctz(difference) >> 3));
  }
  return most;
}
