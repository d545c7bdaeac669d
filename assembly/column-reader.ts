// Reads the codes of a segment's documents in one column: turns ranges and sets of codes into bitmaps of
// docids, using the codes or their posting lists, and gives the keys by which documents are sorted. Called by
// src/segment/column.ts with a view of the column (column-view.ts).
import { bitsMask, bitsRead } from "./column-bits";
import { bitsScan } from "./column-scan";
import { ColumnView, codesEnd, codesStart, docidOf, ordinalFrom } from "./column-view";
import { postingsIntoBitmap } from "./postings";

/** Key of a document without a value. */
const NO_KEY: u32 = 0xffffffff;

/** Adds the documents with a code in [from, to) to a bitmap. */
export function columnScan(column: usize, from: u32, to: u32, bitmap: usize, words: i32): void {
  const view = changetype<ColumnView>(column);
  if (from >= to) return;
  if (!view.starts) return scanSingle(view, from, to - from, bitmap, words);
  let at: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < view.documents; ordinal++) {
    const end = bitsRead(view.starts, ordinal + 1, view.startWidth);
    let found = false;
    for (; at < end; at++) found = found || bitsRead(view.codes, at, view.width) - from < to - from;
    if (found) setDocid(bitmap, words, docidOf(view, ordinal));
  }
}

/** Adds the documents with a code in a bitmap of codes, which has a bit for every code and for none. */
export function columnScanSet(column: usize, set: usize, bitmap: usize, words: i32): void {
  const view = changetype<ColumnView>(column);
  let at: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < view.documents; ordinal++) {
    const end = codesEnd(view, ordinal);
    let found = false;
    for (; at < end; at++) found = found || hasBit(set, bitsRead(view.codes, at, view.width));
    if (found) setDocid(bitmap, words, docidOf(view, ordinal));
  }
}

/**
 * Adds the documents of `count` posting lists, stored one after another from `lists` on, to a bitmap. Their
 * starts are in a packed array (column-bits.ts) of numbers of `width` bits, beginning with its number
 * `first`.
 */
export function columnListsInto(
  starts: usize,
  width: u32,
  first: u32,
  count: u32,
  lists: usize,
  bitmap: usize,
  words: i32,
): void {
  const base = bitsRead(starts, first, width);
  let start = base;
  for (let index = first + 1; index <= first + count; index++) {
    const end = bitsRead(starts, index, width);
    postingsIntoBitmap(lists + <usize>(start - base), <i32>(end - start), bitmap, words);
    start = end;
  }
}

/** Writes the codes of a document as u32 to `out`, at most `most`; returns how many it has. */
export function columnCodes(column: usize, ordinal: u32, none: u32, out: usize, most: i32): i32 {
  const view = changetype<ColumnView>(column);
  const start = codesStart(view, ordinal);
  const count = <i32>(codesEnd(view, ordinal) - start);
  for (let i = 0; i < min(count, most); i++, out += 4) {
    const code = bitsRead(view.codes, start + i, view.width);
    if (code == none) return 0;
    store<u32>(out, code);
  }
  return count;
}

/**
 * Writes a u32 sort key for each of `count` ascending docids: values in their order, or (`isDown`) numbers
 * and texts each in reverse order. Of several values the best one counts. Codes from `values` on, and
 * documents of other segments, have key 0xffffffff.
 */
export function columnKeys(
  column: usize,
  docids: usize,
  count: i32,
  numbers: u32,
  values: u32,
  isDown: bool,
  keys: usize,
): void {
  const view = changetype<ColumnView>(column);
  if (!view.order && !view.starts) return singleKeys(view, docids, count, numbers, values, isDown, keys);
  let ordinal: u32 = 0;
  for (const end = docids + (<usize>count << 2); docids < end; docids += 4, keys += 4) {
    const docid = load<u32>(docids);
    ordinal = ordinalFrom(view, ordinal, docid);
    if (ordinal == view.documents || docidOf(view, ordinal) != docid) store<u32>(keys, NO_KEY);
    else store<u32>(keys, keyOf(view, ordinal, numbers, values, isDown));
  }
}

function scanSingle(view: ColumnView, from: u32, length: u32, bitmap: usize, words: i32): void {
  if (!view.order) return scanGapless(view, from, length, bitmap, words);
  for (let ordinal: u32 = 0; ordinal < view.documents; ordinal++) {
    const isIn = bitsRead(view.codes, ordinal, view.width) - from < length;
    if (isIn) setDocid(bitmap, words, docidOf(view, ordinal));
  }
}

/** For consecutive docids: 64 codes at a time as long as whole vectors can be read, then one by one. */
function scanGapless(view: ColumnView, from: u32, length: u32, bitmap: usize, words: i32): void {
  const width = <u64>view.width;
  const mask = bitsMask(view.width);
  const documents = view.documents;
  let ordinal = bitsScan(view.codes, documents, view.width, from, length, bitmap, words, view.firstDocid);
  for (let bit = <u64>ordinal * width; ordinal < documents; ordinal++, bit += width) {
    const code = <u32>(load<u64>(view.codes + <usize>(bit >> 3)) >> (bit & 7)) & mask;
    if (code - from < length) setDocid(bitmap, words, view.firstDocid + ordinal);
  }
}

/** The keys when no document has two values and docids are consecutive. */
function singleKeys(
  view: ColumnView,
  docids: usize,
  count: i32,
  numbers: u32,
  values: u32,
  isDown: bool,
  keys: usize,
): void {
  const width = <u64>view.width;
  const mask = bitsMask(view.width);
  for (const end = docids + (<usize>count << 2); docids < end; docids += 4, keys += 4) {
    const ordinal = load<u32>(docids) - view.firstDocid;
    let key = NO_KEY;
    if (ordinal < view.documents) {
      const bit = <u64>ordinal * width;
      const code = <u32>(load<u64>(view.codes + <usize>(bit >> 3)) >> (bit & 7)) & mask;
      if (code < values) key = isDown ? keyDown(code, numbers, values) : code;
    }
    store<u32>(keys, key);
  }
}

/** Key of a value in a downward sort: numbers and texts in reverse order, but numbers still first. */
function keyDown(code: u32, numbers: u32, values: u32): u32 {
  return code < numbers ? numbers - 1 - code : numbers + values - 1 - code;
}

function keyOf(view: ColumnView, ordinal: u32, numbers: u32, values: u32, isDown: bool): u32 {
  let at = codesStart(view, ordinal);
  const end = codesEnd(view, ordinal);
  let best = NO_KEY;
  for (; at < end; at++) {
    const code = bitsRead(view.codes, at, view.width);
    if (code >= values) break;
    best = min(best, isDown ? keyDown(code, numbers, values) : code);
  }
  return best;
}

function hasBit(set: usize, index: u32): bool {
  return <bool>((<u32>load<u8>(set + <usize>(index >> 3)) >> (index & 7)) & 1);
}

function setDocid(bitmap: usize, words: i32, docid: u32): void {
  if (docid >> 6 >= <u32>words) return;
  const at = bitmap + <usize>(docid >> 3);
  store<u8>(at, <u32>load<u8>(at) | (1 << (docid & 7)));
}
