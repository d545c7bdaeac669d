// The beginnings of all terms of a dictionary side by side, so that fuzzy-walk.ts sees at once which of 16
// terms may be near a query. They are made in memory when a segment is asked for near words
// (src/segment/wordplanes.ts), at a few nanoseconds per term, and are not part of its file.
//
//   0         16         16 + stride
//   | letters | plane 1  | plane 2 | ... | plane 7 |
//   letters   a bit for each ASCII letter that a term begins with
//   plane k   byte k of each term, 0 where it has ended; `stride` bytes. Byte 0 is not kept: look-ups compare
//             terms that begin alike. No word holds a byte 00; pseudo-terms, which do, are never near.
import {
  dictionaryCursorLength,
  dictionaryCursorNext,
  dictionaryCursorStart,
  dictionaryCursorTerm,
} from "./dictionary-cursor";
import { BLOCK_TERMS, DictionaryHeader } from "./dictionary-format";

/** Bytes of a term that the planes cover, the first one included. */
export const BEGINNING_BYTES: i32 = 8;
const PLANES: usize = 16;

/** Size of the planes of a dictionary. */
export function dictionaryPlanesBytes(dictionary: usize): usize {
  return PLANES + strideOf(dictionary) * (BEGINNING_BYTES - 1);
}

/** Writes the planes of a dictionary to a place aligned to 16. `cursor` has DICTIONARY_CURSOR_BYTES. */
export function dictionaryPlanes(dictionary: usize, planes: usize, cursor: usize): void {
  const stride = strideOf(dictionary);
  const term = dictionaryCursorTerm(cursor);
  v128.store(planes, i64x2.splat(0));
  let out = planes + PLANES;
  let more = dictionaryCursorStart(cursor, dictionary, 0);
  for (; more; more = dictionaryCursorNext(cursor), out++) {
    const beginning = firstOf(load<u64>(term), dictionaryCursorLength(cursor));
    noteLetter(planes, <u32>beginning & 0xff);
    let plane = out;
    for (let shift: u64 = 8; shift < 64; shift += 8, plane += stride)
      store<u8>(plane, <u32>(beginning >> shift));
  }
}

/** Does a term begin with this ASCII letter? */
export function planesHaveLetter(planes: usize, letter: u32): bool {
  return ((<u32>load<u8>(planes + (letter >> 3)) >> (letter & 7)) & 1) != 0;
}

/** Bytes 1 to 7 of a term, each at its own place in a u64; byte 0 is 0. */
export function planesBeginning(dictionary: usize, planes: usize, ordinal: i32): u64 {
  const stride = strideOf(dictionary);
  let at = planes + PLANES + ordinal;
  let beginning: u64 = 0;
  for (let shift: u64 = 8; shift < 64; shift += 8, at += stride) beginning |= (<u64>load<u8>(at)) << shift;
  return beginning;
}

/**
 * For terms of a block that begin with the query's first letter, which must be ASCII: which of them may be
 * near the query, as a bit for each slot. Terms with further letters of more than one byte always may be.
 * `state` is the state of the automaton (fuzzy-automaton.ts) after the first letter, `letters` its padded
 * code points, of which only the lowest byte counts here; `read` letters of each term are read, 3 to 8, and
 * shorter terms are out of reach.
 */
export function planesNear(
  dictionary: usize,
  planes: usize,
  number: i32,
  letters: usize,
  state: u64,
  budget: i32,
  read: i32,
): u32 {
  const stride = strideOf(dictionary);
  const at = planes + PLANES + number * BLOCK_TERMS;
  const low = nearSixteen(at, stride, letters, state, budget, read);
  return <u32>low | (<u32>nearSixteen(at + 16, stride, letters, state, budget, read) << 16);
}

/** Runs the automaton on 16 terms at once; the names are those of `stateAfter`. */
function nearSixteen(at: usize, stride: usize, letters: usize, state: u64, budget: i32, read: i32): i32 {
  let row0 = i8x16.splat(<i8>state);
  let row1 = i8x16.splat(<i8>(state >> 8));
  let row2 = i8x16.splat(<i8>(state >> 16));
  let pending0 = i8x16.splat(<i8>(state >> 32));
  let pending1 = i8x16.splat(<i8>(state >> 40));
  let bytes = i8x16.splat(0);
  let others = bytes;
  let alive = bytes;
  for (let depth = 1; depth < read; depth++, at += stride) {
    bytes = v128.load(at);
    others = v128.or(others, bytes);
    const window = letters + ((<usize>depth) << 2);
    let same = i8x16.neg(i8x16.eq(bytes, v128.load8_splat(window + 8)));
    same = i8x16.sub(double(same), i8x16.eq(bytes, v128.load8_splat(window + 4)));
    same = i8x16.sub(double(same), i8x16.eq(bytes, v128.load8_splat(window)));
    same = i8x16.sub(double(same), i8x16.eq(bytes, v128.load8_splat(window - 4)));
    same = i8x16.sub(double(same), i8x16.eq(bytes, v128.load8_splat(window - 8)));
    const swap = i8x16.shr_u(same, 1);
    const after1 = v128.or(v128.and(row1, same), widened(row0, v128.and(pending0, same)));
    const after2 = v128.or(v128.and(row2, same), widened(row1, v128.and(pending1, same)));
    pending0 = v128.and(i8x16.shr_u(v128.and(row0, swap), 1), i8x16.splat(2));
    pending1 = v128.and(i8x16.shr_u(v128.and(row1, swap), 1), i8x16.splat(7));
    const five = i8x16.splat(31);
    row0 = v128.and(row0, same);
    row1 = v128.and(v128.or(after1, double(row0)), five);
    row2 = v128.and(v128.or(after2, double(row1)), five);
    alive = budget == 1 ? row1 : row2;
    if (!v128.any_true(alive) && i8x16.bitmask(others) == 0) return 0;
  }
  const zero = i8x16.splat(0);
  const ends = v128.or(i8x16.eq(alive, zero), i8x16.eq(bytes, zero));
  return i8x16.bitmask(v128.or(v128.not(ends), others));
}

/** One typo more: the letter stands where the query has none, or another one, or it ends a swap. */
function widened(row: v128, swapped: v128): v128 {
  return v128.or(v128.or(row, i8x16.shr_u(row, 1)), double(swapped));
}

function double(bytes: v128): v128 {
  return i8x16.add(bytes, bytes);
}

function strideOf(dictionary: usize): usize {
  return <usize>changetype<DictionaryHeader>(dictionary).blocks * BLOCK_TERMS;
}

/** The first `count` bytes of eight, the others 0. */
function firstOf(eight: u64, count: i32): u64 {
  return count < BEGINNING_BYTES ? eight & ((<u64>1 << ((<u64>count) << 3)) - 1) : eight;
}

function noteLetter(planes: usize, letter: u32): void {
  if (letter >= 0x80) return;
  const at = planes + (letter >> 3);
  store<u8>(at, <u32>load<u8>(at) | (1 << (letter & 7)));
}
