// The rule that sorts by a field: documents with numbers first, then those with strings, then those without a value, in both
// directions; a document with several values stands where its best one does. Called by sorting.ts.
//
// Each segment gives its values in order, with the documents of the bucket that hold them, and the streams are merged. A stream
// begins by walking over the values of the column, which is fast when the bucket is large; when that finds too little, it
// looks up the place of every document that is left and sorts these.
import type { Column } from "../../segment/column.ts";
import { NO_PLACE } from "../../segment/columns.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { Documents } from "./documents.ts";
import type { Bucket, Rank, Rule } from "./rule.ts";
import type { Direction } from "./sorting.ts";

/** Values that a walk may look at. */
const WALK_VALUES_MAX = 512;
/** Buckets of fewer documents are never walked for. */
const WALK_DOCUMENTS_MIN = 2048;

/** Documents of one value in one segment. */
interface Group {
  /** A number, or UTF-8. */
  value: number | Buffer;
  docids: number[];
}

export function columnSortRule(bitmaps: Bitmaps, name: string, direction: Direction, isHidden: boolean): Rule {
  const rank = (value: number | string | null): Rank => {
    const shown = isHidden ? { value: "<hidden>" } : { value };
    return { rule: "sort", rank: 1, max: 1, details: { key: isHidden ? null : `${name}:${direction}`, fields: shown } };
  };
  return function* (documents, paths): Generator<Bucket> {
    const rest = bitmaps.create(documents.bitmap);
    let left = documents.count;
    for (const { value, docids } of mergedGroups(bitmaps, documents, rest, name, direction)) {
      const shown = typeof value === "number" ? value : value.toString();
      left -= docids.length;
      yield { documents: listed(bitmaps, docids), paths, rank: rank(shown) };
      if (left === 0) return;
    }
    if (left > 0) yield { documents: Documents.ofBitmap(bitmaps, rest), paths, rank: rank(null) };
  };
}

/** A set of documents in the scratch memory. */
export function listed(bitmaps: Bitmaps, docids: readonly number[]): Documents {
  const { core, scratch } = bitmaps.reader.share;
  const list = scratch.alloc(4 * docids.length + 16);
  core.u32.set(docids, list / 4);
  return Documents.ofList(bitmaps, list, docids.length);
}

/** Groups of all segments, equal values brought together. Takes what it gives out of `rest`. */
function* mergedGroups(
  bitmaps: Bitmaps,
  documents: Documents,
  rest: number,
  name: string,
  direction: Direction,
): Generator<Group> {
  const sign = direction === "asc" ? 1 : -1;
  const streams: { groups: Iterator<Group>; head: Group | null }[] = [];
  for (const open of bitmaps.reader.segments) {
    const column = open.segment.column(name);
    if (!column) continue;
    const groups = new SegmentGroups(bitmaps, open, column, direction).groups(documents, rest);
    streams.push({ groups, head: next(groups) });
  }
  for (;;) {
    let best: Group | null = null;
    for (const { head } of streams) if (head && (!best || compareValues(head.value, best.value, sign) < 0)) best = head;
    if (!best) return;
    const { value } = best;
    const parts: number[][] = [];
    for (const stream of streams) {
      if (!stream.head || compareValues(stream.head.value, value, sign) !== 0) continue;
      parts.push(stream.head.docids);
      stream.head = next(stream.groups);
    }
    yield { value, docids: parts.length === 1 ? parts[0] : parts.flat().sort((a, b) => a - b) };
  }
}

const next = (groups: Iterator<Group>): Group | null => {
  const { value, done } = groups.next();
  return done ? null : value;
};

/** Numbers stand before strings in both directions. */
function compareValues(a: number | Buffer, b: number | Buffer, sign: number): number {
  if (typeof a === "number") return typeof b === "number" ? sign * (a - b) : -1;
  return typeof b === "number" ? 1 : sign * Buffer.compare(a, b);
}

