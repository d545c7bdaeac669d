// The candidates of one segment in order of a column's values, a stretch at a time. Called by columnsort.ts.
//
// A first page needs few of them. Where many documents of the segment are candidates, the keys of a sample
// tell which values the first ones have, and the column is scanned for those, 64 codes at a time; then for
// those of the next ones. That is several times as fast as to read the key of every candidate, which is done
// where few are.
import type { Column } from "../../segment/column.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { candidatesOf } from "./candidates.ts";
import type { Documents } from "./documents.ts";
import { Selection, type Stretch } from "./selection.ts";

/** Scans pay from so many candidates in a segment on, and where at least one of so many documents is one. */
const SCANNED_MIN = 4096;
const DOCUMENTS_PER_CANDIDATE = 8;
/** Candidates whose keys are read first; each is looked for among so many documents. */
const SAMPLE = 512;
const PROBES = 64;
/** Candidates that the first scan is to find, and how many times as many each further one. */
const FOUND_FIRST = 256;
const GROWTH = 4;

export interface ValueOrder {
  /** The next candidates, all of each value: their sort keys (Column.keys). Null at the end. */
  next(): Stretch | null;
}

/** A bitmap for the scans of all segments, one after the other; made by the first of them. */
export class ScanRoom {
  readonly #bitmaps: Bitmaps;
  #bitmap = 0;

  constructor(bitmaps: Bitmaps) {
    this.#bitmaps = bitmaps;
  }

  /** Address of an empty one. */
  empty(): number {
    const { core } = this.#bitmaps.reader.share;
    if (this.#bitmap) core.u8.fill(0, this.#bitmap, this.#bitmap + 8 * this.#bitmaps.words);
    else this.#bitmap = this.#bitmaps.create();
    return this.#bitmap;
  }
}

export function valueOrder(
  bitmaps: Bitmaps,
  open: OpenSegment,
  column: Column,
  documents: Documents,
  isDown: boolean,
  room: ScanRoom,
): ValueOrder {
  const own = open.segment.meta.documents;
  const all = bitmaps.reader.segments.reduce((sum, { segment }) => sum + segment.meta.documents, 0);
  const expected = documents.count * (own / all);
  const isDense = expected >= SCANNED_MIN && expected * DOCUMENTS_PER_CANDIDATE >= own;
  if (isDense && column.isGapless)
    return new ScannedOrder(bitmaps, open, column, documents, isDown, room, expected);
  const { docids, count } = candidatesOf(bitmaps, open, documents);
  return selectionOf(bitmaps, column, { docids, count, isDown, from: 0, to: column.values });
}

class ScannedOrder implements ValueOrder {
  readonly #bitmaps: Bitmaps;
  readonly #column: Column;
  readonly #isDown: boolean;
  readonly #candidates: number;
  readonly #room: ScanRoom;
  /** Keys of the sample, in order. */
  readonly #sample: Uint32Array;
  /** So many of the sample have keys that the next scan reaches; 0: there is no sample. */
  #reach: number;
  /** Of the values scanned last. */
  #selection: Selection | null = null;
  /** First key that was not scanned. */
  #from = 0;

  constructor(
    bitmaps: Bitmaps,
    { segment, tombstones }: OpenSegment,
    column: Column,
    documents: Documents,
    isDown: boolean,
    room: ScanRoom,
    expected: number,
  ) {
    this.#bitmaps = bitmaps;
    this.#column = column;
    this.#isDown = isDown;
    this.#room = room;
    this.#candidates = tombstones ? bitmaps.create(documents.bitmap) : documents.bitmap;
    if (tombstones) bitmaps.andNot(this.#candidates, tombstones);
    this.#sample = this.#sampleKeys(segment.meta);
    this.#reach = Math.ceil((FOUND_FIRST * this.#sample.length) / expected);
  }

  next(): Stretch | null {
    for (;;) {
      const stretch = this.#selection?.next() ?? null;
      if (stretch) return stretch;
      if (this.#from >= this.#column.values) return null;
      this.#selection = this.#scan();
    }
  }

  /** Of candidates at even distances. */
  #sampleKeys({ firstDocid, lastDocid }: { firstDocid: number; lastDocid: number }): Uint32Array {
    const { core, scratch } = this.#bitmaps.reader.share;
    const mark = scratch.mark();
    const docids = scratch.alloc(4 * SAMPLE + 16);
    const keys = scratch.alloc(4 * SAMPLE + 16);
    const step = (lastDocid + 1 - firstDocid) / SAMPLE;
    let count = 0;
    for (let i = 0; i < SAMPLE; i++) {
      let docid = firstDocid + Math.floor(i * step);
      const end = Math.min(docid + PROBES, firstDocid + Math.floor((i + 1) * step));
      while (docid < end && !this.#bitmaps.has(this.#candidates, docid)) docid++;
      if (docid < end) core.u32[docids / 4 + count++] = docid;
    }
    this.#column.keys(docids, count, this.#isDown, keys);
    const sample = core.u32.slice(keys / 4, keys / 4 + count).sort();
    scratch.release(mark);
    return sample;
  }

  #scan(): Selection {
    const { core, scratch } = this.#bitmaps.reader.share;
    const { words } = this.#bitmaps;
    const from = this.#from;
    const to = this.#bound();
    this.#from = to;
    const found = this.#room.empty();
    this.#column.keysInto(from, to, this.#isDown, found, words);
    this.#bitmaps.and(found, this.#candidates);
    const most = this.#bitmaps.count(found);
    const docids = scratch.alloc(4 * most + 16);
    const count = core.exports.bitmapToList(found, words, 0, docids, most);
    return selectionOf(this.#bitmaps, this.#column, { docids, count, isDown: this.#isDown, from, to });
  }

  /** Where the next scan ends: behind the key of a candidate of the sample, or behind all values. */
  #bound(): number {
    const { values } = this.#column;
    while (this.#reach > 0 && this.#reach <= this.#sample.length) {
      const bound = this.#sample[this.#reach - 1] + 1;
      this.#reach *= GROWTH;
      if (bound > this.#from) return Math.min(bound, values);
    }
    return values;
  }
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
