// Exact and prefix look-ups in the term dictionary of a segment (layout: dictionary-format.ts; approximate
// ones: fuzzy.ts). Everything starts from a pointer to the section's bytes, aligned to 16, with 64 readable
// bytes after the section. Searches call these through src/core/dictionary.ts.
import {
  BLOCK_FIRST,
  BLOCK_TERMS,
  blockAddress,
  blockTails,
  blockTerms,
  commonBytes,
  copyBytes,
  DICTIONARY_CUT_BYTES,
  DICTIONARY_TERM_BYTES_MAX,
  DictionaryHeader,
  firstBytes,
  firstTerm,
  HEADER_BYTES,
  sharedBytes,
  tailAddress,
  tailBytes,
} from "./dictionary-format";

/** Number of terms, pseudo-terms included. */
export function dictionaryCount(dictionary: usize): i32 {
  return changetype<DictionaryHeader>(dictionary).terms;
}

/** Bytes of the whole section. */
export function dictionaryBytes(dictionary: usize): u32 {
  return changetype<DictionaryHeader>(dictionary).bytes;
}

/** Ordinal of a term, or -1. Pseudo-terms are found too. */
export function dictionaryFind(dictionary: usize, term: usize, length: i32): i32 {
  const ordinal = lowerBound(dictionary, term, length);
  return foundBytes == length ? ordinal : -1;
}

/** Ordinal of the first term that is not less than `key`, or the number of terms. */
export function dictionarySeek(dictionary: usize, key: usize, length: i32): i32 {
  return lowerBound(dictionary, key, length);
}

/**
 * Ordinals of the terms that begin with `prefix`: writes u32 from and u32 to (exclusive) to `out`.
 * Pseudo-terms are left out unless the prefix itself begins with byte 00; the empty prefix stands for all
 * other terms.
 */
export function dictionaryPrefix(dictionary: usize, prefix: usize, length: i32, out: usize): void {
  const header = changetype<DictionaryHeader>(dictionary);
  const from = length > 0 ? lowerBound(dictionary, prefix, length) : header.pseudo;
  store<u32>(out, from);
  let to = header.terms;
  if (length > 0) to = foundBytes < 0 ? from : upperBound(dictionary, prefix, length);
  store<u32>(out, to, 4);
}

/**
 * The places between two letters where a text (UTF-8) can be cut into two terms: for each of them, at most
 * `most`, writes to `out` the u32 bytes of the left term, its ordinal and the ordinal of the right term.
 * Returns how many.
 */
export function dictionaryCuts(dictionary: usize, text: usize, length: i32, out: usize, most: i32): i32 {
  let found = 0;
  for (let bytes = 1; bytes < length && found < most; bytes++) {
    if ((<u32>load<u8>(text + bytes) & 0xc0) == 0x80) continue;
    const left = lowerBound(dictionary, text, bytes);
    // No term begins with this part of the text, so none begins with a longer one.
    if (foundBytes < 0) break;
    if (foundBytes != bytes) continue;
    const rest = length - bytes;
    const right = lowerBound(dictionary, text + bytes, rest);
    if (foundBytes != rest) continue;
    const cut = out + DICTIONARY_CUT_BYTES * <usize>(found++);
    store<u32>(cut, bytes);
    store<i32>(cut, left, 4);
    store<i32>(cut, right, 8);
  }
  return found;
}

/**
 * Copies a term to `out`, where DICTIONARY_TERM_ROOM_BYTES must be free, and returns its length in
 * bytes, or 0 when there is no such ordinal.
 */
export function dictionaryTerm(dictionary: usize, ordinal: i32, out: usize): i32 {
  if (ordinal < 0 || ordinal >= dictionaryCount(dictionary)) return 0;
  const block = blockAddress(dictionary, ordinal / BLOCK_TERMS);
  const slot = ordinal % BLOCK_TERMS;
  let length = firstBytes(block);
  let at = blockTails(block);
  copyBytes(out, firstTerm(block), length);
  for (let i = 1; i <= slot; i++) {
    const head: u32 = load<u8>(block + i);
    const shared = sharedBytes(head, at);
    const bytes = tailBytes(head, at);
    at = tailAddress(head, at);
    if (shared + bytes > DICTIONARY_TERM_BYTES_MAX) return 0;
    copyBytes(out + shared, at, bytes);
    at += bytes;
    length = shared + bytes;
  }
  return length;
}

/** Order of two terms by their bytes: negative, 0 or positive. */
export function dictionaryCompare(a: usize, aLength: i32, b: usize, bLength: i32): i32 {
  const shared = commonBytes(a, b, min(aLength, bLength));
  if (shared == aLength || shared == bLength) return aLength - bLength;
  return <i32>load<u8>(a + shared) - <i32>load<u8>(b + shared);
}

/**
 * Walks over the structure of a section of `bytes` bytes and returns 1 when every block is where it should be
 * and every term is short enough, so that no look-up reads outside of the section; 0 otherwise. One pass,
 * about 1 ns per term.
 */
