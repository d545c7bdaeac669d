// Finds the words of a dictionary within one or two typos of a query, by the rules of typo tolerance in
// searches. Called through src/core/dictionary.ts; the work is done in fuzzy-walk.ts.
//
// Distance is optimal string alignment on code points. For a prefix look-up a word is read letter by letter:
// as soon as the distance of the query to the part read is within the budget, and no shorter beginning of the
// query is nearer to that part, reading stops with that distance; otherwise the whole word counts. A change
// of the first letter costs two typos:
//
//   class 1: same first letter, distance 1        class 2: same first letter, distance 2 (budget 2)
//   class 3: another first letter, distance 1 when read with a budget of 1 (budget 2)
import { dictionaryCompare, dictionaryPrefix, dictionarySeek } from "./dictionary";
import { BLOCK_TERMS, DICTIONARY_WORD_BYTES_MAX, DictionaryHeader } from "./dictionary-format";
import { LETTER_PADDING, NO_LETTER } from "./fuzzy-automaton";
import { blockHas } from "./fuzzy-blocks";
import { letterAt, letterBytes, writeLetter } from "./fuzzy-letters";
import { planesHaveLetter } from "./fuzzy-planes";
import { FUZZY_WALK_BYTES, FuzzyWalk, walkPlanes, walkRange } from "./fuzzy-walk";

//   scratch   | walk | letters and padding | range: u32 from, u32 to | key: a letter, the query or its rest |
const LETTERS: usize = FUZZY_WALK_BYTES;
const RANGE: usize = LETTERS + ((<usize>DICTIONARY_WORD_BYTES_MAX + 2 * <usize>LETTER_PADDING + 2) << 2);
const KEY: usize = RANGE + 8;

/** Size of a look-up's scratch region. */
export const DICTIONARY_FUZZY_BYTES: i32 = <i32>KEY + 264;

const CLASS_SAME_FIRST: i32 = 1;
const CLASS_OTHER_FIRST: i32 = 3;
/** Letters below this are ASCII. */
const ASCII_END: u32 = 0x80;

/**
 * Writes the words near `query` in ascending order, from ordinal `from` on, as pairs of u32 ordinal and u32
 * class to `out`, at most `most` pairs, and returns how many. `planes` are those of the dictionary
 * (fuzzy-planes.ts), or 0: then it takes longer. `budget` is 1 or 2; `prefix` is 0 or 1; `scratch` has
 * DICTIONARY_FUZZY_BYTES, aligned to 16. If it returns `most` there may be more: ask again from the last
 * ordinal + 1. The query itself (or, for a prefix, everything that begins with it) and pseudo-terms are never
 * reported. An empty query, or one of more than 250 bytes, has no such words.
 */
export function dictionaryFuzzy(
  dictionary: usize,
  planes: usize,
  query: usize,
  length: i32,
  budget: i32,
  prefix: i32,
  from: i32,
  scratch: usize,
  out: usize,
  most: i32,
): i32 {
  if (length <= 0 || length > DICTIONARY_WORD_BYTES_MAX || budget <= 0 || most <= 0) return 0;
  const walk = changetype<FuzzyWalk>(scratch);
  walk.dictionary = dictionary;
  walk.planes = planes;
  walk.letters = scratch + LETTERS + ((<usize>LETTER_PADDING) << 2);
  walk.count = decode(query, length, walk.letters);
  walk.prefix = prefix;
  walk.out = out;
  walk.outEnd = out + ((<usize>most) << 3);
  const first = load<u32>(walk.letters);
  if (budget == 2) walkOthers(walk, query, length, 1, first, from);
  walk.budget = budget;
  walk.classOfOne = CLASS_SAME_FIRST;
  const start = beginningWith(walk, first);
  const end = beginningWith(walk, first + 1);
  if (first < ASCII_END) walkPlanes(walk, start, max(from, start), end);
  else walkRange(walk, max(from, start), end);
  if (budget == 2) walkOthers(walk, query, length, first + 1, NO_LETTER, from);
  return <i32>((walk.out - out) >> 3);
}

