// The fast path of the tokenizer: ASCII text, 64 bytes per step. Vectors find the separators and lower the
// case of all letters; the tokens are then read from a bit mask, a separator and the word before it at a
// time. Everything else goes through tokenizer-pieces.ts: bytes above 0x7E, control characters, and the word
// that contains them.
import { characterProperties, PROPERTY_CONTROL, propertySeparator } from "./tokenizer-characters";
import { patternEntry, patternFirst, patternLength, PATTERN_STOP_WORD } from "./tokenizer-patterns";
import {
  ASCII,
  BYTE_CONTROL,
  BYTE_PATTERN,
  COUNT,
  FLAG_COMMA_SPACE,
  FLAG_DOT_SPACE,
  FLAG_STOP_WORDS,
  FLAGS,
  KIND_SOFT,
  KIND_STOP,
  KIND_WORD,
  LEMMA_BYTES_MAX,
  LEMMA_TOP,
  LEMMAS_END,
  PATTERNS,
  POSITION,
  RUN_END,
  SEPARATORS,
  TEXT,
  TOKEN_BYTES,
  TOKENS,
  TOKENS_MAX,
  tokensTop,
  tokenWrite,
} from "./tokenizer-state";

const BLOCK_BYTES: usize = 64;
/** A block has at most 64 separators and 64 words; the last word of the text may follow. */
const BLOCK_TOKENS_MAX: u32 = 129;
const SPACE: u8 = 0x20;

/** Bit masks of a block. */
let separators: u64 = 0;
let hard: u64 = 0;
let pairs: u64 = 0;
let foreign: u64 = 0;
/** Start of the word that the next separator ends. */
let word: usize = 0;

/** Prepares the tables of ASCII bytes after the patterns have changed. */
export function asciiPrepare(tokenizer: usize): void {
  const patterns: usize = load<u32>(tokenizer, PATTERNS);
  v128.store(tokenizer, i64x2.splat(0), SEPARATORS);
  for (let code: u32 = 0; code < 0x80; code++) {
    // One byte of text, stored in the place of the first token.
    const text = tokenizer + TOKENS;
    store<u8>(text, code);
    const properties = characterProperties(code);
    const separates = patternLength(patterns, text, text + 1, 1, propertySeparator(properties) != 0) != 0;
    const row = tokenizer + <usize>(code & 15);
    if (separates) store<u8>(row, <u32>load<u8>(row, SEPARATORS) | (1 << (code >> 4)), SEPARATORS);
    const pattern = separates || patternFirst(patterns, code) != 0 ? BYTE_PATTERN : 0;
    const control = properties & PROPERTY_CONTROL ? BYTE_CONTROL : 0;
    store<u8>(tokenizer + <usize>code, pattern | control, ASCII);
  }
}

/** Copies ASCII text in lower case. Reads and writes in steps of 16 bytes. */
export function asciiLowercase(target: usize, source: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(target + i, lowercase(v128.load(source + i)));
}

/**
 * Appends tokens of the ASCII text at the position, and moves the position past them: to the end of the run,
 * to a word that is not ASCII, or to where the buffers are full. The position does not move when its word is
 * for the slow path.
 */
export function asciiTokens(tokenizer: usize): void {
  const end: usize = load<u32>(tokenizer, RUN_END);
  const start: usize = load<u32>(tokenizer, POSITION);
  const lemmas: usize = load<u32>(tokenizer, LEMMA_TOP);
  const room = (tokenizer + LEMMAS_END - lemmas) & ~(BLOCK_BYTES - 1);
  const limit = end - start > room ? start + room : end;
  const recordsEnd = tokenizer + TOKENS + <usize>((TOKENS_MAX - BLOCK_TOKENS_MAX) * TOKEN_BYTES);
  const text: usize = load<u32>(tokenizer, TEXT);
  const flags = load<u32>(tokenizer, FLAGS);
  const stopWords: usize = flags & FLAG_STOP_WORDS ? <usize>load<u32>(tokenizer, PATTERNS) : 0;
  const shift = lemmas - start;
  let record = tokensTop(tokenizer);
  let block = start;
  let complete = true;
  word = start;
  for (; block < limit && complete; block += BLOCK_BYTES) {
    if (record > recordsEnd) break;
    classify(tokenizer + SEPARATORS, block, block + shift, flags);
    let valid = lowBits(limit - block);
    if (foreign & valid) {
      valid &= (foreign & -foreign) - 1;
      complete = false;
    }
    record = blockTokens(record, block, end, valid, shift, text, stopWords);
    // The space of a pair at the end belongs to the next block, which may not be reached.
    store<u8>(block + shift, SPACE, BLOCK_BYTES);
  }
  if (complete && block >= end && word < end) {
    record = wordWrite(record, word, end, shift, text, stopWords);
    word = end;
  }
  store<u32>(tokenizer, <u32>(record - (tokenizer + TOKENS)) / TOKEN_BYTES, COUNT);
  store<u32>(tokenizer, <u32>(word + shift), LEMMA_TOP);
  store<u32>(tokenizer, <u32>word, POSITION);
}

