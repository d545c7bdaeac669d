// Layout of a tokenizer in linear memory, and of the tokens it writes. All files of the tokenizer work on it.
//
//    0  u32 address of the text           16  u32 end of the run        32  u32 free byte for lemmas
//    4  u32 end of the text               20  u32 script of the run     36  u32 next length in CUTS
//    8  u32 position: start of a piece    24  u32 language of the run   40  u32 end of lengths in CUTS
//   12  u32 locale code                   28  u32 tokens in TOKENS      44  u32 end of the piece in CUTS
//   48  u32 address of the patterns (tokenizer-patterns.ts)             52  u32 FLAG_* bits
//   56  u32 language of the piece
//   64  16 bytes SEPARATORS: for each low half of an ASCII byte a set of high halves
//   80  128 bytes ASCII: BYTE_* bits of each ASCII byte
//  208  TOKENS   1024 records
//       LEMMAS   16 KiB + slack
//       CUTS     3072 x u32 lengths of words in bytes
//
// Token record:
//    0  u32 address of the lemma    4  u32 bytes of the lemma    8  u32 offset in the text
//   12  u32 raw bytes << 3 | KIND_*

export const TEXT: usize = 0;
export const TEXT_END: usize = 4;
export const POSITION: usize = 8;
export const LOCALE: usize = 12;
export const RUN_END: usize = 16;
export const RUN_SCRIPT: usize = 20;
export const RUN_LANGUAGE: usize = 24;
export const COUNT: usize = 28;
export const LEMMA_TOP: usize = 32;
export const CUT_NEXT: usize = 36;
export const CUT_END: usize = 40;
export const PIECE_END: usize = 44;
export const PATTERNS: usize = 48;
export const FLAGS: usize = 52;
export const PIECE_LANGUAGE: usize = 56;
export const SEPARATORS: usize = 64;
export const ASCII: usize = 80;
export const TOKENS: usize = 208;

export const TOKENS_MAX: u32 = 1024;
export const TOKEN_BYTES: u32 = 16;
/** Longer lemmas are cut; words of more than 250 bytes are dropped later anyway. */
export const LEMMA_BYTES_MAX: u32 = 1024;
const LEMMAS_BYTES: usize = 16384;
/** A character may be written whole although its lemma ends inside it, and vectors are stored whole. */
const LEMMAS_SLACK_BYTES: usize = 64;
/** Most bytes of text that the host splits into words per call. */
export const CUT_BYTES_MAX: u32 = 3072;

export const LEMMAS: usize = TOKENS + <usize>(TOKENS_MAX * TOKEN_BYTES);
export const LEMMAS_END: usize = LEMMAS + LEMMAS_BYTES;
export const CUTS: usize = LEMMAS_END + LEMMAS_SLACK_BYTES;
export const STATE_BYTES: usize = CUTS + <usize>CUT_BYTES_MAX * 4;

/** Most tokens that one step of the main loop writes. */
const STEP_TOKENS_MAX: u32 = 128;
const STEP_LEMMA_BYTES_MAX: usize = 2048;

/** No pattern of several characters begins with an ASCII character, apart from ", " and ". ". */
export const FLAG_ASCII: u32 = 1;
export const FLAG_STOP_WORDS: u32 = 2;
/** ", " and ". " are separators. */
export const FLAG_COMMA_SPACE: u32 = 4;
export const FLAG_DOT_SPACE: u32 = 8;

/** Bits of ASCII: the byte is a separator, the beginning of a pattern, or a control character. */
export const BYTE_PATTERN: u32 = 1;
export const BYTE_CONTROL: u32 = 2;

export const KIND_NONE: u32 = 0;
export const KIND_WORD: u32 = 1;
export const KIND_STOP: u32 = 2;
export const KIND_HARD: u32 = 3;
export const KIND_SOFT: u32 = 4;

/** Codes of src/core/locales.ts. */
export const LOCALE_NONE: u32 = 0;
export const LOCALE_CHINESE: u32 = 1;
export const LOCALE_JAPANESE: u32 = 2;
export const LOCALE_SWEDISH: u32 = 3;
export const LOCALE_ARABIC: u32 = 4;
export const LOCALE_PERSIAN: u32 = 5;
// 6 is any other language. Several languages are LOCALE_SET and what is known of them:
export const LOCALE_SET: u32 = 8;
export const LOCALE_SET_WITH_CHINESE: u32 = 9;
/** The only one of Latin script is Swedish. */
export const LOCALE_SWEDISH_BIT: u32 = 2;
/** The only one of Arabic script is Persian. */
export const LOCALE_PERSIAN_BIT: u32 = 4;
/** None is one that has articles in Arabic script: neither Arabic nor Persian. */
export const LOCALE_FOREIGN_BIT: u32 = 16;

/** Whether another step of the main loop fits into the buffers. */
export function tokensFit(tokenizer: usize): bool {
  return (
    load<u32>(tokenizer, COUNT) <= TOKENS_MAX - STEP_TOKENS_MAX &&
    <usize>load<u32>(tokenizer, LEMMA_TOP) <= tokenizer + LEMMAS_END - STEP_LEMMA_BYTES_MAX
  );
}

/** Address after the last token. */
export function tokensTop(tokenizer: usize): usize {
  return tokenizer + TOKENS + <usize>(load<u32>(tokenizer, COUNT) * TOKEN_BYTES);
}

export function tokenWrite(
  record: usize,
  lemma: usize,
  lemmaBytes: u32,
  offset: u32,
  rawBytes: u32,
  kind: u32,
): void {
  store<u64>(record, <u64>(<u32>lemma) | ((<u64>lemmaBytes) << 32));
  store<u64>(record, <u64>offset | ((<u64>((rawBytes << 3) | kind)) << 32), 8);
}
