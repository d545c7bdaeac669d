// The tokenizer: UTF-8 text in, tokens out, for the inverter, queries and highlighting. A tokenizer is a
// region of linear memory (tokenizer-state.ts draws it and its tokens); the host's side is
// src/core/tokenizer.ts.
//
//   run     characters of one script                             tokenizer-runs.ts
//   piece   the text between two separators of a run             tokenizer-ascii.ts, tokenizer-pieces.ts
//   token   a separator, a piece, or a part of one cut by a dictionary: raw text, lemma, kind
import { asciiPrepare, asciiTokens } from "./tokenizer-ascii";
import { cutTokens, pieceTokens } from "./tokenizer-pieces";
import { tokenNormalize } from "./tokenizer-normalizer";
import { runBegin, runWhole } from "./tokenizer-runs";
import {
  COUNT,
  CUT_END,
  CUT_NEXT,
  FLAG_ASCII,
  FLAGS,
  LEMMA_TOP,
  LEMMAS,
  LOCALE,
  PATTERNS,
  PIECE_END,
  POSITION,
  RUN_END,
  STATE_BYTES,
  TEXT,
  TEXT_END,
  TOKENS,
  tokensFit,
} from "./tokenizer-state";

/** Size of a tokenizer's region. */
export function tokenizerBytes(): i32 {
  return <i32>STATE_BYTES;
}

/** Takes new patterns (tokenizer-patterns.ts) and FLAG_* bits. Must be called once before anything else. */
export function tokenizerPrepare(tokenizer: usize, patterns: usize, flags: i32): void {
  store<u32>(tokenizer, <u32>patterns, PATTERNS);
  store<u32>(tokenizer, flags, FLAGS);
  asciiPrepare(tokenizer);
}

/**
 * Begins a text of `length` bytes of UTF-8, valid or not, followed by 64 readable bytes. `locale` is a code
 * of src/core/locales.ts. The text must stay in place until its last token has been read.
 */
export function tokenizerStart(tokenizer: usize, text: usize, length: i32, locale: i32): void {
  store<u32>(tokenizer, <u32>text, TEXT);
  store<u32>(tokenizer, <u32>text + length, TEXT_END);
  store<u32>(tokenizer, <u32>text, POSITION);
  store<u32>(tokenizer, <u32>text, RUN_END);
  store<u32>(tokenizer, <u32>text, PIECE_END);
  store<u32>(tokenizer, locale, LOCALE);
  store<u32>(tokenizer, 0, CUT_NEXT);
  store<u32>(tokenizer, 0, CUT_END);
}

/**
 * Writes the next tokens of the text and returns their number; 0 at the end. Overwrites earlier tokens and
 * lemmas.
 */
export function tokenizerNext(tokenizer: usize): i32 {
  store<u32>(tokenizer, 0, COUNT);
  store<u32>(tokenizer, <u32>(tokenizer + LEMMAS), LEMMA_TOP);
  const fast = (load<u32>(tokenizer, FLAGS) & FLAG_ASCII) != 0;
  while (tokensFit(tokenizer)) {
    const position: usize = load<u32>(tokenizer, POSITION);
    if (position < <usize>load<u32>(tokenizer, PIECE_END)) {
      cutTokens(tokenizer);
      continue;
    }
    if (position == <usize>load<u32>(tokenizer, RUN_END)) {
      if (position == <usize>load<u32>(tokenizer, TEXT_END)) break;
      runBegin(tokenizer);
    }
    if (fast && load<u8>(position) < 0x80) {
      asciiTokens(tokenizer);
      if (<usize>load<u32>(tokenizer, POSITION) != position) continue;
    }
    pieceTokens(tokenizer);
  }
  return load<u32>(tokenizer, COUNT);
}

/**
 * Writes a whole text as one token, separators included, as facet search compares values; for `text` and
 * `locale` see tokenizerStart.
 */
export function tokenizerWhole(tokenizer: usize, text: usize, length: i32, locale: i32): void {
  tokenizerStart(tokenizer, text, length, locale);
  store<u32>(tokenizer, 0, COUNT);
  store<u32>(tokenizer, <u32>(tokenizer + LEMMAS), LEMMA_TOP);
  if (length <= 0) return;
  runWhole(tokenizer);
  tokenNormalize(tokenizer, text, text + <usize>length);
}

/** Address of the token records. */
export function tokenizerTokens(tokenizer: usize): usize {
  return tokenizer + TOKENS;
}