/** Class 3 among the words that begin with a letter from `low` up to `high`. */
function walkOthers(walk: FuzzyWalk, query: usize, length: i32, low: u32, high: u32, from: i32): void {
  walk.budget = 1;
  walk.classOfOne = CLASS_OTHER_FIRST;
  for (let letter = low; letter < min(high, ASCII_END) && walk.out < walk.outEnd; letter++)
    if (walk.planes == 0 || planesHaveLetter(walk.planes, letter))
      walkLetter(walk, query, length, letter, from);
  if (high <= ASCII_END) return;
  const start = max(from, beginningWith(walk, max(low, ASCII_END)));
  walkScripts(walk, start, beginningWith(walk, high));
}

/**
 * Class 3 among the words that begin with an ASCII letter. That letter, in place of the first letter of the
 * query or in front of it, already is a typo, so the rest of the word must equal the rest of the query:
 * looking that up is faster than a walk.
 */
function walkLetter(walk: FuzzyWalk, query: usize, length: i32, letter: u32, from: i32): void {
  const key = changetype<usize>(walk) + KEY;
  const first = letterBytes(load<u32>(walk.letters));
  store<u8>(key, letter);
  // It is the second letter of the query: the first one may be missing, or follow it.
  if (letter == load<u32>(walk.letters, 4)) {
    walkKey(walk, 1, from);
    return;
  }
  const isBefore = dictionaryCompare(query + first, length - first, query, length) < 0;
  for (let i = 0; i < 2; i++) {
    const skipped = isBefore == (i == 0) ? first : 0;
    memory.copy(key + 1, query + skipped, length - skipped);
    from = walkKey(walk, 1 + length - skipped, from);
  }
}

/** Reports words that begin with the key, from ordinal `from` on. Returns where the next ones may begin. */
function walkKey(walk: FuzzyWalk, length: i32, from: i32): i32 {
  const range = changetype<usize>(walk) + RANGE;
  dictionaryPrefix(walk.dictionary, range + 8, length, range);
  const end = load<i32>(range, 4);
  walkRange(walk, max(from, load<i32>(range)), end);
  return max(from, end);
}

/**
 * Class 3 among words from `start` up to `end` that begin with letters beyond ASCII. After its first letter
 * such a word must contain the second letter of the query. So if that is an ASCII letter, most blocks need no
 * walk, since they do not contain it.
 */
function walkScripts(walk: FuzzyWalk, start: i32, end: i32): void {
  const second = load<u32>(walk.letters, 4);
  if (walk.count < 2 || second >= ASCII_END) {
    walkRange(walk, start, end);
    return;
  }
  let at = start;
  while (at < end && walk.out < walk.outEnd) {
    const from = at;
    while (at < end && blockHas(walk.dictionary, at / BLOCK_TERMS, <i8>second)) at = behindBlock(at, end);
    if (at > from) walkRange(walk, from, at);
    else at = behindBlock(at, end);
  }
}

/** Ordinal of the first word that begins with this letter or a later one. */
function beginningWith(walk: FuzzyWalk, letter: u32): i32 {
  const key = changetype<usize>(walk) + KEY;
  const ordinal = dictionarySeek(walk.dictionary, key, writeLetter(key, letter));
  return max(ordinal, changetype<DictionaryHeader>(walk.dictionary).pseudo);
}

/** Ordinal of the first word after the block of `ordinal`, at most `end`. */
function behindBlock(ordinal: i32, end: i32): i32 {
  return min((ordinal / BLOCK_TERMS + 1) * BLOCK_TERMS, end);
}

/** Writes the code points of a query with padding on both sides, and returns their number. */
function decode(query: usize, length: i32, letters: usize): i32 {
  const padding = (<usize>LETTER_PADDING) << 2;
  memory.fill(letters - padding, 0xff, padding);
  const end = query + length;
  let at = letters;
  for (; query < end; at += 4) {
    const letter = letterAt(query);
    store<u32>(at, letter);
    query += letterBytes(letter);
  }
  memory.fill(at, 0xff, padding);
  return <i32>((at - letters) >> 2);
}
