// The forward part of a column as its readers see it (column-reader.ts, column-counts.ts, column-merge.ts):
// which codes each document of a segment has. The host fills in a view:
//
//   view     | u32 codes | u32 bits of a code | u32 starts, 0 | u32 bits of a start | u32 documents
//            | u32 order, 0 | u32 first docid |
//
// With starts, document i has the codes [start i, start i + 1), ascending; without, it has code number i, or
// none if that equals the number of codes. `order` has the docids of the documents, ascending; without it,
// they count up from the first.
import { bitsRead } from "./column-bits";

@unmanaged
export class ColumnView {
  codes: usize;
  width: u32;
  starts: usize;
  startWidth: u32;
  documents: u32;
  order: usize;
  firstDocid: u32;
}

export function codesStart(view: ColumnView, ordinal: u32): u32 {
  return view.starts ? bitsRead(view.starts, ordinal, view.startWidth) : ordinal;
}

export function codesEnd(view: ColumnView, ordinal: u32): u32 {
  return view.starts ? bitsRead(view.starts, ordinal + 1, view.startWidth) : ordinal + 1;
}

export function docidOf(view: ColumnView, ordinal: u32): u32 {
  return view.order ? load<u32>(view.order + (<usize>ordinal << 2)) : view.firstDocid + ordinal;
}

/**
 * First ordinal from `from` on whose docid is not less than `docid`, or the number of documents. Gallops.
 * Without gaps, the ordinal of the docid itself, or the number of documents when there is none.
 */
export function ordinalFrom(view: ColumnView, from: u32, docid: u32): u32 {
  if (!view.order) return min(docid - view.firstDocid, view.documents);
  let low = from;
  let high = from;
  for (let step: u32 = 1; high < view.documents && docidOf(view, high) < docid; step <<= 1) {
    low = high + 1;
    high += step;
  }
  high = min(high, view.documents);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docidOf(view, middle) < docid) low = middle + 1;
    else high = middle;
  }
  return low;
}
