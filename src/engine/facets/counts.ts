// Counts how many of some documents have each value of a field. Used throughout src/engine/facets.
//
// Documents are counted by their codes, segment by segment. When all documents of a segment are asked for,
// nothing is counted: the list of a code begins with its length, and only the codes in the answer are looked
// at.
import type { Core } from "../../core/core.ts";
import type { Column } from "../../segment/column.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment } from "../reader.ts";
import { candidatesOf } from "../search/candidates.ts";
import type { Documents } from "../search/documents.ts";

/**
 * All list lengths are read only for columns with at most this many codes, as a part of the segment's
 * documents.
 */
const CODES_PART_MAX = 1 / 16;

/** Which codes will be asked for: the first ones that have documents, or all. */
type CountUse = "first" | "all";

/** The counts of one field, one for each segment that has it. */
export function codeCounts(
  bitmaps: Bitmaps,
  documents: Documents,
  name: string,
  use: CountUse,
): CodeCounts[] {
  const isWhole = documents.count === bitmaps.count(bitmaps.reader.live);
  return bitmaps.reader.segments.flatMap((open) => {
    const column = open.segment.column(name);
    if (!column) return [];
    const isShort = column.count <= open.segment.meta.documents * CODES_PART_MAX;
    const isKnown = isWhole && !open.tombstones && column.meta.isListed && (use === "first" || isShort);
    return [new CodeCounts(bitmaps, open, column, isKnown ? null : documents)];
  });
}

/** The codes in [from, to) that some document has, descending. */
export function* codesIn(counts: CodeCounts, from: number, to: number): Generator<number> {
  for (let code = counts.last(from, to); code >= 0; code = counts.last(from, code)) yield code;
}

export class CodeCounts {
  readonly column: Column;
  readonly open: OpenSegment;
  readonly #core: Core;
  /** Place of the counts among the words of the core; -1: the frequencies in the column are the counts. */
  readonly #counts: number;

  /** @param documents null: all documents of the segment, none of which is deleted */
  constructor(bitmaps: Bitmaps, open: OpenSegment, column: Column, documents: Documents | null) {
    this.open = open;
    this.column = column;
    this.#core = bitmaps.reader.share.core;
    this.#counts = documents ? counted(bitmaps, open, column, documents) >>> 2 : -1;
  }

  /** Number of documents with a code. */
  of(code: number): number {
    return this.#counts < 0 ? this.column.frequency(code) : this.#core.u32[this.#counts + code];
  }

  /** First code in [from, to) that some document has; `to` when there is none. */
  next(from: number, to: number): number {
    let code = from;
    const { u32 } = this.#core;
    if (this.#counts >= 0) while (code < to && u32[this.#counts + code] === 0) code++;
    return Math.min(code, to);
  }

  /** Last code in [from, to) that some document has, or -1. */
  last(from: number, to: number): number {
    let code = to - 1;
    const { u32 } = this.#core;
    if (this.#counts >= 0) while (code >= from && u32[this.#counts + code] === 0) code--;
    return code >= from ? code : -1;
  }
}

/** Address of the counts: a u32 for each code, and one more. */
function counted(bitmaps: Bitmaps, open: OpenSegment, column: Column, documents: Documents): number {
  const counts = bitmaps.reader.share.scratch.allocZeroed(4 * (column.count + 1));
  const { list, count } = candidatesOf(bitmaps, open, documents);
  column.counts(list, count, counts);
  return counts;
}
