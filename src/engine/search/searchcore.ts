// The search of the core (assembly/search) as one search uses it: told which index and which fields it is
// about, then asked for words, phrases, splits and the documents that match. Made by collection.ts; called
// by derive.ts, the rules (corerule.ts) and leaders.ts. Bitmaps that it returns are shared: nobody writes to
// them.
import type { Core } from "../../core/core.ts";
import { Region } from "../../core/region.ts";
import {
  BY_ATTRIBUTE,
  EXACT_NUMBERS,
  FIELD_ALLOWED,
  FIELD_EXACT,
  RESTRICTED,
  SETUP_LEN,
} from "../../core/search.ts";
import { POSITIONS, POSTINGS } from "../../segment/termstarts.ts";
import type { OpenSegment, ReaderShare } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import type { Node } from "./derive.ts";
import type { SearchField } from "./fields.ts";
import type { Phrase } from "./parse.ts";
import { RecordWriter } from "./records.ts";
import { Vocabulary } from "./vocabulary.ts";

export type MatchingStrategy = "all" | "last" | "frequency";

interface SearchOptions {
  /** The search looks at some fields only (attributesToSearchOn). */
  restricted: boolean;
  /** Numbers tolerate no typos (disableOnNumbers). */
  exactNumbers: boolean;
  /** Words are near when they share a field (proximityPrecision). */
  byAttribute: boolean;
  /** Largest weight of a field (attributeRank); 0 when all fields are searchable. */
  weightMax: number;
}