/** The values of one segment. */
class SegmentGroups {
  readonly #bitmaps: Bitmaps;
  readonly #open: OpenSegment;
  readonly #column: Column;
  readonly #isUpward: boolean;

  constructor(bitmaps: Bitmaps, open: OpenSegment, column: Column, direction: Direction) {
    this.#bitmaps = bitmaps;
    this.#open = open;
    this.#column = column;
    this.#isUpward = direction === "asc";
  }

  *groups(documents: Documents, rest: number): Generator<Group> {
    let walked = 0;
    if (documents.count >= WALK_DOCUMENTS_MIN) {
      for (; walked < Math.min(WALK_VALUES_MAX, this.#column.values); walked++) {
        const docids = this.#take(this.#placeAt(walked), rest);
        if (docids.length) yield this.#group(this.#placeAt(walked), docids);
      }
    }
    if (walked < this.#column.values) yield* this.#lookedUp(rest);
  }

  /** Place of the value that is number `index` in the order of the sort; the opposite is the same. */
  #placeAt(index: number): number {
    const { numbers, strings } = this.#column.meta;
    if (this.#isUpward) return index;
    return index < numbers ? numbers - 1 - index : numbers + (strings - 1 - (index - numbers));
  }

  #group(place: number, docids: number[]): Group {
    const { numbers } = this.#column.meta;
    // The bytes are copied: the cache may move them before the group is used.
    const value = place < numbers ? this.#column.numbers[place] : Buffer.from(this.#column.textBytes(place - numbers));
    return { value, docids };
  }

  /** Documents of a value that are in `rest`; they leave it. */
  #take(place: number, rest: number): number[] {
    const { core, scratch } = this.#bitmaps.reader.share;
    const mark = scratch.mark();
    const taken: number[] = [];
    for (const docid of this.#column.docids(place, (bytes) => scratch.alloc(bytes))) {
      const at = rest + (docid >>> 3);
      const bit = 1 << (docid & 7);
      if (!(core.u8[at] & bit) || !this.#bitmaps.reader.livesIn(this.#open, docid)) continue;
      core.u8[at] &= ~bit;
      taken.push(docid);
    }
    scratch.release(mark);
    return taken;
  }

  /** The documents of the segment that are left in `rest`, grouped by the place of their best value. */
  *#lookedUp(rest: number): Generator<Group> {
    const { reader } = this.#bitmaps;
    const { segment } = this.#open;
    const { u8 } = reader.share.core;
    const places = this.#isUpward ? this.#column.least : this.#column.greatest;
    const candidates = Documents.ofBitmap(this.#bitmaps, rest);
    const keys = new Float64Array(candidates.count);
    const list = reader.share.core.u32.subarray(candidates.list / 4, candidates.list / 4 + candidates.count);
    let found = 0;
    for (let i = 0; i < list.length; i++) {
      const ordinal = reader.livesIn(this.#open, list[i]) ? segment.ordinalOf(list[i]) : -1;
      const place = ordinal < 0 ? NO_PLACE : places[ordinal];
      if (place !== NO_PLACE) keys[found++] = this.#placeAt(place) * KEY_SPAN + i;
    }
    const sorted = keys.subarray(0, found).sort();
    const docids = Uint32Array.from(sorted, (key) => list[key % KEY_SPAN]);
    for (let i = 0; i < found; ) {
      const index = Math.floor(sorted[i] / KEY_SPAN);
      const group: number[] = [];
      for (; i < found && Math.floor(sorted[i] / KEY_SPAN) === index; i++) {
        u8[rest + (docids[i] >>> 3)] &= ~(1 << (docids[i] & 7));
        group.push(docids[i]);
      }
      yield this.#group(this.#placeAt(index), group);
    }
  }
}

/** Place and index of a document in one exact number: 2^26 places of 2^26 documents at least. */
const KEY_SPAN = 2 ** 26;
