// The candidates of each segment in order of a column's values, a stretch at a time. Called by columnsort.ts.
//
// A first page needs few of them. Where many documents of the segment are candidates, the keys of a sample
// tell which values come first, and the column is asked for documents with those: their posting lists are
// united if they are short, otherwise its codes are scanned, 64 at a time. Then follow the next values. That
// is several times as fast as reading the key of every candidate, which is done where candidates are few.
import type { Column } from "../../segment/column.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment } from "../reader.ts";
import { candidatesOf, livingOf } from "./candidates.ts";
import type { Documents } from "./documents.ts";
import { Selection, STRETCH_FIRST, STRETCH_GROWTH, type Stretch } from "./selection.ts";

/**
 * Scans pay off from this many candidates in a segment on; below: and if at least one of this many documents
 * is one.
 */
const SCANNED_MIN = 4096;
const DOCUMENTS_PER_CANDIDATE = 8;
/** Number of candidates whose keys are read first. */
const SAMPLE = 512;

export interface ValueOrder {
  /** The next candidates with their sort keys (Column.keys), including all of each value. Null at the end. */
  next(): Stretch | null;
}

/** One sort: the orders of its segments, which take turns using what they share. */
export class ValueOrders {
  readonly #bitmaps: Bitmaps;
  readonly #documents: Documents;
  readonly #isDown: boolean;
  /** Ratio of candidates to all documents of the index. */
  readonly #density: number;
  /** Bitmap of the documents that a scan finds; 0 before the first scan. */
  #found = 0;

  constructor(bitmaps: Bitmaps, documents: Documents, isDown: boolean) {
    this.#bitmaps = bitmaps;
    this.#documents = documents;
    this.#isDown = isDown;
    const all = bitmaps.reader.segments.reduce((sum, { segment }) => sum + segment.meta.documents, 0);
    this.#density = documents.count / all;
  }

  of(open: OpenSegment, column: Column): ValueOrder {
    const { meta } = open.segment;
    const expected = this.#density * meta.documents;
    const isDense = expected >= SCANNED_MIN && expected * DOCUMENTS_PER_CANDIDATE >= meta.documents;
    if (isDense && column.isGapless) {
      const candidates = livingOf(this.#bitmaps, open, this.#documents);
      const sample = this.#sampleKeys(column, candidates, meta);
      const reach = Math.ceil((STRETCH_FIRST * sample.length) / expected);
      const scan = (from: number, to: number) => this.#scan(column, candidates, from, to);
      return new ScannedOrder(column.values, sample, reach, scan);
    }
    const { list, count } = candidatesOf(this.#bitmaps, open, this.#documents);
    return this.#select(column, list, count, 0, column.values);
  }

  /** Sort keys of evenly spaced candidates, in order. */
  #sampleKeys(
    column: Column,
    candidates: number,
    { firstDocid, lastDocid }: { firstDocid: number; lastDocid: number },
  ): Uint32Array {
    const { core, scratch } = this.#bitmaps.reader.share;
    const mark = scratch.mark();
    const docids = scratch.alloc(4 * SAMPLE + 16);
    const keys = scratch.alloc(4 * SAMPLE + 16);
    const count = core.exports.bitmapSample(candidates, firstDocid, lastDocid + 1, SAMPLE, docids);
    column.keys(docids, count, this.#isDown, keys);
    const sample = core.u32.slice(keys / 4, keys / 4 + count).sort();
    scratch.release(mark);
    return sample;
  }

  /** The candidates with keys in [from, to). */
  #scan(column: Column, candidates: number, from: number, to: number): Selection {
    const { core, scratch } = this.#bitmaps.reader.share;
    const { words } = this.#bitmaps;
    if (this.#found) core.u8.fill(0, this.#found, this.#found + 8 * words);
    else this.#found = this.#bitmaps.create();
    column.keysInto(from, to, this.#isDown, this.#found, words);
    this.#bitmaps.and(this.#found, candidates);
    const most = this.#bitmaps.count(this.#found);
    const docids = scratch.alloc(4 * most + 16);
    const count = core.exports.bitmapToList(this.#found, words, 0, docids, most);
    return this.#select(column, docids, count, from, to);
  }

  /** Of `count` docids, those with keys in [from, to). */
  #select(column: Column, docids: number, count: number, from: number, to: number): Selection {
    const { core, scratch } = this.#bitmaps.reader.share;
    const keys = scratch.alloc(4 * count + 16);
    column.keys(docids, count, this.#isDown, keys);
    return new Selection(core, scratch, { docids, keys, count }, to - 1, from);
  }
}

class ScannedOrder implements ValueOrder {
  /** Number of keys. */
  readonly #values: number;
  readonly #sample: Uint32Array;
  /** Number of keys in the sample that the next scan covers; 0: there is no sample. */
  #reach: number;
  readonly #scan: (from: number, to: number) => Selection;
  /** The candidates of the last scan. */
  #selection: Selection | null = null;
  /** First key that is not scanned yet. */
  #from = 0;

  constructor(
    values: number,
    sample: Uint32Array,
    reach: number,
    scan: (from: number, to: number) => Selection,
  ) {
    this.#values = values;
    this.#sample = sample;
    this.#reach = reach;
    this.#scan = scan;
  }

  next(): Stretch | null {
    for (;;) {
      const stretch = this.#selection?.next() ?? null;
      if (stretch) return stretch;
      if (this.#from >= this.#values) return null;
      const to = this.#bound();
      this.#selection = this.#scan(this.#from, to);
      this.#from = to;
    }
  }

  /** Where the next scan ends: after the key of a candidate in the sample, or after all values. */
  #bound(): number {
    while (this.#reach > 0 && this.#reach <= this.#sample.length) {
      const bound = this.#sample[this.#reach - 1] + 1;
      this.#reach *= STRETCH_GROWTH;
      if (bound > this.#from) return Math.min(bound, this.#values);
    }
    return this.#values;
  }
}