/** As assembly/search/matched.ts numbers them. */
const STRATEGIES: Record<MatchingStrategy, number> = { all: 0, last: 1, frequency: 2 };
const NUMERIC = /^[\p{N}!-/:-@[-`{-~]+$/u;

export class SearchCore {
  readonly bitmaps: Bitmaps;
  readonly vocabulary: Vocabulary;
  readonly options: SearchOptions;
  readonly core: Core;
  readonly #fields: readonly SearchField[];
  readonly #records: RecordWriter;

  constructor(bitmaps: Bitmaps, fields: readonly SearchField[], options: SearchOptions) {
    this.bitmaps = bitmaps;
    this.options = options;
    this.#fields = fields;
    const { share, segments } = bitmaps.reader;
    this.core = share.core;
    const hasDead = segments.some(({ tombstones }) => tombstones !== 0);
    const hasExact = options.exactNumbers || fields.some(({ exact }) => exact);
    const living = hasDead ? (segment: number, ordinal: number) => this.#lives(segment, ordinal) : null;
    const tolerant = hasExact
      ? (segment: number, ordinal: number) => this.#isTolerant(segment, ordinal)
      : living;
    this.vocabulary = new Vocabulary(bitmaps.reader, { living, tolerant, unites: !options.exactNumbers });
    this.#records = new RecordWriter(share, segments.length, this.vocabulary);
    this.#begin(segments);
  }

  /** Documents of a word of the query that stands as it is. */
  word(text: string): number {
    const word = this.vocabulary.find(text);
    if (!word) return this.bitmaps.create();
    return this.core.exports.searchWord(this.#records.ranges(word.ranges)) >>> 0;
  }

  /** Documents that hold all words of a phrase, neighbours at their distance. */
  phrase(phrase: Phrase): number {
    return this.core.exports.searchPhrase(this.#records.phrase(phrase)) >>> 0;
  }

  /**
   * Bytes of the left one of the two words of the index that a text may be cut into; 0 when there is no cut,
   * or the best one is that behind `asked` bytes.
   */
  split(text: Uint8Array, asked: number): number {
    const { scratch } = this.bitmaps.reader.share;
    const pointer = scratch.alloc(text.length);
    this.core.write(pointer, text);
    return this.core.exports.searchSplit(pointer, text.length, asked);
  }

  /** Bitmap of the documents of `universe` that match the terms which the strategy does not let go. */
  matched(nodes: readonly Node[], terms: number, universe: number, strategy: MatchingStrategy): number {
    this.core.exports.searchNodes(this.#records.nodes(nodes), nodes.length, terms);
    return this.core.exports.searchMatched(universe, STRATEGIES[strategy]) >>> 0;
  }

  /** All ways to cover the terms by nodes: an address that rules understand. */
  paths(): number {
    return this.core.exports.searchPaths() >>> 0;
  }

  #begin(segments: readonly OpenSegment[]): void {
    const { bitmaps, core, options } = this;
    const { share, live, words, stateNumber } = bitmaps.reader;
    const { scratch, keptWords } = share;
    const table = scratch.alloc(8 * segments.length);
    segments.forEach(({ segment, tombstones }, i) => {
      core.u32[table / 4 + 2 * i] = segment.dictionary.pointer;
      core.u32[table / 4 + 2 * i + 1] = tombstones;
    });
    const fields = scratch.alloc(8 * this.#fields.length);
    this.#fields.forEach(({ weight, allowed, exact }, i) => {
      core.i32[fields / 4 + 2 * i] = weight;
      core.u32[fields / 4 + 2 * i + 1] = (allowed ? FIELD_ALLOWED : 0) | (exact ? FIELD_EXACT : 0);
    });
    const flags =
      (options.exactNumbers ? EXACT_NUMBERS : 0) |
      (options.restricted ? RESTRICTED : 0) |
      (options.byAttribute ? BY_ATTRIBUTE : 0);
    const setup = [
      ...[scratch.arena, words, live, table, segments.length, marksOf(share, words)],
      ...[fields, this.#fields.length, flags, options.weightMax],
      ...[keptWords.pointer, keptWords.bytes, stateNumber],
    ];
    const pointer = scratch.alloc(4 * SETUP_LEN);
    core.u32.set(setup, pointer / 4);
    this.#connect(segments);
    core.exports.searchBegin(pointer);
  }

  /** Lets the core ask for what lies in files. */
  #connect(segments: readonly OpenSegment[]): void {
    const { imports } = this.core;
    imports.lists = (number, kind, from, to, out) => {
      const { segment } = segments[number];
      const list = kind === POSTINGS ? segment.postingsRange(from, to) : segment.positionsRange(from, to);
      const { u32 } = this.core;
      u32[out / 4] = list.pointer;
      u32[out / 4 + 1] = list.length;
    };
    imports.starts = (number, kind, from, to, out) => {
      segments[number].segment.starts.read(kind === POSTINGS ? POSTINGS : POSITIONS, from, to, out);
    };
    imports.numeric = (number, ordinal) =>
      Number(NUMERIC.test(segments[number].segment.dictionary.term(ordinal)));
    imports.exhausted = (bytes) => this.bitmaps.reader.share.scratch.refuse(bytes);
  }

  /** True when a document that lives holds a word of a segment. */
  #lives(segment: number, ordinal: number): boolean {
    const { reader, words } = this.bitmaps;
    const { segment: own, tombstones } = reader.segments[segment];
    if (tombstones === 0) return true;
    const { pointer, length } = own.postings(ordinal);
    return this.core.exports.postingsAnyOutside(pointer, length, tombstones, words) > 0;
  }

  /** True when a document that lives holds a word of a segment where typos are tolerated. */
  #isTolerant(segment: number, ordinal: number): boolean {
    const { reader } = this.bitmaps;
    const { segment: own, tombstones } = reader.segments[segment];
    if (this.options.exactNumbers && NUMERIC.test(own.dictionary.term(ordinal))) return false;
    if (!this.#fields.some(({ exact }) => exact)) return this.#lives(segment, ordinal);
    const { scratch } = reader.share;
    const mark = scratch.mark();
    const documents = this.core.exports.searchTolerant(this.#records.term(segment, ordinal), segment) >>> 0;
    if (tombstones) this.bitmaps.andNot(documents, tombstones);
    const found = this.bitmaps.any(documents);
    scratch.release(mark);
    return found;
  }
}

const markRegions = new WeakMap<ReaderShare, Region>();
/** Words that the marks of a thread are laid out for. */
const markWords = new WeakMap<ReaderShare, number>();
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
