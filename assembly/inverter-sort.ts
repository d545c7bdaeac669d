// Sorts the terms of an inverter by their bytes, after the last document, and drops those that only an
// unfinished document has. The order is written over the hash table, which is no longer needed.
//
//   order    | u32 address of the term | u32 key |    key: the next four bytes of the term, first one highest
//
// Multikey quicksort after Bentley and Sedgewick, "Fast Algorithms for Sorting and Searching Strings" (1997),
// four bytes at a time: the key moves along with its term, so most comparisons touch no term.
import {
  Inverter,
  SLOT_BYTES,
  TERM_DF,
  TERM_DOCID,
  TERM_LENGTH,
  TERM_TEXT,
  termBytes,
  termEndDocument,
} from "./inverter-terms";

const KEY_BYTES: i32 = 4;
const INSERTION_BYTES: usize = 16 * SLOT_BYTES;

/** Sorts the terms; returns their number. No document can be added afterwards. */
export function inverterSort(inverter: usize): i32 {
  const state = changetype<Inverter>(inverter);
  let at = state.table;
  state.sortedBytes = 0;
  for (let term = state.first; term < state.termsTop; term += termBytes(load<u32>(term, TERM_LENGTH))) {
    if (!finishTerm(term, state)) continue;
    store<u32>(at, <u32>term);
    at += SLOT_BYTES;
    state.sortedBytes += load<u32>(term, TERM_LENGTH);
  }
  state.sorted = <u32>((at - state.table) / SLOT_BYTES);
  sortRecords(state.table, at);
  return state.sorted;
}

/**
 * Sorts the records in [from, to) by the texts of their terms; of a term only its length and bytes are read,
 * at TERM_LENGTH and TERM_TEXT from the address in the record.
 */
export function sortRecords(from: usize, to: usize): void {
  loadKeys(from, to, 0);
  sort(from, to, 0);
}

/** Address of the bytes of term `index` in the order. */
export function inverterTerm(inverter: usize, index: i32): usize {
  return inverterSorted(inverter, index) + TERM_TEXT;
}

export function inverterTermLength(inverter: usize, index: i32): i32 {
  return load<i32>(inverterSorted(inverter, index), TERM_LENGTH);
}

/** Sum of the lengths of all sorted terms. */
export function inverterTermBytes(inverter: usize): u32 {
  return changetype<Inverter>(inverter).sortedBytes;
}

/** Address of term `index` in the order, as inverter-terms.ts draws it. */
export function inverterSorted(inverter: usize, index: i32): usize {
  return <usize>load<u32>(changetype<Inverter>(inverter).table + <usize>index * SLOT_BYTES);
}

/** Ends the last document of a term; false when no document is left apart from the unfinished one. */
function finishTerm(term: usize, state: Inverter): bool {
  const df = load<u32>(term, TERM_DF);
  if (!df) return false;
  if (!state.open || load<u32>(term, TERM_DOCID) != state.docid) {
    termEndDocument(term);
    return true;
  }
  store<u32>(term, df - 1, TERM_DF);
  // Sorting may be repeated: the document is gone from now on.
  store<u32>(term, -1, TERM_DOCID);
  return df > 1;
}

function loadKeys(from: usize, to: usize, depth: i32): void {
  for (; from < to; from += SLOT_BYTES) {
    const term = <usize>load<u32>(from);
    const left = load<i32>(term, TERM_LENGTH) - depth;
    const bytes = bswap<u32>(load<u32>(term + TERM_TEXT + <usize>depth));
    store<u32>(from, left >= KEY_BYTES ? bytes : left > 0 ? bytes & ~(<u32>-1 >> (left << 3)) : 0, 4);
  }
}

/**
 * Sorts terms that agree in their first `depth` bytes. The two smaller parts are sorted by calls, so calls do
 * not nest deeply.
 */
