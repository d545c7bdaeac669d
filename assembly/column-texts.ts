// Examines the keys in the dictionary of a column: which ones contain a part (filters), are not plain ASCII
// (facet search: plain texts are their own search key), or also occur in another column (distinct). Called by
// src/engine: filter/evaluate.ts, facets/searchkeys.ts, search/distinct.ts.
import {
  dictionaryCursorLength,
  dictionaryCursorNext,
  dictionaryCursorStart,
  dictionaryCursorTerm,
} from "./dictionary-cursor";
import { dictionaryCompare } from "./dictionary";
import { textHolds } from "./text-search";

const PLAIN_FIRST: u32 = 0x20;
const PLAIN_LEN: u32 = 0x5f;

/**
 * Sets the bits of the codes in [from, to) whose keys, after their kind, contain a part; bits already set
 * stay. The bytes that textHolds reads beyond a key are within the cursor, which has room for more than any
 * key.
 */
export function columnContaining(
  dictionary: usize,
  from: i32,
  to: i32,
  cursor: usize,
  part: usize,
  length: i32,
  set: usize,
): void {
  const key = dictionaryCursorTerm(cursor);
  let isThere = dictionaryCursorStart(cursor, dictionary, from);
  for (let code = from; code < to && isThere; code++) {
    if (textHolds(key + 1, dictionaryCursorLength(cursor) - 1, part, length)) {
      const byte = set + <usize>(code >> 3);
      store<u8>(byte, <u32>load<u8>(byte) | (1 << (code & 7)));
    }
    isThere = dictionaryCursorNext(cursor);
  }
}

/**
 * Sets, in a bitmap of codes, those whose keys have a code that is set in the bitmap of another column. Only
 * codes below `values` of each column are looked at.
 */
export function columnShare(
  dictionary: usize,
  cursor: usize,
  set: usize,
  values: i32,
  otherDictionary: usize,
  otherCursor: usize,
  otherSet: usize,
  otherValues: i32,
): void {
  const key = dictionaryCursorTerm(cursor);
  const otherKey = dictionaryCursorTerm(otherCursor);
  let code = 0;
  let other = 0;
  dictionaryCursorStart(cursor, dictionary, 0);
  dictionaryCursorStart(otherCursor, otherDictionary, 0);
  while (code < values && other < otherValues) {
    const order = dictionaryCompare(
      key,
      dictionaryCursorLength(cursor),
      otherKey,
      dictionaryCursorLength(otherCursor),
    );
    if (order == 0 && (<u32>load<u8>(set + <usize>(code >> 3)) >> (code & 7)) & 1) {
      const byte = otherSet + <usize>(other >> 3);
      store<u8>(byte, <u32>load<u8>(byte) | (1 << (other & 7)));
    }
    if (order <= 0) {
      code++;
      dictionaryCursorNext(cursor);
    }
    if (order >= 0) {
      other++;
      dictionaryCursorNext(otherCursor);
    }
  }
}

/**
 * Writes to `out` as u32, ascending, the codes in [from, to) whose keys contain, after their kind, bytes
 * other than visible ASCII and spaces; at most `most`, returns how many.
 */
export function columnForeign(
  dictionary: usize,
  from: i32,
  to: i32,
  cursor: usize,
  out: usize,
  most: i32,
): i32 {
  const key = dictionaryCursorTerm(cursor);
  let found = 0;
  let isThere = dictionaryCursorStart(cursor, dictionary, from);
  for (let code = from; code < to && isThere && found < most; code++) {
    if (!isPlain(key + 1, key + <usize>dictionaryCursorLength(cursor))) {
      store<u32>(out + (<usize>found << 2), code);
      found++;
    }
    isThere = dictionaryCursorNext(cursor);
  }
  return found;
}

function isPlain(at: usize, end: usize): bool {
  for (; at < end; at++) if (<u32>load<u8>(at) - PLAIN_FIRST >= PLAIN_LEN) return false;
  return true;
}
