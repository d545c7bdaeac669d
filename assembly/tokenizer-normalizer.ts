// Turns the raw text of one token into its lemma and kind, in one pass over its characters. The steps, each
// of which sees one character after another: decomposition (NFKD), Swedish recomposition, removal of control
// characters, classification, then the folding of the script: Persian letters, lower case, quotes, ligatures,
// Chinese variants, final sigma, Arabic letters, non-spacing marks, d with stroke, dotless i.
import {
  characterLowercase,
  characterProperties,
  decompositionBytes,
  decompositionText,
  PROPERTY_CONTROL,
  PROPERTY_DECOMPOSES,
  PROPERTY_HAS_LOWERCASE,
  PROPERTY_MARK,
  propertySeparator,
} from "./tokenizer-characters";
import { PATTERN_HARD, PATTERN_PLAIN, PATTERN_SEPARATES, PATTERN_STOP_WORD } from "./tokenizer-patterns";
import { asciiLowercase } from "./tokenizer-ascii";
import { patternEntry, patternFirst, patternNext } from "./tokenizer-patterns";
import { foldArabic, foldLatin, foldPersian, NOTHING } from "./tokenizer-folds";
import { SCRIPT_CJ } from "./tokenizer-runs";
import {
  COUNT,
  KIND_HARD,
  KIND_NONE,
  KIND_SOFT,
  KIND_STOP,
  KIND_WORD,
  LEMMA_BYTES_MAX,
  LEMMA_TOP,
  LOCALE_CHINESE,
  LOCALE_PERSIAN,
  LOCALE_SWEDISH,
  PATTERNS,
  PIECE_LANGUAGE,
  RUN_SCRIPT,
  TEXT,
  tokensTop,
  tokenWrite,
} from "./tokenizer-state";
import { utf8Decode, utf8Encode } from "./tokenizer-utf8";
import { foldVariant } from "./tokenizer-variants";
import {
  CHARACTER_HARD,
  SCRIPT_ARABIC,
  SCRIPT_ARMENIAN,
  SCRIPT_CYRILLIC,
  SCRIPT_GEORGIAN,
  SCRIPT_GREEK,
  SCRIPT_HEBREW,
  SCRIPT_LATIN,
  SCRIPT_THAI,
} from "./tables/characters";

const LOWERCASED: u32 =
  (1 << SCRIPT_LATIN) |
  (1 << SCRIPT_CYRILLIC) |
  (1 << SCRIPT_GREEK) |
  (1 << SCRIPT_GEORGIAN) |
  (1 << SCRIPT_ARMENIAN);
const WITHOUT_MARKS: u32 =
  (1 << SCRIPT_HEBREW) |
  (1 << SCRIPT_THAI) |
  (1 << SCRIPT_ARABIC) |
  (1 << SCRIPT_LATIN) |
  (1 << SCRIPT_GREEK);
const HANGUL_FIRST: u32 = 0xac00;
const HANGUL_LEN: u32 = 11172;
const SIGMA: u32 = 0x3c3;
const FINAL_SIGMA: u32 = 0x3c2;
const ANY: u32 = 0xffffffff;

// The token being made. Globals are per instance of the core, hence per thread.
let script: u32 = 0;
let language: u32 = 0;
let patterns: usize = 0;
/**
 * Where the next byte of the lemma goes; below, where the lemma must end, or 0 once something did not fit.
 */
let lemmaTop: usize = 0;
let lemmaEnd: usize = 0;
/**
 * Entry of the decomposed text in the patterns: 0 when it is none of them, ANY before its first character.
 */
let entry: u32 = 0;
/** Number of characters in the decomposed text; below, the last one. */
let plainCount: u32 = 0;
let plainLast: u32 = 0;
/** A letter that waits for a mark (Swedish), or 0. */
let held: u32 = 0;
/** Last folded character, marks included. */
let last: u32 = 0;

/** Appends the token of the raw text from `from` to `to`, where `from` < `to`. */
export function tokenNormalize(tokenizer: usize, from: usize, to: usize): void {
  const lemma: usize = load<u32>(tokenizer, LEMMA_TOP);
  script = load<u32>(tokenizer, RUN_SCRIPT);
  language = load<u32>(tokenizer, PIECE_LANGUAGE);
  patterns = load<u32>(tokenizer, PATTERNS);
  lemmaTop = lemma;
  lemmaEnd = lemma + <usize>LEMMA_BYTES_MAX;
  entry = ANY;
  plainCount = 0;
  held = 0;
  last = 0;
  for (let pointer = from; pointer < to; ) {
    const character = utf8Decode(pointer, to);
    pointer += <usize>(character >> 24);
    const codePoint = character & 0xffffff;
    const properties = characterProperties(codePoint);
    if (properties & PROPERTY_DECOMPOSES) decompose(codePoint);
    else if (language == LOCALE_SWEDISH) recompose(codePoint);
    else accept(codePoint, properties);
  }
  if (held != 0) accept(held, characterProperties(held));
  if (script == SCRIPT_GREEK && last == FINAL_SIGMA && lemmaEnd != 0) {
    lemmaTop -= 2;
    put(SIGMA);
  }
  finish(tokenizer, lemma, from, to);
}

/** The same for text of ASCII characters without control characters. */
export function tokenNormalizeAscii(tokenizer: usize, from: usize, to: usize): void {
  const lemma: usize = load<u32>(tokenizer, LEMMA_TOP);
  const bytes = to - from;
  lemmaTop = lemma + (bytes < <usize>LEMMA_BYTES_MAX ? bytes : <usize>LEMMA_BYTES_MAX);
  asciiLowercase(lemma, from, lemmaTop - lemma);
  plainCount = <u32>bytes;
  plainLast = load<u8>(from);
  entry = patternEntry(load<u32>(tokenizer, PATTERNS), from, to);
  finish(tokenizer, lemma, from, to);
}