function sort(from: usize, to: usize, depth: i32): void {
  while (to - from > INSERTION_BYTES) {
    const pivot = pivotOf(from, to);
    // [from, less) is below the pivot, [less, at) equal, [more, to) above.
    let less = from;
    let more = to;
    for (let at = from; at < more; ) {
      const key = load<u32>(at, 4);
      if (key < pivot) {
        swap(less, at);
        less += SLOT_BYTES;
        at += SLOT_BYTES;
      } else if (key > pivot) {
        more -= SLOT_BYTES;
        swap(at, more);
      } else at += SLOT_BYTES;
    }
    const equal = longer(less, more, depth + KEY_BYTES);
    loadKeys(equal, more, depth + KEY_BYTES);
    const lessBytes = less - from;
    const equalBytes = more - equal;
    const moreBytes = to - more;
    if (lessBytes < equalBytes || lessBytes < moreBytes) sort(from, less, depth);
    if (equalBytes <= lessBytes || equalBytes < moreBytes) sort(equal, more, depth + KEY_BYTES);
    if (moreBytes <= lessBytes || moreBytes <= equalBytes) sort(more, to, depth);
    if (lessBytes >= equalBytes && lessBytes >= moreBytes) to = less;
    else if (equalBytes > lessBytes && equalBytes >= moreBytes) {
      from = equal;
      to = more;
      depth += KEY_BYTES;
    } else from = more;
  }
  insertionSort(from, to, depth);
}

/**
 * Moves the terms that end within their key to the front, shorter ones first; returns the address of the
 * first other one.
 */
function longer(from: usize, to: usize, depth: i32): usize {
  let end = from;
  for (let at = from; at < to; at += SLOT_BYTES) {
    if (lengthAt(at) > depth) continue;
    swap(end, at);
    // Bytes and padding are equal, so these terms differ in length only: there are at most four.
    for (let back = end; back > from && lengthAt(back - SLOT_BYTES) > lengthAt(back); back -= SLOT_BYTES) {
      swap(back, back - SLOT_BYTES);
    }
    end += SLOT_BYTES;
  }
  return end;
}

/**
 * Median of three keys, at places that do not depend on the order alone: so sorted input and the like do no
 * harm.
 */
function pivotOf(from: usize, to: usize): u32 {
  const count = (to - from) / SLOT_BYTES;
  const offset = (count * 0x9e3779b1) % (count >> 2);
  const a = load<u32>(from + offset * SLOT_BYTES, 4);
  const b = load<u32>(from + (count >> 1) * SLOT_BYTES, 4);
  const c = load<u32>(to - (offset + 1) * SLOT_BYTES, 4);
  return max(min(a, b), min(max(a, b), c));
}

function insertionSort(from: usize, to: usize, depth: i32): void {
  for (let next = from + SLOT_BYTES; next < to; next += SLOT_BYTES) {
    const record = load<u64>(next);
    let at = next;
    for (; at > from && isLess(record, load<u64>(at - SLOT_BYTES), depth); at -= SLOT_BYTES) {
      store<u64>(at, load<u64>(at - SLOT_BYTES));
    }
    store<u64>(at, record);
  }
}

/** Whether the term of one record sorts before that of another; they agree in their first `depth` bytes. */
function isLess(one: u64, other: u64, depth: i32): bool {
  if (one >> 32 != other >> 32) return one >> 32 < other >> 32;
  const a = <usize>(<u32>one);
  const b = <usize>(<u32>other);
  const aLength = load<i32>(a, TERM_LENGTH);
  const bLength = load<i32>(b, TERM_LENGTH);
  const order = memory.compare(
    a + TERM_TEXT + <usize>depth,
    b + TERM_TEXT + <usize>depth,
    <usize>max(0, min(aLength, bLength) - depth),
  );
  return order < 0 || (order == 0 && aLength < bLength);
}

function lengthAt(record: usize): i32 {
  return load<i32>(<usize>load<u32>(record), TERM_LENGTH);
}

function swap(one: usize, other: usize): void {
  const record = load<u64>(one);
  store<u64>(one, load<u64>(other));
  store<u64>(other, record);
}
