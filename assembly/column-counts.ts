// Counts the codes of documents for facets and distinct: how many documents have each code, and which
// documents share no value with an earlier one. Called by src/segment/column.ts with a view of the column
// (column-view.ts).
import { bitsMask, bitsRead } from "./column-bits";
import { ColumnView, codesEnd, codesStart, docidOf, ordinalFrom } from "./column-view";

/**
 * Adds one to the count of each code of `count` ascending docids; docids of other segments are skipped.
 * `counts` has a u32 for each code and one more.
 */
export function columnCount(column: usize, docids: usize, count: i32, counts: usize): void {
  const view = changetype<ColumnView>(column);
  if (!view.order && !view.starts) return countSingle(view, docids, count, counts);
  let ordinal: u32 = 0;
  for (const end = docids + (<usize>count << 2); docids < end; docids += 4) {
    const docid = load<u32>(docids);
    ordinal = ordinalFrom(view, ordinal, docid);
    if (ordinal == view.documents || docidOf(view, ordinal) != docid) continue;
    const last = codesEnd(view, ordinal);
    for (let at = codesStart(view, ordinal); at < last; at++) {
      countCode(counts, bitsRead(view.codes, at, view.width));
    }
  }
}

/**
 * Of `count` ascending docids, writes to `out` (which may be the same place) those that have no code below
 * `values` in common with an earlier one or with `seen`, a bitmap of such codes, to which theirs are added.
 * It has room for all codes. At most `most`; returns how many. Docids of other segments have no codes.
 */
export function columnDistinct(
  column: usize,
  docids: usize,
  count: i32,
  values: u32,
  seen: usize,
  out: usize,
  most: i32,
): i32 {
  const view = changetype<ColumnView>(column);
  let ordinal: u32 = 0;
  let kept = 0;
  for (const end = docids + (<usize>count << 2); docids < end && kept < most; docids += 4) {
    const docid = load<u32>(docids);
    ordinal = ordinalFrom(view, ordinal, docid);
    if (ordinal < view.documents && docidOf(view, ordinal) == docid) {
      if (isSeen(view, ordinal, seen)) continue;
      see(view, ordinal, values, seen);
    }
    store<u32>(out + (<usize>kept << 2), docid);
    kept++;
  }
  return kept;
}

/** The counts when no document has two codes and docids are consecutive. */
function countSingle(view: ColumnView, docids: usize, count: i32, counts: usize): void {
  const width = <u64>view.width;
  const mask = bitsMask(view.width);
  for (const end = docids + (<usize>count << 2); docids < end; docids += 4) {
    const ordinal = load<u32>(docids) - view.firstDocid;
    if (ordinal >= view.documents) continue;
    const bit = <u64>ordinal * width;
    countCode(counts, <u32>(load<u64>(view.codes + <usize>(bit >> 3)) >> (bit & 7)) & mask);
  }
}

function countCode(counts: usize, code: u32): void {
  const at = counts + (<usize>code << 2);
  store<u32>(at, load<u32>(at) + 1);
}

function isSeen(view: ColumnView, ordinal: u32, seen: usize): bool {
  const end = codesEnd(view, ordinal);
  for (let at = codesStart(view, ordinal); at < end; at++) {
    // Codes that are no values are never added to those that were seen.
    const code = bitsRead(view.codes, at, view.width);
    if ((<u32>load<u8>(seen + <usize>(code >> 3)) >> (code & 7)) & 1) return true;
  }
  return false;
}

function see(view: ColumnView, ordinal: u32, values: u32, seen: usize): void {
  const end = codesEnd(view, ordinal);
  for (let at = codesStart(view, ordinal); at < end; at++) {
    const code = bitsRead(view.codes, at, view.width);
    if (code >= values) return;
    const byte = seen + <usize>(code >> 3);
    store<u8>(byte, <u32>load<u8>(byte) | (1 << (code & 7)));
  }
}
