// The automaton that reads words letter by letter and knows their optimal string alignment distance
// (insertion, deletion, substitution, swap of neighbours) to the beginnings of a query, as far as it is at
// most 2. fuzzy-walk.ts runs it.
//
// After j letters of a word, only the first j - 2 to j + 2 letters of the query can be within distance 2. So
// five bits describe one distance completely, whatever the length of the query:
//
//   bit     4      3      2      1      0         bit b of row d is set when the first i = j - 2 + b letters
//   i      j+2    j+1     j     j-1    j-2        of the query are at distance d or less
//
//   63     48 47         40 39          32 31     24 23    16 15     8 7      0
//   | j      | pending 1   | pending 0    | 0       | row 2  | row 1  | row 0  |      state: u64
//
// A pending bit of row d stands for a swap half read: the last letter was the second of two neighbours of the
// query. Bits beyond the end of the query (i > n) may be set; they never come back below it and are masked
// when asked for. Bit-parallel simulation after Wu, Manber, "Fast text searching allowing errors" (1992), and
// Hyyro, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances" (2003), kept to the
// five diagonals that matter.

/** Nothing read yet: row d contains the first 0 to d letters. */
export const FUZZY_START: u64 = 0x1c0c04;

/** Letters of padding that never match, before and after the code points of a query. */
export const LETTER_PADDING: i32 = 8;
/** The padding: above every code point. */
export const NO_LETTER: u32 = 0xffffffff;

const ROWS: u32 = 0x1f1f1f;
const EACH_ROW: u32 = 0x010101;

/** Letters read so far. */
function stateDepth(state: u64): i32 {
  return <i32>(state >> 48);
}

/**
 * The state after one more letter. `letters` is the address of the u32 code points of the query, padded on
 * both sides.
 */
export function stateAfter(state: u64, letters: usize, letter: u32): u64 {
  const window = letters + ((<usize>stateDepth(state)) << 2);
  const sample = i32x4.splat(letter);
  const low = i32x4.bitmask(i32x4.eq(v128.load(window - 8), sample));
  const high = i32x4.bitmask(i32x4.eq(v128.load(window + 8), sample));
  const same = ((<u32>low | (<u32>high << 4)) & 31) * EACH_ROW;
  const rows = <u32>state & ROWS;
  const pending = <u32>(state >> 32) & 0xffff;
  // The letter agrees; or it stands where the query has none, or another one; or it ends a swap.
  let next = (rows & same) | (rows << 7) | (rows << 8) | ((pending & same) << 9);
  next |= next << 9; // The query has one letter more, once ...
  next |= next << 9; // ... or twice.
  const swap = ((rows & (same >> 1)) >> 1) & 0x0702;
  return (<u64>(next & ROWS)) | ((<u64>swap) << 32) | (((state >> 48) + 1) << 48);
}

/** Not 0 while some beginning of the query of `n` letters is at distance `budget` or less. */
export function stateAlive(state: u64, n: i32, budget: i32): u32 {
  const over = stateDepth(state) + 2 - n;
  return ((<u32>state >> (budget << 3)) & 31) & (over <= 0 ? 31 : over >= 5 ? 0 : 31 >> over);
}

/** Distance of the whole query to what was read, or 3 when it is above 2. */
export function stateDistance(state: u64, n: i32): i32 {
  const bit = n - stateDepth(state) + 2;
  if (<u32>bit > 4) return 3;
  const rows = <u32>state >> bit;
  if (rows & 1) return 0;
  if (rows & 0x100) return 1;
  return rows & 0x10000 ? 2 : 3;
}

/**
 * Least letter above `letter` that can follow when all `budget` typos are used up (no lower distance is
 * alive): one that comes next in the query, or that ends a swap. NO_LETTER when there is none.
 */
export function nextLetter(state: u64, letters: usize, budget: i32, letter: u32): u32 {
  const window = letters + ((<usize>stateDepth(state)) << 2);
  const pending = <u32>(state >> 32) >> ((budget - 1) << 3);
  const places = i32x4.splat(((<u32>state >> (budget << 3)) | pending) & 31);
  const sample = i32x4.splat(letter);
  const low = lettersAbove(v128.load(window - 8), sample, v128.and(places, i32x4(1, 2, 4, 8)));
  const high = lettersAbove(v128.load(window + 8), sample, v128.and(places, i32x4(16, 0, 0, 0)));
  let least = i32x4.min_u(low, high);
  least = i32x4.min_u(least, v128.shuffle<i64>(least, least, 1, 0));
  return min(<u32>i32x4.extract_lane(least, 0), <u32>i32x4.extract_lane(least, 1));
}

/** The letters above a sample whose lane of `chosen` is not zero; NO_LETTER in all other lanes. */
function lettersAbove(letters: v128, sample: v128, chosen: v128): v128 {
  const left = v128.and(i32x4.gt_u(letters, sample), i32x4.ne(chosen, i32x4.splat(0)));
  return v128.or(letters, v128.not(left));
}