export function dictionaryCheck(dictionary: usize, bytes: u32): i32 {
  const header = changetype<DictionaryHeader>(dictionary);
  if (bytes < <u32>HEADER_BYTES || header.bytes != bytes || header.terms < 0) return 0;
  if (header.blocks != <i32>((<i64>header.terms + BLOCK_TERMS - 1) / BLOCK_TERMS)) return 0;
  if (header.pseudo < 0 || header.pseudo > header.terms) return 0;
  if (<u64>header.index + ((<u64>header.blocks) << 2) != <u64>bytes) return 0;
  let place: usize = HEADER_BYTES;
  for (let block = 0; block < header.blocks; block++) {
    const address = blockAddress(dictionary, block);
    if (address != dictionary + place || place + BLOCK_FIRST > header.index) return 0;
    place = blockEnd(address, blockTerms(dictionary, block), dictionary + header.index) - dictionary;
    if (place > header.index) return 0;
  }
  return i32(header.index - <u32>place < 4);
}

/** Address after a block, or one above `end` when the block is damaged. */
function blockEnd(block: usize, terms: i32, end: usize): usize {
  let length = firstBytes(block);
  if (length == 0 || length > DICTIONARY_TERM_BYTES_MAX) return end + 1;
  let at = blockTails(block);
  for (let i = 1; i < terms && at <= end; i++) {
    const head: u32 = load<u8>(block + i);
    const shared = sharedBytes(head, at);
    const bytes = tailBytes(head, at);
    if (shared > length || shared + bytes > DICTIONARY_TERM_BYTES_MAX) return end + 1;
    at = tailAddress(head, at) + bytes;
    length = shared + bytes;
  }
  return at;
}

/** Set by `lowerBound`: length of the term found if that begins with the key, else -1. */
let foundBytes: i32 = -1;

/** Ordinal of the first term that is not less than `key`, or the number of terms. */
function lowerBound(dictionary: usize, key: usize, length: i32): i32 {
  foundBytes = -1;
  const next = firstBlock(dictionary, key, length, -1);
  const ordinal = next == 0 ? 0 : lowerBoundInBlock(dictionary, next - 1, key, length);
  if (next == changetype<DictionaryHeader>(dictionary).blocks || ordinal < next * BLOCK_TERMS) return ordinal;
  const block = blockAddress(dictionary, next);
  const bytes = firstBytes(block);
  if (bytes >= length && commonBytes(firstTerm(block), key, length) == length) foundBytes = bytes;
  return ordinal;
}

/**
 * Ordinal of the first term that is greater than `key` and does not begin with it, or the number of terms.
 */
function upperBound(dictionary: usize, key: usize, length: i32): i32 {
  const next = firstBlock(dictionary, key, length, 0);
  return next == 0 ? 0 : upperBoundInBlock(dictionary, next - 1, key, length);
}

/**
 * First block whose first term relates to the key with more than `relation` (see `relate`), or the number of
 * blocks.
 */
function firstBlock(dictionary: usize, key: usize, length: i32, relation: i32): i32 {
  let low = 0;
  let high = changetype<DictionaryHeader>(dictionary).blocks;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const block = blockAddress(dictionary, middle);
    if (relate(firstTerm(block), firstBytes(block), key, length) > relation) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** -1 when the term is less than the key, 0 when it equals or begins with it, 1 when it is greater. */
function relate(term: usize, bytes: i32, key: usize, length: i32): i32 {
  const shared = commonBytes(term, key, min(bytes, length));
  if (shared == length) return 0;
  if (shared == bytes) return -1;
  return load<u8>(term + shared) < load<u8>(key + shared) ? -1 : 1;
}

/**
 * First term not less than the key in a block whose first term is less. As long as `matched` bytes of the key
 * agree with the last term seen: a term that shares more with that one is less than the key, too, and a term
 * that shares fewer is greater.
 */
function lowerBoundInBlock(dictionary: usize, number: i32, key: usize, length: i32): i32 {
  const block = blockAddress(dictionary, number);
  const terms = blockTerms(dictionary, number);
  let matched = commonBytes(firstTerm(block), key, min(firstBytes(block), length));
  let at = blockTails(block);
  let slot = 1;
  for (; slot < terms; slot++) {
    const head: u32 = load<u8>(block + slot);
    const shared = sharedBytes(head, at);
    const bytes = tailBytes(head, at);
    at = tailAddress(head, at);
    if (shared < matched) break;
    if (shared == matched) {
      const more = commonBytes(at, key + shared, min(bytes, length - shared));
      matched += more;
      if (matched == length) {
        foundBytes = shared + bytes;
        break;
      }
      if (more < bytes && load<u8>(at + more) > load<u8>(key + matched)) break;
    }
    at += bytes;
  }
  return number * BLOCK_TERMS + slot;
}

/**
 * First term after those that begin with the key, in a block whose first term is less than the key or begins
 * with it.
 */
function upperBoundInBlock(dictionary: usize, number: i32, key: usize, length: i32): i32 {
  const block = blockAddress(dictionary, number);
  const terms = blockTerms(dictionary, number);
  let matched = commonBytes(firstTerm(block), key, min(firstBytes(block), length));
  let at = blockTails(block);
  let slot = 1;
  for (; slot < terms; slot++) {
    const head: u32 = load<u8>(block + slot);
    const shared = sharedBytes(head, at);
    const bytes = tailBytes(head, at);
    at = tailAddress(head, at);
    if (shared < matched) break;
    if (shared == matched && matched < length) {
      const more = commonBytes(at, key + shared, min(bytes, length - shared));
      matched += more;
      if (matched < length && more < bytes && load<u8>(at + more) > load<u8>(key + matched)) break;
    }
    at += bytes;
  }
  return number * BLOCK_TERMS + slot;
}
