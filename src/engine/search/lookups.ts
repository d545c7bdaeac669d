// Documents of words, neighbours and phrases as bitmaps, each made once in a search. Which fields a word
// looks at: everywhere it may for a word of the query itself (original), only where typos are tolerated for
// what was derived from it. Called by matching.ts, derive.ts and the rules. The bitmaps are shared: nobody
// writes to them.
import type { Segment } from "../../segment/segment.ts";
import type { TermList } from "../../segment/termlists.ts";
import { POSTINGS } from "../../segment/termstarts.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import type { SearchField } from "./fields.ts";
import type { Phrase } from "./parse.ts";
import type { Cut, Range, Ranges, Vocabulary } from "./vocabulary.ts";

export interface LookupOptions {
  /** The search looks at some fields only (attributesToSearchOn). */
  restricted: boolean;
  /** Numbers tolerate no typos (disableOnNumbers). */
  exactNumbers: boolean;
  /** Words are near when they share a field (proximityPrecision). */
  byAttribute: boolean;
}

/** Phrase windows: slots at most this far apart constrain each other. */
const PHRASE_WINDOW = 3;
const DECODE_SLACK_BYTES = 1024;
const NUMERIC = /^[\p{N}!-/:-@[-`{-~]+$/u;

export class Lookups {
  readonly bitmaps: Bitmaps;
  readonly vocabulary: Vocabulary;
  readonly fields: readonly SearchField[];
  readonly options: LookupOptions;
  readonly #kept = new Map<string, number>();
  #fieldFlags = 0;

  constructor(
    bitmaps: Bitmaps,
    vocabulary: Vocabulary,
    fields: readonly SearchField[],
    options: LookupOptions,
  ) {
    this.bitmaps = bitmaps;
    this.vocabulary = vocabulary;
    this.fields = fields;
    this.options = options;
  }

  /** True when all lookups find a word wherever it occurs. */
  get everywhere(): boolean {
    return !this.options.exactNumbers && this.fields.every(({ allowed, exact }) => allowed && !exact);
  }

  /** Documents of a word of the query that stands as it is. */
  word(text: string): number {
    return this.#once(`word ${text}`, (target) => {
      const word = this.vocabulary.find(text);
      if (word) this.add(target, word.ranges, false);
    });
  }

  /** Documents of a word of the query in one field, of those in a bitmap: a new one each time. */
  wordIn(text: string, field: number, among: number): number {
    const found = this.bitmaps.create();
    const word = this.vocabulary.find(text);
    if (!word) return found;
    const isWanted = (other: SearchField) => other === this.fields[field];
    this.#perSegment(found, (open, i, bitmap) => {
      const { from, to } = word.ranges[i];
      if (from < to) this.#addFields(bitmap, open, from, isWanted, among);
    });
    return found;
  }

  /** Documents where b follows a at a distance of at most `most`; by attribute: where a field holds both. */
  near(a: string, b: string, most: number): number {
    const { byAttribute } = this.options;
    return this.#once(`near ${byAttribute ? 0 : most} ${a} ${b}`, (target) => {
      const left = this.vocabulary.find(a);
      const right = left && this.vocabulary.find(b);
      if (!left || !right) return;
      // Made before the memory of a segment's turn begins, since they outlive it.
      const flags = byAttribute ? this.fieldFlags : 0;
      this.#perSegment(target, (open, i, bitmap) => {
        const [l, r] = [left.ranges[i], right.ranges[i]];
        if (l.from < l.to && r.from < r.to) this.#addNear(bitmap, open, [l.from, r.from], most, flags);
      });
    });
  }

  /** Number of documents where b directly follows a. */
  countNear(a: string, b: string): number {
    return this.bitmaps.count(this.near(a, b, 1));
  }

  /** A bound of that number, without looking at places. */
  mostNear(cuts: readonly Cut[]): number {
    return cuts.reduce((sum, { segment, left, right }) => {
      const { segment: own } = this.bitmaps.reader.segments[segment];
      const [a, b] = [left, right].map((ordinal) => this.#documents(own.postings(ordinal)));
      return sum + Math.min(a, b);
    }, 0);
  }

  /** Documents that hold all words of a phrase, neighbours at their distance. */
  phrase({ slots }: Phrase): number {
    const [first, second] = slots;
    if (slots.length === 1 && first !== null) return this.word(first);
    // Neighbours are there where both words are, unless look-ups leave out fields.
    if (slots.length === 2 && first !== null && second !== null && this.everywhere)
      return this.near(first, second, 1);
    return this.#once(`phrase ${JSON.stringify(slots)}`, (target) => {
      const { bitmaps } = this;
      bitmaps.or(target, bitmaps.reader.live);
      for (const word of slots) if (word !== null) bitmaps.and(target, this.word(word));
      slots.forEach((left, i) => {
        for (let j = i + 1; j < Math.min(i + PHRASE_WINDOW, slots.length); j++) {
          const right = slots[j];
          if (left !== null && right !== null) bitmaps.and(target, this.near(left, right, j - i));
        }
      });
    });
  }

  /** Documents where a field has exactly `words` words (30 at most are known). */
  counted(field: number, words: number): number {
    return this.#once(`counted ${field} ${words}`, (target) => {
      this.#perSegment(target, ({ segment }, _, bitmap) => {
        const list = this.countedIn(segment, field, words);
        if (!list) return;
        const { reader, words: bitmapWords } = this.bitmaps;
        reader.share.core.exports.postingsIntoBitmap(list.pointer, list.length, bitmap, bitmapWords);
      });
    });
  }

  /** Those of one segment, with those deleted there, as a posting list; null: none. */
  countedIn(segment: Segment, field: number, words: number): TermList | null {
    const ordinal = segment.dictionary.find(Uint8Array.of(0, field >> 8, field & 255, words));
    return ordinal < 0 ? null : segment.postings(ordinal);
  }

  /** Adds the documents of all words of some ranges, in the fields that count. */
  add(target: number, ranges: Ranges, derived: boolean): void {
    const counts = (field: SearchField) => field.allowed && !(derived && field.exact);
    const everywhere = this.fields.every(counts);
    const noNumbers = derived && this.options.exactNumbers && !this.options.restricted;
    this.#perSegment(target, (open, i, bitmap) => {
      const { from, to } = ranges[i];
      if (from >= to) return;
      if (everywhere && !noNumbers) {
        this.#addRange(bitmap, open, ranges[i]);
        return;
      }
      for (let ordinal = from; ordinal < to; ordinal++) {
        if (noNumbers && NUMERIC.test(open.segment.dictionary.term(ordinal))) continue;
        this.#addFields(bitmap, open, ordinal, counts);
      }
    });
  }

  /** True when a document that lives holds a word of a segment. */
  lives(segment: number, ordinal: number): boolean {
    const { reader, words } = this.bitmaps;
    const { segment: own, tombstones } = reader.segments[segment];
    if (tombstones === 0) return true;
    const { pointer, length } = own.postings(ordinal);
    return reader.share.core.exports.postingsAnyOutside(pointer, length, tombstones, words) > 0;
  }

  /** True when a document that lives holds a word of a segment where typos are tolerated. */
  isTolerant(segment: number, ordinal: number): boolean {
    const { reader } = this.bitmaps;
    const open = reader.segments[segment];
    if (this.options.exactNumbers && NUMERIC.test(open.segment.dictionary.term(ordinal))) return false;
    if (!this.fields.some(({ exact }) => exact)) return this.lives(segment, ordinal);
    const mark = reader.share.scratch.mark();
    const documents = this.bitmaps.create();
    this.#addFields(documents, open, ordinal, ({ exact }) => !exact);
    if (open.tombstones) this.bitmaps.andNot(documents, open.tombstones);
    const found = this.bitmaps.any(documents);
    reader.share.scratch.release(mark);
    return found;
  }

  /** A byte per field number: 1 where the search looks. */
  get fieldFlags(): number {
    if (!this.#fieldFlags) {
      const { core, scratch } = this.bitmaps.reader.share;
      this.#fieldFlags = scratch.allocZeroed(this.fields.length + 1);
      this.fields.forEach(({ allowed }, number) => {
        core.u8[this.#fieldFlags + number] = Number(allowed);
      });
    }
    return this.#fieldFlags;
  }

  #addRange(bitmap: number, { segment }: OpenSegment, { from, to }: Range): void {
    const { reader, words } = this.bitmaps;
    const { core, scratch } = reader.share;
    const { pointer } = segment.postingsRange(from, to);
    const mark = scratch.mark();
    const starts = scratch.alloc(4 * (to - from + 1));
    segment.starts.read(POSTINGS, from, to, starts);
    core.exports.matchRange(pointer, starts, to - from, bitmap, words);
    scratch.release(mark);
  }

  /** `flags`: of the fields that may be shared, 0 when words must be near. */
  #addNear(
    bitmap: number,
    { segment }: OpenSegment,
    [a, b]: [number, number],
    most: number,
    flags: number,
  ): void {
    const [l, lp] = [segment.postings(a), segment.positions(a)];
    const [r, rp] = [segment.postings(b), segment.positions(b)];
    const { core, scratch } = this.bitmaps.reader.share;
    const mark = scratch.mark();
    const documents = this.#documents(l) + this.#documents(r);
    const room = scratch.alloc(12 * documents + 4 * (lp.length + rp.length) + 2 * DECODE_SLACK_BYTES);
    const leftList = [l.pointer, l.length, lp.pointer, lp.length] as const;
    const rightList = [r.pointer, r.length, rp.pointer, rp.length] as const;
    core.exports.matchNear(
      ...leftList,
      ...rightList,
      flags ? 0 : most,
      flags,
      this.fields.length,
      room,
      bitmap,
    );
    scratch.release(mark);
  }

  #addFields(
    bitmap: number,
    { segment }: OpenSegment,
    ordinal: number,
    counts: (field: SearchField) => boolean,
    among = 0,
  ): void {
    const { core, scratch } = this.bitmaps.reader.share;
    const mark = scratch.mark();
    const postings = segment.postings(ordinal);
    const positions = segment.positions(ordinal);
    const bits = scratch.allocZeroed(Math.ceil(this.fields.length / 8) + 8);
    this.fields.forEach((field, number) => {
      if (counts(field)) core.u8[bits + (number >> 3)] |= 1 << (number & 7);
    });
    const room = scratch.alloc(this.#documents(postings) * 4 + DECODE_SLACK_BYTES);
    const list = [postings.pointer, postings.length, positions.pointer, positions.length] as const;
    core.exports.matchFields(...list, bits, this.fields.length, among, room, bitmap);
    scratch.release(mark);
  }

  /** Unites what `fill` finds in each segment, without the documents deleted there. */
  #perSegment(target: number, fill: (open: OpenSegment, i: number, bitmap: number) => void): void {
    const { bitmaps } = this;
    const { scratch } = bitmaps.reader.share;
    bitmaps.reader.segments.forEach((open, i) => {
      if (!open.tombstones) {
        fill(open, i, target);
        return;
      }
      const mark = scratch.mark();
      const own = bitmaps.create();
      fill(open, i, own);
      bitmaps.andNot(own, open.tombstones);
      bitmaps.or(target, own);
      scratch.release(mark);
    });
  }

  #documents({ pointer, length }: TermList): number {
    return this.bitmaps.reader.share.core.exports.postingsCount(pointer, length);
  }

  #once(key: string, fill: (target: number) => void): number {
    let bitmap = this.#kept.get(key);
    if (bitmap === undefined) {
      bitmap = this.bitmaps.create();
      this.#kept.set(key, bitmap);
      fill(bitmap);
    }
    return bitmap;
  }
}
