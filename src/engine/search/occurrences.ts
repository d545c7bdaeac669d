// What the occurrences of items cost the documents of one bucket, as arrays by index in the bucket's list:
// called by the ranking rules between `begin` and `end`. The kernels are those of assembly/ranking-walk.ts.

import {
  costBytes,
  INTO_CHAINS,
  INTO_FIELD_COSTS,
  INTO_PLACES,
  INTO_POSITION_COSTS,
  INTO_SPANS,
  RANKING_NONE,
} from "../../core/ranking.ts";
import { Region } from "../../core/region.ts";
import { POSITIONS, POSTINGS } from "../../segment/termstarts.ts";
import type { ReaderShare } from "../reader.ts";
import type { Documents } from "./documents.ts";
import type { Item } from "./graph.ts";
import type { Matching } from "./matching.ts";
import type { Phrase } from "./parse.ts";
import type { Ranges } from "./vocabulary.ts";

/** Words to visit; `filter`: bitmap of the documents where they count, 0: all. */
export interface Source {
  ranges: Ranges;
  filter: number;
}

/** A bucket is taken as a bitmap when it has a document for so many words of 64. */
const BITMAP_RATIO = 4;
/** Bytes of a key, or of a key with its link: for each byte of positions at most. */
const KEY_BYTES = 4;
const CHAINED_KEY_BYTES = 8;

export class Occurrences {
  readonly matching: Matching;
  readonly #share: ReaderShare;
  #documents: Documents | null = null;

  constructor(matching: Matching) {
    this.matching = matching;
    this.#share = matching.lookups.bitmaps.reader.share;
  }

  /** Runs `evaluate` with a bucket's documents at hand. */
  during<T>(documents: Documents, evaluate: () => T): T {
    const { words } = this.matching.lookups.bitmaps;
    const { exports } = this.#share.core;
    const { list, count } = documents;
    const marks = marksOf(this.#share, words);
    const firsts = marks + 8 * words;
    if (count * BITMAP_RATIO < words) exports.rankingBegin(list, count, marks, firsts, words);
    else exports.rankingBeginBitmap(list, count, documents.bitmap, firsts, words);
    this.#documents = documents;
    try {
      return evaluate();
    } finally {
      exports.rankingEnd();
      this.#documents = null;
    }
  }

  /** The bucket at hand. */
  get documents(): Documents {
    return this.#documents!;
  }

  /** A new array of costs, all the same. */
  costs(value: number): number {
    const pointer = this.#share.scratch.alloc(costBytes(this.documents.count));
    this.#share.core.exports.rankingFill(pointer, this.documents.count, value);
    return pointer;
  }

  /** Lowers costs in the documents of a bitmap. */
  lower(costs: number, bitmap: number, value: number): void {
    const { list, count } = this.documents;
    const { words } = this.matching.lookups.bitmaps;
    if (bitmap) this.#share.core.exports.rankingLower(list, count, bitmap, words, value, costs);
  }

  /** Least of `values` (by field number) over the fields where an item occurs. */
  fieldCosts(item: Item, values: readonly number[]): number {
    const minima = [...values];
    for (let i = minima.length - 2; i >= 0; i--) minima[i] = Math.min(minima[i], minima[i + 1]);
    return this.#leastCosts(item, INTO_FIELD_COSTS, [...values, ...minima], values.length);
  }

  /** Least of `values` (by place, see placeOf) over the positions where an item occurs. */
  positionCosts(item: Item, values: readonly number[]): number {
    return this.#leastCosts(item, INTO_POSITION_COSTS, values, values.length);
  }

  /** Keys of some words as spans, two u32 per document. */
  keys(sources: readonly Source[]): number {
    const { core, scratch } = this.#share;
    const { count } = this.documents;
    const spans = scratch.allocZeroed(8 * count + 8);
    const bytes = sources.reduce((sum, { ranges }) => sum + this.#positionBytes(ranges), 0);
    const isSingle = sources.length === 1 && sources[0].ranges.every(({ from, to }) => to - from <= 1);
    if (isSingle) {
      this.#fill(INTO_SPANS, spans, sources, KEY_BYTES * bytes);
      return spans;
    }
    const heads = scratch.allocZeroed(4 * count + 4);
    const mark = scratch.mark();
    const end = this.#fill(INTO_CHAINS, heads, sources, CHAINED_KEY_BYTES * bytes);
    const keys = scratch.alloc((end - mark) / 2);
    core.exports.rankingSortChains(heads, count, spans, keys);
    return spans;
  }

  /**
   * Bits of the fields from `firstField` on where a word occurs, u32 per document; 0 if it is never at
   * `place`.
   */
  places(ranges: Ranges, place: number, firstField: number): number {
    const masks = this.#share.scratch.allocZeroed(4 * this.documents.count + 4);
    this.#share.core.exports.rankingInto(INTO_PLACES, masks, firstField, place, 0, 0);
    this.#visit(ranges, 0);
    return masks;
  }

  /** First real words of phrases where the phrase matches, with the single words of an item. */
  sources(item: Item, slotOf: (phrase: Phrase) => string | null): Source[] {
    const { exact, prefix, typos, phrases } = this.matching.forms(item);
    const { lookups } = this.matching;
    const words = [...(prefix ? [prefix] : exact ? [exact] : []), ...typos];
    const sources: Source[] = words.map((ranges) => ({ ranges, filter: 0 }));
    for (const phrase of phrases) {
      const slot = slotOf(phrase);
      const word = slot === null ? null : lookups.vocabulary.find(slot);
      if (word) sources.push({ ranges: word.ranges, filter: lookups.phrase(phrase) });
    }
    return sources;
  }

  #leastCosts(item: Item, into: number, values: readonly number[], count: number): number {
    const { core, scratch } = this.#share;
    const costs = this.costs(RANKING_NONE);
    const mark = scratch.mark();
    const table = scratch.alloc(2 * values.length + 2);
    new Uint16Array(core.memory.buffer, table, values.length).set(values);
    core.exports.rankingInto(into, costs, table, count, 0, 0);
    for (const { ranges, filter } of this.sources(item, firstWord)) this.#visit(ranges, filter);
    scratch.release(mark);
    return costs;
  }

  /** Collects keys on top of the scratch memory, which ends behind them; returns their end. */
  #fill(into: number, out: number, sources: readonly Source[], bytes: number): number {
    const { core, scratch } = this.#share;
    const mark = scratch.mark();
    const space = scratch.alloc(bytes + CHAINED_KEY_BYTES);
    core.exports.rankingInto(into, out, 0, 0, space, bytes + CHAINED_KEY_BYTES);
    for (const { ranges, filter } of sources) this.#visit(ranges, filter);
    const end = core.exports.rankingSpaceEnd() >>> 0;
    scratch.release(mark);
    scratch.alloc(end - space);
    return end;
  }

