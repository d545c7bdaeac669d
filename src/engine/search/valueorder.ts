// The candidates of one segment in order of a column's values, a stretch at a time. Called by columnsort.ts.
//
// A first page needs few of them. Where many documents of the segment are candidates, the column is scanned
// for those with one of its first values, 64 codes at a time, then for those with one of the next: that is
// several times as fast as to read the key of every candidate. Where few are, their keys are read at once.
import type { Column } from "../../segment/column.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { candidatesOf } from "./candidates.ts";
import type { Documents } from "./documents.ts";
import { Selection, type Stretch } from "./selection.ts";

/** Scans pay from so many candidates on, and where at least one of so many documents is a candidate. */
const SCANNED_MIN = 4096;
const DOCUMENTS_PER_CANDIDATE = 8;
/** Candidates that the first scan is to find, were they spread evenly; each further one takes more values. */
const FOUND_FIRST = 256;
const GROWTH = 4;

export interface ValueOrder {
  /** The next candidates, all of each value: their sort keys (Column.keys). Null at the end. */
  next(): Stretch | null;
}

export function valueOrder(
  bitmaps: Bitmaps,
  open: OpenSegment,
  column: Column,
  documents: Documents,
  isDown: boolean,
): ValueOrder {
  const { meta } = open.segment;
  const most = Math.min(documents.count, meta.documents);
  const isDense = most >= SCANNED_MIN && most * DOCUMENTS_PER_CANDIDATE >= meta.documents;
  if (isDense && column.isScannedFast) return new ScannedOrder(bitmaps, open, column, documents, isDown);
  const { docids, count } = candidatesOf(bitmaps, open, documents);
  return selectionOf(bitmaps, column, { docids, count, isDown, from: 0, to: column.values });
}

/** Candidates whose keys are in [from, to), or above all values. */
interface Keyed {
  docids: number;
  count: number;
  isDown: boolean;
  from: number;
  to: number;
}

function selectionOf(bitmaps: Bitmaps, column: Column, keyed: Keyed): Selection {
  const { core, scratch } = bitmaps.reader.share;
  const { docids, count, isDown, from, to } = keyed;
  const keys = scratch.alloc(4 * count + 16);
  column.keys(docids, count, isDown, keys);
  return new Selection(core, scratch, { docids, keys, count }, to - 1, from);
}

class ScannedOrder implements ValueOrder {
  readonly #bitmaps: Bitmaps;
  readonly #column: Column;
  readonly #isDown: boolean;
  readonly #candidates: number;
  readonly #found: number;
  /** Of the values scanned last. */
  #selection: Selection | null = null;
  /** First key that was not scanned. */
  #from = 0;
  #width: number;

  constructor(
    bitmaps: Bitmaps,
    { tombstones }: OpenSegment,
    column: Column,
    documents: Documents,
    isDown: boolean,
  ) {
    this.#bitmaps = bitmaps;
    this.#column = column;
    this.#isDown = isDown;
    this.#candidates = tombstones ? bitmaps.create(documents.bitmap) : documents.bitmap;
    if (tombstones) bitmaps.andNot(this.#candidates, tombstones);
    this.#found = bitmaps.create();
    this.#width = Math.ceil((column.values * FOUND_FIRST) / documents.count);
  }

  next(): Stretch | null {
    for (;;) {
      const stretch = this.#selection?.next() ?? null;
      if (stretch) return stretch;
      if (this.#from >= this.#column.values) return null;
      this.#selection = this.#scan();
    }
  }

  #scan(): Selection {
    const { core, scratch } = this.#bitmaps.reader.share;
    const { words } = this.#bitmaps;
    const from = this.#from;
    const to = Math.min(from + this.#width, this.#column.values);
    this.#from = to;
    this.#width *= GROWTH;
    core.u8.fill(0, this.#found, this.#found + 8 * words);
    this.#column.keysInto(from, to, this.#isDown, this.#found, words);
    this.#bitmaps.and(this.#found, this.#candidates);
    const most = this.#bitmaps.count(this.#found);
    const docids = scratch.alloc(4 * most + 16);
    const count = core.exports.bitmapToList(this.#found, words, 0, docids, most);
    return selectionOf(this.#bitmaps, this.#column, { docids, count, isDown: this.#isDown, from, to });
  }
}
