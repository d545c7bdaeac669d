// The inverter: takes the searchable texts of documents one after another and keeps, in one region of memory,
// every word with the documents and positions where it occurs. The host's indexing run
// (src/segment/inverter.ts) feeds it, then sorts it (inverter-sort.ts) and writes it out as a segment's
// terms, postings and positions (inverter-encode.ts).
//
//   inverterStart  ( inverterBeginDocument  ( inverterLeaf | inverterEmptyLeaf )...  inverterEndDocument )...
//   inverterSort  inverterEncode...  inverterWriteDictionary
//
// Docids ascend; the leaves of a document come grouped by field, fields ascending. A leaf is one value: the
// tokens of its text get positions, 1 apart, or 8 apart across a hard separator; the next leaf of the field
// starts 8 after the last word.
//
// In addition to the words there is a pseudo-term for each field of a document that has leaves and at most 30
// words. It tells searches the number of words, occurs once (field 0, position 0), and sorts before all
// words:
//
//   word count   | 0 | high byte of the field | low byte | number of words |
//
// Another one holds all occurrences of the words that begin with the same character of one byte or two, so
// that a search for that beginning reads one list instead of thousands:
//
//   beginning    | 0 | the character |
//
// When the region is full, the current document is dropped: the run can be written without it, and the
// document repeated in the next one. To waste no work, begin a document only while inverterFree is at least
// 32 times the bytes of its text: a new term takes 52 bytes more than its letters, and an occurrence of a
// known one up to 12, plus the growth of its slices (at most twofold).
import { FULL, Inverter, STATE_BYTES, termOccurs, termOf, termsClear } from "./inverter-terms";
import { tokenizerNext, tokenizerStart, tokenizerTokens } from "./tokenizer";
import { KIND_HARD, KIND_STOP, KIND_WORD, TOKEN_BYTES } from "./tokenizer-state";
import { trimEnd, trimStart } from "./white-space";

const NO_FIELD: i32 = -1;
const HARD_STEP: u32 = 8;
const SOFT_STEP: u32 = 1;
const POSITION_MAX: u32 = 65535;
const WORD_BYTES_MAX: usize = 250;
const COUNTED_WORDS_MAX: u32 = 30;
const COUNT_BYTES: i32 = 4;

/** Empties the inverter; its region has `bytes` bytes (at least 65,536), aligned to 16. */
export function inverterStart(inverter: usize, bytes: usize): void {
  memory.fill(inverter, 0, STATE_BYTES);
  const state = changetype<Inverter>(inverter);
  termsClear(state, bytes);
}

/** Begins a document; `docid` must be above all earlier ones. */
export function inverterBeginDocument(inverter: usize, docid: i32): void {
  const state = changetype<Inverter>(inverter);
  state.docid = docid;
  state.open = 1;
  state.field = NO_FIELD;
}

/**
 * Adds a text as the next leaf of a field. Returns 0, or -1 when the region is full: the document is dropped.
 */
export function inverterLeaf(
  inverter: usize,
  tokenizer: usize,
  field: i32,
  locale: i32,
  text: usize,
  length: i32,
): i32 {
  const state = changetype<Inverter>(inverter);
  if (!beginLeaf(state, field)) return FULL;
  tokenizerStart(tokenizer, text, length, locale);
  let position = state.position;
  // Leading separators do not count: there is no step before the first word.
  let step: u32 = 0;
  for (let count = tokenizerNext(tokenizer); count; count = tokenizerNext(tokenizer)) {
    let record = tokenizerTokens(tokenizer);
    for (const end = record + <usize>count * TOKEN_BYTES; record < end; record += TOKEN_BYTES) {
      const kind = load<u32>(record, 12) & 7;
      const bytes = load<u32>(record, 4);
      if (bytes == 0) continue;
      if (kind == KIND_HARD && step) step = HARD_STEP;
      if (kind != KIND_WORD && kind != KIND_STOP) continue;
      position += step;
      step = SOFT_STEP;
      if (position > POSITION_MAX) return 0;
      if (kind == KIND_WORD && !addWord(state, <usize>load<u32>(record), bytes, position)) return FULL;
    }
  }
  return 0;
}

/**
 * Adds a leaf without a text to a field: for null, or for a container itself. Returns the same as
 * inverterLeaf.
 */
export function inverterEmptyLeaf(inverter: usize, field: i32): i32 {
  return beginLeaf(changetype<Inverter>(inverter), field) ? 0 : FULL;
}

/** Ends the document. Returns 0, or -1 when the region is full: the document is dropped. */
export function inverterEndDocument(inverter: usize): i32 {
  const state = changetype<Inverter>(inverter);
  if (!endField(state)) return FULL;
  state.open = 0;
  return 0;
}

/** Free bytes of the region. */
export function inverterFree(inverter: usize): usize {
  const state = changetype<Inverter>(inverter);
  return state.slicesTop - state.termsTop;
}

function beginLeaf(state: Inverter, field: i32): bool {
  if (state.field == field) {
    state.position += HARD_STEP;
    return true;
  }
  if (!endField(state)) return false;
  state.field = field;
  state.position = 0;
  state.words = 0;
  return true;
}

/** Adds the pseudo-term of the current field. */
function endField(state: Inverter): bool {
  const field = state.field;
  if (field == NO_FIELD || state.words > COUNTED_WORDS_MAX) return true;
  state.pseudo = (<u32>bswap<u16>(<u16>field) << 8) | (state.words << 24);
  return pseudoOccurs(state, COUNT_BYTES, 0);
}

function addWord(state: Inverter, text: usize, length: usize, position: u32): bool {
  let end = text + length;
  const first: u32 = load<u8>(text);
  const last: u32 = load<u8>(end - 1);
  // Only these bytes can begin or end white space.
  if (first <= 0x20 || first >= 0xc2 || last <= 0x20 || last >= 0x80) {
    text = trimStart(text, end);
    end = trimEnd(text, end);
    length = end - text;
  }
  if (length == 0 || length > WORD_BYTES_MAX) return true;
  const key = (<u32>state.field << 16) | position;
  const term = termOf(state, text, <i32>length);
  if (!term || !termOccurs(state, term, state.docid, key)) return false;
  if (!addBeginning(state, text, length, key)) return false;
  state.position = position;
  state.words++;
  return true;
}

function addBeginning(state: Inverter, text: usize, length: usize, key: u32): bool {
  const first: u32 = load<u8>(text);
  // Few words share a first character that takes more bytes.
  if (first >= 0xe0) return true;
  const second: u32 = first < 0x80 || length < 2 ? 0 : load<u8>(text, 1);
  state.pseudo = (first << 8) | (second << 16);
  return pseudoOccurs(state, first < 0x80 ? 2 : 3, key);
}

function pseudoOccurs(state: Inverter, bytes: i32, key: u32): bool {
  const term = termOf(state, changetype<usize>(state) + offsetof<Inverter>("pseudo"), bytes);
  return term != 0 && termOccurs(state, term, state.docid, key);
}
