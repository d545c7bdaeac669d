// The slow path of the tokenizer, character by character: finds the next separator or dictionary word, turns
// the piece before it into tokens, then it itself. Pieces of scripts that are written without spaces go to
// the segmenter of the host.
import {
  characterProperties,
  isAsciiPunctuation,
  PROPERTY_NUMERIC,
  propertySeparator,
} from "./tokenizer-characters";
import { segment } from "./env";
import { tokenNormalize, tokenNormalizeAscii } from "./tokenizer-normalizer";
import { patternFirst, patternLength } from "./tokenizer-patterns";
import { pieceBegin, SCRIPT_CJ } from "./tokenizer-runs";
import {
  ASCII,
  BYTE_CONTROL,
  BYTE_PATTERN,
  CUT_BYTES_MAX,
  CUT_END,
  CUT_NEXT,
  CUTS,
  LOCALE_ARABIC,
  LOCALE_CHINESE,
  LOCALE_JAPANESE,
  LOCALE_PERSIAN,
  PATTERNS,
  PIECE_END,
  PIECE_LANGUAGE,
  POSITION,
  RUN_END,
  RUN_SCRIPT,
  tokensFit,
} from "./tokenizer-state";
import { utf8Decode } from "./tokenizer-utf8";
import { SCRIPT_ARABIC, SCRIPT_KHMER, SCRIPT_THAI } from "./tables/characters";

/** Languages of the `segment` import (src/core/segmenter.ts). */
const SEGMENT_NONE: u32 = 0;
const SEGMENT_CHINESE: u32 = 1;
const SEGMENT_JAPANESE: u32 = 2;
const SEGMENT_THAI: u32 = 3;
const SEGMENT_KHMER: u32 = 4;

const ARTICLE_BYTES: usize = 4;
/**
 * Bytes at the end of a part that are split again: the longest word of a dictionary has 70 letters of Thai.
 */
const AGAIN_BYTES: u32 = 216;

/** Appends the tokens of one piece and of the pattern after it; moves the position past them. */
export function pieceTokens(tokenizer: usize): void {
  const patterns: usize = load<u32>(tokenizer, PATTERNS);
  const end: usize = load<u32>(tokenizer, RUN_END);
  const start: usize = load<u32>(tokenizer, POSITION);
  let ascii = true;
  let pointer = start;
  let pattern: usize = 0;
  while (pointer < end) {
    const byte: u32 = load<u8>(pointer);
    if (byte < 0x80) {
      const kind: u32 = load<u8>(tokenizer + <usize>byte, ASCII);
      if (kind & BYTE_PATTERN) {
        const separates = propertySeparator(characterProperties(byte)) != 0;
        pattern = <usize>patternLength(patterns, pointer, end, 1, separates);
        if (pattern != 0) break;
      }
      if (kind & BYTE_CONTROL) ascii = false;
      pointer++;
      continue;
    }
    ascii = false;
    const character = utf8Decode(pointer, end);
    const width = character >> 24;
    const separates = propertySeparator(characterProperties(character & 0xffffff)) != 0;
    if (separates || patternFirst(patterns, byte) != 0) {
      pattern = <usize>patternLength(patterns, pointer, end, width, separates);
      if (pattern != 0) break;
    }
    pointer += <usize>width;
  }
  pieceBegin(tokenizer, start, pointer);
  if (pointer > start && segmenter(tokenizer) != SEGMENT_NONE && !isNumeric(start, pointer)) {
    store<u32>(tokenizer, <u32>pointer, PIECE_END);
    return;
  }
  if (pointer > start) {
    if (ascii) tokenNormalizeAscii(tokenizer, start, pointer);
    else words(tokenizer, start, pointer);
  }
  if (pattern == 1 && isPrintable(load<u8>(pointer))) tokenNormalizeAscii(tokenizer, pointer, pointer + 1);
  else if (pattern != 0) {
    pieceBegin(tokenizer, pointer, pointer + pattern);
    tokenNormalize(tokenizer, pointer, pointer + pattern);
  }
  store<u32>(tokenizer, <u32>(pointer + pattern), POSITION);
}

