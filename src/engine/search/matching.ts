// Which documents each part of a query matches, as bitmaps of docids kept for the length of one search. Called by rank.ts
// and search.ts. Every method answers with an address in the scratch memory; a bitmap may be shared, never written to.
import type { PostingList } from "../../segment/segment.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import type { Node } from "./derive.ts";
import type { SearchField } from "./fields.ts";
import type { Phrase } from "./parse.ts";
import type { PrefixRange, Vocabulary, Word } from "./vocabulary.ts";

/** Bitmaps of the documents that match a node, by the fewest typos they need; 0 where nothing can match. */
export type Levels = readonly [number, number, number];

/** Phrase windows: slots at most this far apart constrain each other. */
const PHRASE_WINDOW = 3;
const DECODE_SLACK_BYTES = 1024;
const NUMERIC = /^[\p{N}!-/:-@[-`{-~]+$/u;

export class Matching {
  readonly reader: IndexReader;
  readonly #vocabulary: Vocabulary;
  readonly #fields: readonly SearchField[];
  readonly #restricted: boolean;
  readonly #exactNumbers: boolean;
  readonly #kept = new Map<string, number>();
  readonly #levels = new Map<Node, Levels>();
  readonly #words: number;

  constructor(
    reader: IndexReader,
    vocabulary: Vocabulary,
    fields: readonly SearchField[],
    options: { restricted: boolean; exactNumbers: boolean },
  ) {
    this.reader = reader;
    this.#vocabulary = vocabulary;
    this.#fields = fields;
    this.#restricted = options.restricted;
    this.#exactNumbers = options.exactNumbers;
    this.#words = reader.words;
  }

  /** A new bitmap, empty or a copy of another. */
  bitmap(copyOf?: number): number {
    const { core, scratch } = this.reader.share;
    if (copyOf === undefined) return scratch.allocZeroed(this.#words * 8);
    const pointer = scratch.alloc(this.#words * 8);
    core.u8.copyWithin(pointer, copyOf, copyOf + this.#words * 8);
    return pointer;
  }

  and(target: number, source: number): void {
    this.reader.share.core.exports.bitmapAnd(target, source, this.#words);
  }

  or(target: number, source: number): void {
    this.reader.share.core.exports.bitmapOr(target, source, this.#words);
  }

  andNot(target: number, source: number): void {
    this.reader.share.core.exports.bitmapAndNot(target, source, this.#words);
  }

  count(bitmap: number): number {
    return this.reader.share.core.exports.bitmapCount(bitmap, this.#words);
  }

  /** The first `most` docids of a bitmap, ascending. */
  list(bitmap: number, most: number): number[] {
    const { core, scratch } = this.reader.share;
    const mark = scratch.mark();
    const out = scratch.alloc(4 * most + 64);
    const count = core.exports.bitmapToList(bitmap, this.#words, 0, out, most);
    const docids = Array.from(core.u32.subarray(out / 4, out / 4 + count));
    scratch.release(mark);
    return docids;
  }

  /** Documents of a word of the query that stands as it is. */
  wordDocuments(text: string): number {
    return this.#once(`word ${text}`, (target) => {
      const word = this.#vocabulary.find(text);
      if (word) this.#addWord(target, word, false);
    });
  }

  /** Documents where b follows a at a distance of at most `most`. */
  nearDocuments(a: string, b: string, most: number): number {
    return this.#once(`near ${most} ${a} ${b}`, (target) => {
      const left = this.#vocabulary.find(a);
      const right = this.#vocabulary.find(b);
      if (!left || !right) return;
      this.#perSegment(target, ({ segment }, i, bitmap) => {
        const [a, b] = [left.ordinals[i], right.ordinals[i]];
        if (a < 0 || b < 0) return;
        const lists = [segment.postings(a), segment.positions(a), segment.postings(b), segment.positions(b)];
        const { core, scratch } = this.reader.share;
        const mark = scratch.mark();
        const documents = this.#documents(lists[0]) + this.#documents(lists[2]);
        const room = scratch.alloc(4 * (documents + lists[1].length + lists[3].length) + 2 * DECODE_SLACK_BYTES);
        const [l, lp, r, rp] = lists;
        const leftList = [l.pointer, l.length, lp.pointer, lp.length] as const;
        const rightList = [r.pointer, r.length, rp.pointer, rp.length] as const;
        core.exports.matchNear(...leftList, ...rightList, most, room, bitmap);
        scratch.release(mark);
      });
    });
  }

  /** Documents that hold all words of a phrase, neighbours at their distance. */
  phraseDocuments({ slots }: Phrase): number {
    return this.#once(`phrase ${JSON.stringify(slots)}`, (target) => {
      this.or(target, this.reader.live);
      for (const word of slots) if (word !== null) this.and(target, this.wordDocuments(word));
      slots.forEach((left, i) => {
        for (let j = i + 1; j < Math.min(i + PHRASE_WINDOW, slots.length); j++) {
          const right = slots[j];
          if (left !== null && right !== null) this.and(target, this.nearDocuments(left, right, j - i));
        }
      });
    });
  }

  /** Documents of a node by typo level. */
  levels(node: Node): Levels {
    let levels = this.#levels.get(node);
    if (!levels) this.#levels.set(node, (levels = this.#makeLevels(node)));
    return levels;
  }

  /** Documents of a node at any level. */
  nodeDocuments(node: Node): number {
    return this.#once(`node ${node.index}`, (target) => {
      for (const level of this.levels(node)) if (level) this.or(target, level);
    });
  }

  /** True when a word has a place where typos are tolerated. */
  isTolerant(segment: number, ordinal: number): boolean {
    const { segment: open } = this.reader.segments[segment];
    if (this.#exactNumbers && NUMERIC.test(open.dictionary.term(ordinal))) return false;
    if (!this.#fields.some(({ exact }) => exact)) return true;
    const { scratch } = this.reader.share;
    const mark = scratch.mark();
    const bitmap = this.bitmap();
    const found = this.#addFields(bitmap, this.reader.segments[segment], ordinal, ({ exact }) => !exact);
    scratch.release(mark);
    return found > 0;
  }

  #makeLevels(node: Node): Levels {
    if (node.phrase) return [this.phraseDocuments(node.phrase), 0, 0];
    const derived = node.ngram;
    const zero = this.bitmap();
    if (node.prefix) this.#addRange(zero, node.prefix, derived);
    if (node.exact) this.#addWord(zero, node.exact, derived);
    for (const phrase of node.synonyms) this.or(zero, this.phraseDocuments(phrase));
    let one = 0;
    if (node.one.length || node.split) {
      one = this.bitmap();
      for (const word of node.one) this.#addWord(one, word, true);
      if (node.split) this.or(one, this.phraseDocuments(node.split));
    }
    let two = 0;
    if (node.two.length) {
      two = this.bitmap();
      for (const word of node.two) this.#addWord(two, word, true);
    }
    return [zero, one, two];
  }

  #addWord(target: number, word: Word, derived: boolean): void {
    if (derived && this.#exactNumbers && !this.#restricted && NUMERIC.test(word.text)) return;
    const ranges = word.ordinals.map((ordinal) => ({ from: ordinal, to: ordinal < 0 ? ordinal : ordinal + 1 }));
    this.#addRange(target, { ranges, cached: false }, derived);
  }

  /** Documents of all words of a range, in the fields that count. */
  #addRange(target: number, { ranges }: PrefixRange, derived: boolean): void {
    const counts = (field: SearchField) => field.allowed && !(derived && field.exact);
    const everywhere = this.#fields.every(counts);
    this.#perSegment(target, (open, i, bitmap) => {
      const { from, to } = ranges[i];
      if (from >= to || from < 0) return;
      if (!everywhere) {
        for (let ordinal = from; ordinal < to; ordinal++) this.#addFields(bitmap, open, ordinal, counts);
        return;
      }
      const { exports } = this.reader.share.core;
      const lists = open.segment.postingsRange(from, to);
      const starts = open.segment.postingStarts(from, to);
      exports.matchRange(lists.pointer, starts, to - from, bitmap, this.#words);
    });
  }

  #addFields(
    bitmap: number,
    { segment }: OpenSegment,
    ordinal: number,
    counts: (field: SearchField) => boolean,
  ): number {
    const { core, scratch } = this.reader.share;
    const mark = scratch.mark();
    const postings = segment.postings(ordinal);
    const positions = segment.positions(ordinal);
    const bits = scratch.allocZeroed(Math.ceil(this.#fields.length / 8) + 8);
    this.#fields.forEach((field, number) => {
      if (counts(field)) core.u8[bits + (number >> 3)] |= 1 << (number & 7);
    });
    const room = scratch.alloc(this.#documents(postings) * 4 + DECODE_SLACK_BYTES);
    const list = [postings.pointer, postings.length, positions.pointer, positions.length] as const;
    const found = core.exports.matchFields(...list, bits, this.#fields.length, room, bitmap);
    scratch.release(mark);
    return found;
  }

  /** Unites what `fill` finds in each segment, without the documents deleted there. */
  #perSegment(target: number, fill: (open: OpenSegment, i: number, bitmap: number) => void): void {
    const { scratch } = this.reader.share;
    this.reader.segments.forEach((open, i) => {
      if (!open.tombstones) {
        fill(open, i, target);
        return;
      }
      const mark = scratch.mark();
      const own = this.bitmap();
      fill(open, i, own);
      this.andNot(own, open.tombstones);
      this.or(target, own);
      scratch.release(mark);
    });
  }

  #documents({ pointer, length }: PostingList): number {
    return this.reader.share.core.exports.postingsCount(pointer, length);
  }

  #once(key: string, fill: (target: number) => void): number {
    let bitmap = this.#kept.get(key);
    if (bitmap === undefined) {
      bitmap = this.bitmap();
      this.#kept.set(key, bitmap);
      fill(bitmap);
    }
    return bitmap;
  }
}
