// Finds the documents that have a term in certain fields. Called by search/words.ts; formats: postings.ts and
// occurrences.ts.
//
// The first byte of a document's occurrences mostly shows that they begin after all of these fields. So first
// bytes are examined 16 bytes at a time, and only documents that may have the term there are read.
import { bitmapAnyIn, bitmapHas, bitmapSet } from "./bitmap";
import { documentEnds, endsBegin } from "./document-ends";
import { LAST, STEP } from "./occurrences";
import { postingsBlock, postingsBlocks, postingsCount, postingsLast, postingsPositions } from "./postings";
import { varintEnd, varintRead } from "./varint";

/** Largest first byte of a number that takes one byte. */
const ONE_BYTE_MAX: u32 = 127;
/** Room for the docids of one block. */
const DOCIDS: usize = memory.data(576, 16);

/** A bit per field number; below, how many numbers there are, and the last one that is asked for. */
let asked: usize = 0;
let askedCount: u32 = 0;
let askedLast: u32 = 0;

/** Sets the fields that count: a bit per field number at `fields`, `count` of them. */
export function matchFieldsBegin(fields: usize, count: i32): void {
  asked = fields;
  askedCount = <u32>count;
  askedLast = 0;
  for (let field: u32 = 0; field < askedCount; field++) if (isAsked(field)) askedLast = field;
}

/**
 * Adds to a bitmap the documents of a list that have the term in a field that counts and are also in the
 * bitmap `among` (0: no restriction). Both bitmaps have `words` words.
 */
export function matchFields(
  list: usize,
  length: i32,
  positions: usize,
  positionsLength: i32,
  among: usize,
  bitmap: usize,
  words: i32,
): void {
  const blocks = postingsBlocks(postingsCount(list, length));
  const end = positions + <usize>positionsLength;
  let from: u32 = 0;
  for (let block = 0; block <= blocks; block++) {
    const last = postingsLast(list, block, blocks);
    const isMet = !among || bitmapAnyIn(among, words, from, last);
    from = last;
    if (!isMet) continue;
    const found = postingsBlock(list, length, block, DOCIDS);
    if (found < 0) return;
    matchBlock(positions + <usize>postingsPositions(list, block), end, found, among, bitmap, words);
  }
}

function matchBlock(at: usize, end: usize, found: i32, among: usize, bitmap: usize, words: i32): void {
  const far = i8x16.splat(<i8>min((askedLast << 2) | 3, ONE_BYTE_MAX));
  let place = 0;
  let first: u32 = 1;
  endsBegin();
  for (; place < found && at < end; at += 16) {
    const bytes = v128.load(at);
    const ends = documentEnds(at);
    const starts = ((ends << 1) | first) & 0xffff;
    first = ends >> 15;
    const behind = i8x16.bitmask(i8x16.shl(bytes, 6)) & i8x16.bitmask(i8x16.gt_s(bytes, far));
    for (let near = starts & ~behind; near; near &= near - 1) {
      const bit = ctz<u32>(near);
      const index = place + <i32>popcnt<u32>(starts & ((1 << bit) - 1));
      if (index >= found) return;
      const docid = load<i32>(DOCIDS + ((<usize>index) << 2));
      if (among && !bitmapHas(among, words, docid)) continue;
      if (occursIn(at + <usize>bit, end) && <u32>docid >> 6 < <u32>words) bitmapSet(bitmap, docid);
    }
    place += <i32>popcnt<u32>(starts);
  }
}

/** True when the document at `at` has an occurrence in a field that counts. */
function occursIn(at: usize, end: usize): bool {
  let field: u32 = 0;
  while (at < end && field <= askedLast) {
    let value: u32 = load<u8>(at);
    if (value < 128) at++;
    else {
      value = varintRead(at);
      at = varintEnd;
    }
    if (value & STEP) {
      field += value >> 2;
      continue;
    }
    if (field < askedCount && isAsked(field)) return true;
    if (value & LAST) break;
  }
  return false;
}

function isAsked(field: u32): bool {
  return ((load<u8>(asked + <usize>(field >> 3)) >> <u8>(field & 7)) & 1) != 0;
}