/** Appends words of the piece that the host splits, as many as fit, and moves the position past them. */
export function cutTokens(tokenizer: usize): void {
  const end: usize = load<u32>(tokenizer, PIECE_END);
  let position: usize = load<u32>(tokenizer, POSITION);
  if (load<u32>(tokenizer, CUT_NEXT) >= load<u32>(tokenizer, CUT_END)) cut(tokenizer, position, end);
  let next: usize = load<u32>(tokenizer, CUT_NEXT);
  const last: usize = load<u32>(tokenizer, CUT_END);
  while (next < last && tokensFit(tokenizer)) {
    const bytes: usize = load<u32>(next);
    tokenNormalize(tokenizer, position, position + bytes);
    position += bytes;
    next += 4;
  }
  store<u32>(tokenizer, <u32>next, CUT_NEXT);
  store<u32>(tokenizer, <u32>position, POSITION);
}

/** Fills CUTS with lengths of words from `start` on: at least one, none of them 0, all within the piece. */
function cut(tokenizer: usize, start: usize, end: usize): void {
  const cuts = tokenizer + CUTS;
  let bytes = <u32>(end - start);
  const whole = bytes <= CUT_BYTES_MAX;
  if (!whole) {
    bytes = CUT_BYTES_MAX;
    while (bytes > CUT_BYTES_MAX - 4 && (load<u8>(start + <usize>bytes) & 0xc0) == 0x80) bytes--;
  }
  const words = segment(start, bytes, segmenter(tokenizer), cuts, CUT_BYTES_MAX);
  let left = bytes;
  let valid: usize = 0;
  for (; valid < <usize>words; valid++) {
    const length = load<u32>(cuts + (valid << 2));
    // Words at the end of a part may turn out differently with the text that follows: they are split again in
    // the next part.
    if (length == 0 || length > left || (!whole && left < AGAIN_BYTES && valid > 0)) break;
    left -= length;
  }
  if (valid == 0) {
    store<u32>(cuts, bytes);
    valid = 1;
  }
  store<u32>(tokenizer, <u32>cuts, CUT_NEXT);
  store<u32>(tokenizer, <u32>(cuts + (valid << 2)), CUT_END);
}

/**
 * The dictionary that splits pieces of the run; SEGMENT_NONE when they are words already. Hangul is not
 * split.
 */
function segmenter(tokenizer: usize): u32 {
  const script = load<u32>(tokenizer, RUN_SCRIPT);
  const language = load<u32>(tokenizer, PIECE_LANGUAGE);
  if (script == SCRIPT_CJ && language == LOCALE_CHINESE) return SEGMENT_CHINESE;
  if (script == SCRIPT_CJ && language == LOCALE_JAPANESE) return SEGMENT_JAPANESE;
  if (script == SCRIPT_THAI) return SEGMENT_THAI;
  return script == SCRIPT_KHMER ? SEGMENT_KHMER : SEGMENT_NONE;
}

function isPrintable(byte: u32): bool {
  return byte - 0x20 < 0x5f;
}

/** Numbers and ASCII punctuation are not split. */
function isNumeric(pointer: usize, end: usize): bool {
  while (pointer < end) {
    const character = utf8Decode(pointer, end);
    const codePoint = character & 0xffffff;
    if (!(characterProperties(codePoint) & PROPERTY_NUMERIC) && !isAsciiPunctuation(codePoint)) return false;
    pointer += <usize>(character >> 24);
  }
  return true;
}

/** One word, or in Arabic the article and the word after it. */
function words(tokenizer: usize, start: usize, end: usize): void {
  const language = load<u32>(tokenizer, PIECE_LANGUAGE);
  const isArabic = language == LOCALE_ARABIC || language == LOCALE_PERSIAN;
  if (isArabic && load<u32>(tokenizer, RUN_SCRIPT) == SCRIPT_ARABIC && hasArticle(start, end)) {
    tokenNormalize(tokenizer, start, start + ARTICLE_BYTES);
    start += ARTICLE_BYTES;
  }
  tokenNormalize(tokenizer, start, end);
}

/** Begins with alef and lam, and has more after them. */
function hasArticle(start: usize, end: usize): bool {
  if (end - start <= ARTICLE_BYTES) return false;
  const alef = utf8Decode(start, end) & 0xffffff;
  const isAlef = alef == 0x627 || alef == 0x622 || alef == 0x623 || alef == 0x625 || alef == 0x671;
  return isAlef && (utf8Decode(start + 2, end) & 0xffffff) == 0x644;
}
