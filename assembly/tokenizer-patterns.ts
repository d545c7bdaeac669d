// The strings of the settings (separators, dictionary, stop words) as one byte trie, made by
// src/core/patterns.ts:
//
//   0     256 x u32   entry of the node after each first byte, 0: none
//   1024  u32         slots - 1, slots being a power of two
//   1032  slots x { u32 node << 8 | byte, u32 entry }     open addressing, linear probing, key 0: free
//
// entry = node number << 8 | PATTERN_* bits of the string that ends here. Default separators of one character
// are not in it: their kind is a property of the character, unless the trie says PATTERN_PLAIN.

/** Cuts the raw text. */
const PATTERN_CUTS: u32 = 1;
/** Is a separator after decomposition. */
export const PATTERN_SEPARATES: u32 = 2;
/** Is a hard separator. */
export const PATTERN_HARD: u32 = 4;
/** Not a separator, although it is one by default. */
export const PATTERN_PLAIN: u32 = 8;
export const PATTERN_STOP_WORD: u32 = 16;

const SLOTS_MASK: usize = 1024;
const SLOTS: usize = 1032;
const HASH_FACTOR: u32 = 0x9e3779b1;

/** Entry after the first byte of a string. */
export function patternFirst(patterns: usize, byte: u32): u32 {
  return load<u32>(patterns + <usize>(byte << 2));
}

/** Entry one byte further, 0 when no string continues like that. */
export function patternNext(patterns: usize, entry: u32, byte: u32): u32 {
  const key = (entry & 0xffffff00) | byte;
  const mask = load<u32>(patterns, SLOTS_MASK);
  const hash = key * HASH_FACTOR;
  let slot = (hash ^ (hash >> 15)) & mask;
  let found = load<u32>(patterns + <usize>(slot << 3), SLOTS);
  while (found != key) {
    if (found == 0) return 0;
    slot = (slot + 1) & mask;
    found = load<u32>(patterns + <usize>(slot << 3), SLOTS);
  }
  return load<u32>(patterns + <usize>(slot << 3), SLOTS + 4);
}

/** Entry of a whole text of at least one byte, 0 when it is none of the strings. */
export function patternEntry(patterns: usize, pointer: usize, end: usize): u32 {
  let entry = patternFirst(patterns, load<u8>(pointer));
  while (entry != 0 && ++pointer < end) entry = patternNext(patterns, entry, load<u8>(pointer));
  return entry;
}

/**
 * Bytes of the longest pattern at `pointer`, 0 when none begins there. `width` is the length of the character
 * at `pointer`; `separates` tells whether it is a separator by default.
 */
export function patternLength(patterns: usize, pointer: usize, end: usize, width: u32, separates: bool): u32 {
  let length: u32 = separates ? width : 0;
  let entry = patternFirst(patterns, load<u8>(pointer));
  let bytes: u32 = 1;
  while (entry != 0) {
    if (entry & PATTERN_PLAIN && bytes == width) length = 0;
    if (entry & PATTERN_CUTS) length = bytes;
    if (pointer + <usize>bytes == end) break;
    entry = patternNext(patterns, entry, load<u8>(pointer + <usize>bytes));
    bytes++;
  }
  return length;
}