/** Writes the tokens of a block, of which only the `valid` bytes count, except for the word at its end. */
function blockTokens(
  record: usize,
  block: usize,
  end: usize,
  valid: u64,
  shift: usize,
  text: usize,
  stopWords: usize,
): usize {
  // The second character of a pair must belong to the run, too. The first character of this block may end a
  // pair of the previous one.
  const firsts = pairs & valid & lowBits(end - block - 1);
  const seconds = (firsts << 1) | <u64>(word > block);
  const hards = hard | firsts;
  let starts = (separators | firsts) & ~seconds & valid;
  let from = word;
  while (starts) {
    const bit = ctz(starts);
    starts &= starts - 1;
    const separator = block + <usize>bit;
    if (stopWords == 0) {
      // Always written, and kept if there is a word: no branch to guess.
      const bytes = <u32>(separator - from);
      const lemmaBytes = bytes < LEMMA_BYTES_MAX ? bytes : LEMMA_BYTES_MAX;
      tokenWrite(record, from + shift, lemmaBytes, <u32>(from - text), bytes, KIND_WORD);
      record += (<usize>(bytes != 0)) << 4;
    } else if (separator > from) {
      record = wordWrite(record, from, separator, shift, text, stopWords);
    }
    const length = 1 + (<u32>(firsts >> bit) & 1);
    const kind = KIND_SOFT - (<u32>(hards >> bit) & 1);
    tokenWrite(record, separator + shift, length, <u32>(separator - text), length, kind);
    record += TOKEN_BYTES;
    from = separator + <usize>length;
  }
  word = from;
  return record;
}

/** `shift`: distance from the text to its lower case. */
function wordWrite(
  record: usize,
  from: usize,
  to: usize,
  shift: usize,
  text: usize,
  stopWords: usize,
): usize {
  const bytes = <u32>(to - from);
  const lemmaBytes = bytes < LEMMA_BYTES_MAX ? bytes : LEMMA_BYTES_MAX;
  let kind = KIND_WORD;
  // Stop words are compared before the case is lowered.
  if (stopWords != 0 && patternEntry(stopWords, from, to) & PATTERN_STOP_WORD) kind = KIND_STOP;
  tokenWrite(record, from + shift, lemmaBytes, <u32>(from - text), bytes, kind);
  return record + TOKEN_BYTES;
}

function lowBits(count: usize): u64 {
  return count < BLOCK_BYTES ? ((<u64>1) << (<u64>count)) - 1 : ~(<u64>0);
}

/** Sets the masks of 64 bytes of text and writes them in lower case to `lower`. */
function classify(table: usize, block: usize, lower: usize, flags: u32): void {
  const rows = v128.load(table);
  const a = v128.load(block);
  const b = v128.load(block, 16);
  const c = v128.load(block, 32);
  const d = v128.load(block, 48);
  v128.store(lower, lowercase(a));
  v128.store(lower, lowercase(b), 16);
  v128.store(lower, lowercase(c), 32);
  v128.store(lower, lowercase(d), 48);
  separators = bits(isIn(rows, a), isIn(rows, b), isIn(rows, c), isIn(rows, d));
  hard = separators & bits(isHard(a), isHard(b), isHard(c), isHard(d));
  foreign = bits(isForeign(a), isForeign(b), isForeign(c), isForeign(d));
  let firsts: u64 = 0;
  if (flags & FLAG_COMMA_SPACE) firsts = equal(a, b, c, d, i8x16.splat(0x2c));
  if (flags & FLAG_DOT_SPACE) firsts |= equal(a, b, c, d, i8x16.splat(0x2e));
  const space = i8x16.splat(SPACE);
  const next = equal(
    v128.load(block, 1),
    v128.load(block, 17),
    v128.load(block, 33),
    v128.load(block, 49),
    space,
  );
  pairs = firsts & next;
}

/** One bit per lane of four masks. */
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u64>(<u32>i8x16.bitmask(a)) | ((<u64>(<u32>i8x16.bitmask(b))) << 16);
  const high = <u64>(<u32>i8x16.bitmask(c)) | ((<u64>(<u32>i8x16.bitmask(d))) << 16);
  return low | (high << 32);
}

function equal(a: v128, b: v128, c: v128, d: v128, to: v128): u64 {
  return bits(i8x16.eq(a, to), i8x16.eq(b, to), i8x16.eq(c, to), i8x16.eq(d, to));
}

function lowercase(x: v128): v128 {
  const upper = i8x16.lt_u(i8x16.sub(x, i8x16.splat(0x41)), i8x16.splat(26));
  return v128.or(x, v128.and(upper, i8x16.splat(0x20)));
}

/** Lanes with ASCII bytes that are in the set: the row of the low half has the bit of the high half. */
function isIn(rows: v128, x: v128): v128 {
  const row = i8x16.swizzle(rows, v128.and(x, i8x16.splat(15)));
  const high = v128.and(i16x8.shr_u(x, 4), i8x16.splat(15));
  const bit = i8x16.swizzle(i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0), high);
  return i8x16.ne(v128.and(row, bit), i8x16.splat(0));
}

/** `!`, `;` and `?`. */
function isHard(x: v128): v128 {
  const marks = v128.or(i8x16.eq(x, i8x16.splat(0x21)), i8x16.eq(x, i8x16.splat(0x3b)));
  return v128.or(marks, i8x16.eq(x, i8x16.splat(0x3f)));
}

/** Bytes above 0x7E and control characters other than tab, line feed and carriage return. */
function isForeign(x: v128): v128 {
  const low = i8x16.lt_s(x, i8x16.splat(9));
  const control = i8x16.lt_u(i8x16.sub(x, i8x16.splat(11)), i8x16.splat(21));
  const middle = v128.andnot(control, i8x16.eq(x, i8x16.splat(13)));
  return v128.or(v128.or(low, middle), i8x16.eq(x, i8x16.splat(0x7f)));
}