  #visit(ranges: Ranges, filter: number): void {
    const { reader, words } = this.matching.lookups.bitmaps;
    const { core, scratch } = this.#share;
    reader.segments.forEach(({ segment, tombstones }, i) => {
      const { from, to } = ranges[i];
      if (from >= to) return;
      const bytes = 4 * (to - from + 1);
      const mark = scratch.mark();
      const starts = scratch.alloc(2 * bytes);
      segment.starts.read(POSTINGS, from, to, starts);
      segment.starts.read(POSITIONS, from, to, starts + bytes);
      core.exports.rankingVisit(
        segment.postingsRange(from, to).pointer,
        starts,
        segment.positionsRange(from, to).pointer,
        starts + bytes,
        to - from,
        tombstones,
        filter,
        words,
      );
      scratch.release(mark);
    });
  }

  #positionBytes(ranges: Ranges): number {
    const { reader } = this.matching.lookups.bitmaps;
    return reader.segments.reduce((sum, { segment }, i) => {
      const { from, to } = ranges[i];
      return from < to ? sum + segment.positionsRange(from, to).length : sum;
    }, 0);
  }
}

const firstWord = ({ slots }: Phrase): string | null => slots.find((word) => word !== null) ?? null;

const markRegions = new WeakMap<ReaderShare, Region>();
/** A u64 of marks and a u32 index. */
const MARK_BYTES = 12;

/** Marks for so many words, zero: reserved once per thread, kept zero by their users. */
function marksOf(share: ReaderShare, words: number): number {
  const region = markRegions.get(share) ?? new Region(share.core);
  markRegions.set(share, region);
  // The marks of fewer words end earlier: what lies behind them may be no zeros.
  if (region.bytes < MARK_BYTES * words) region.ensure(MARK_BYTES * words);
  if (markWords.get(share) !== words) share.core.fill(region.pointer, 0, 8 * words);
  markWords.set(share, words);
  return region.pointer;
}

/** Words that the marks of a thread are laid out for. */
const markWords = new WeakMap<ReaderShare, number>();