function finish(tokenizer: usize, lemma: usize, from: usize, to: usize): void {
  const offset = <u32>(from - <usize>load<u32>(tokenizer, TEXT));
  tokenWrite(tokensTop(tokenizer), lemma, <u32>(lemmaTop - lemma), offset, <u32>(to - from), kind(lemma));
  store<u32>(tokenizer, load<u32>(tokenizer, COUNT) + 1, COUNT);
  store<u32>(tokenizer, <u32>lemmaTop, LEMMA_TOP);
}

function decompose(codePoint: u32): void {
  if (codePoint - HANGUL_FIRST < HANGUL_LEN) {
    // The Unicode Standard, 3.12: the letters of a syllable are computed from it.
    const syllable = codePoint - HANGUL_FIRST;
    recompose(0x1100 + syllable / 588);
    recompose(0x1161 + (syllable % 588) / 28);
    if (syllable % 28) recompose(0x11a7 + (syllable % 28));
    return;
  }
  let pointer = decompositionText(codePoint);
  const end = pointer + <usize>decompositionBytes(codePoint);
  while (pointer < end) {
    const part = utf8Decode(pointer, end);
    pointer += <usize>(part >> 24);
    recompose(part & 0xffffff);
  }
}

/** Swedish keeps its three letters: A or O with diaeresis, A with ring. */
function recompose(codePoint: u32): void {
  if (held != 0) {
    const letter = held;
    held = 0;
    const composed = composition(letter, codePoint);
    const first = composed != 0 ? composed : letter;
    accept(first, characterProperties(first));
    if (composed != 0) return;
  }
  const lower = codePoint | 32;
  if (language == LOCALE_SWEDISH && (lower == 0x61 || lower == 0x6f)) held = codePoint;
  else accept(codePoint, characterProperties(codePoint));
}

/** The Swedish letter of A or O and a mark, in the case of the letter, or 0. */
function composition(letter: u32, mark: u32): u32 {
  const lower = letter & 32;
  const isA = (letter | 32) == 0x61;
  if (mark == 0x308) return (isA ? 0xc4 : 0xd6) | lower;
  return mark == 0x30a && isA ? 0xc5 | lower : 0;
}

/** Takes a character of the decomposed text, as classification sees it. Its folded form goes to the lemma. */
function accept(codePoint: u32, properties: u32): void {
  if (properties & PROPERTY_CONTROL) return;
  plainCount++;
  plainLast = codePoint;
  if (entry != 0) follow(codePoint);
  const lowercased = ((LOWERCASED >> script) & 1) != 0;
  if (codePoint < 0x80) {
    last = lowercased && codePoint - 0x41 < 26 ? codePoint | 32 : codePoint;
    put(last);
    return;
  }
  if (lowercased && properties & PROPERTY_HAS_LOWERCASE) codePoint = characterLowercase(codePoint);
  if (script == SCRIPT_LATIN) {
    codePoint = foldLatin(codePoint);
    if (codePoint == 0xe6 || codePoint == 0x153) {
      put(codePoint == 0xe6 ? 0x61 : 0x6f);
      codePoint = 0x65;
    }
  } else if (script == SCRIPT_ARABIC) {
    if (language == LOCALE_PERSIAN) codePoint = foldPersian(codePoint);
    codePoint = foldArabic(codePoint);
    if (codePoint == NOTHING) return;
  } else if (script == SCRIPT_CJ && language == LOCALE_CHINESE) {
    codePoint = foldVariant(codePoint);
  }
  last = codePoint;
  if (properties & PROPERTY_MARK && (WITHOUT_MARKS >> script) & 1) return;
  put(codePoint);
}

/** Moves `entry` along the bytes of a character. */
function follow(codePoint: u32): void {
  // The buffer has room for one more character after the lemma: it is used here.
  let left = utf8Encode(lemmaTop, codePoint);
  let bytes = load<u32>(lemmaTop);
  for (; left > 0 && entry != 0; left--) {
    entry = entry == ANY ? patternFirst(patterns, bytes & 255) : patternNext(patterns, entry, bytes & 255);
    bytes >>= 8;
  }
}

/** Adds a character to the lemma, or closes the lemma when it is full. */
function put(codePoint: u32): void {
  if (lemmaTop + 4 > lemmaEnd) {
    lemmaEnd = 0;
    return;
  }
  if (codePoint < 0x80) {
    store<u8>(lemmaTop, codePoint);
    lemmaTop++;
  } else if (codePoint < 0x800) {
    store<u16>(lemmaTop, 0x80c0 | (codePoint >> 6) | ((codePoint & 63) << 8));
    lemmaTop += 2;
  } else {
    lemmaTop += <usize>utf8Encode(lemmaTop, codePoint);
  }
}

function kind(lemma: usize): u32 {
  if (lemmaTop == lemma) return KIND_NONE;
  const found = entry == ANY ? 0 : entry;
  if (found & PATTERN_STOP_WORD) return KIND_STOP;
  if (plainCount == 1 && !(found & PATTERN_PLAIN)) {
    const separator = propertySeparator(characterProperties(plainLast));
    if (separator) return separator == CHARACTER_HARD ? KIND_HARD : KIND_SOFT;
  }
  if (!(found & PATTERN_SEPARATES)) return KIND_WORD;
  return found & PATTERN_HARD ? KIND_HARD : KIND_SOFT;
}
