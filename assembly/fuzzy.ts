// Words of a dictionary within one or two typos of a query, by the rules that the typo tolerance of searches
// asks for. Called by the planner through src/core/dictionary.ts; the work is done in fuzzy-walk.ts.
//
// Distance is optimal string alignment on code points. For a prefix look-up a word is read letter by letter:
// as soon as the distance of the query to what was read is within the budget, and no shorter beginning of the
// query is nearer to it, reading stops with that distance; otherwise the whole word counts. A change of the
// first letter costs two typos:
//
//   class 1: same first letter, distance 1        class 2: same first letter, distance 2 (budget 2)
//   class 3: another first letter, distance 1 when read with a budget of 1 (budget 2)
import { dictionaryPrefix, dictionarySeek } from "./dictionary";
import { BLOCK_TERMS, DICTIONARY_WORD_BYTES_MAX, DictionaryHeader } from "./dictionary-format";
import { LETTER_PADDING } from "./fuzzy-automaton";
import { blockHas } from "./fuzzy-blocks";
import { letterAt, letterBytes } from "./fuzzy-letters";
import { FUZZY_WALK_BYTES, FuzzyWalk, walkRange } from "./fuzzy-walk";

const LETTERS: usize = FUZZY_WALK_BYTES;

/** Size of the scratch region of a look-up: the walk, then the letters of the query with their padding. */
export const DICTIONARY_FUZZY_BYTES: i32 =
  <i32>FUZZY_WALK_BYTES + ((DICTIONARY_WORD_BYTES_MAX + 2 * LETTER_PADDING + 2) << 2);

/** No word that begins with ASCII comes behind this. */
const BEHIND_ASCII: usize = memory.data<u8>([0x80]);

const CLASS_SAME_FIRST: i32 = 1;
const CLASS_OTHER_FIRST: i32 = 3;

/**
 * Writes the words near `query` in ascending order, from ordinal `from` on, as pairs of u32 ordinal and u32
 * class at `out`, `most` pairs at most, and returns how many. `budget` is 1 or 2; `prefix` is 0 or 1;
 * `scratch` has DICTIONARY_FUZZY_BYTES, aligned to 16. When `most` came back there may be more: ask again
 * from the last ordinal + 1. The query itself (or, for a prefix, what begins with it) and pseudo-terms never
 * come. A query of no or more than 250 bytes has no such words.
 */
export function dictionaryFuzzy(
  dictionary: usize,
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
  dictionaryPrefix(dictionary, query, letterBytes(letterAt(query)), scratch);
  const header = changetype<DictionaryHeader>(dictionary);
  const sameStart = max(<i32>load<u32>(scratch), header.pseudo);
  const sameEnd = max(<i32>load<u32>(scratch, 4), header.pseudo);
  walk.dictionary = dictionary;
  walk.letters = scratch + LETTERS + ((<usize>LETTER_PADDING) << 2);
  walk.count = decode(query, length, walk.letters);
  walk.prefix = prefix;
  walk.out = out;
  walk.outEnd = out + ((<usize>most) << 3);
  if (budget == 1) {
    walkClass(walk, 1, CLASS_SAME_FIRST, max(from, sameStart), sameEnd);
  } else {
    walkClass(walk, 1, CLASS_OTHER_FIRST, max(from, header.pseudo), sameStart);
    walkClass(walk, 2, CLASS_SAME_FIRST, max(from, sameStart), sameEnd);
    walkOtherBehind(walk, max(from, sameEnd));
  }
  return <i32>((walk.out - out) >> 3);
}

function walkClass(walk: FuzzyWalk, budget: i32, classOfOne: i32, start: i32, end: i32): void {
  walk.budget = budget;
  walk.classOfOne = classOfOne;
  walkRange(walk, start, end);
}

/**
 * Class 3 from ordinal `from` on. Behind its first letter such a word holds the second letter of the query,
 * unless it begins with that. So where words of other scripts stand, thousands of first letters with few
 * words each, most blocks need no walk: they do not have the letter.
 */
function walkOtherBehind(walk: FuzzyWalk, from: i32): void {
  const end = changetype<DictionaryHeader>(walk.dictionary).terms;
  const second = load<u32>(walk.letters, 4);
  const isAscii = walk.count > 1 && (load<u32>(walk.letters) | second) < 0x80;
  let at = max(from, isAscii ? dictionarySeek(walk.dictionary, BEHIND_ASCII, 1) : end);
  walkClass(walk, 1, CLASS_OTHER_FIRST, from, at);
  while (at < end && walk.out < walk.outEnd) {
    const start = at;
    while (at < end && blockHas(walk.dictionary, at / BLOCK_TERMS, <i8>second)) at = behindBlock(at, end);
    if (at > start) walkClass(walk, 1, CLASS_OTHER_FIRST, start, at);
    else at = behindBlock(at, end);
  }
}

/** Ordinal of the first word behind the block of `ordinal`, at most `end`. */
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
