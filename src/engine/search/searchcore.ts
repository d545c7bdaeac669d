// The search of the core (assembly/search) as one search uses it: it is told the index and the fields, then
// asked for words, phrases, splits and the documents that match. Made by collection.ts; called by derive.ts,
// the rules (corerule.ts) and leaders.ts. The bitmaps that it returns are shared and must not be written to.
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
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment, ReaderShare } from "../reader.ts";
import type { SearchField } from "../searchfields.ts";
import type { Phrase } from "./parse.ts";
import type { Node } from "./querynode.ts";
import { RecordWriter } from "./records.ts";
import { Vocabulary } from "./vocabulary.ts";

export type MatchingStrategy = "all" | "last" | "frequency";

interface SearchOptions {
  /** The search only looks at some fields (attributesToSearchOn). */
  restricted: boolean;
  /** No typos are tolerated in numbers (disableOnNumbers). */
  exactNumbers: boolean;
  /** Words are near each other when they share a field (proximityPrecision). */
  byAttribute: boolean;
  /** Largest weight of a field (attributeRank); 0 when all fields are searchable. */
  weightMax: number;
}

/** Numbered as in assembly/search/matched.ts. */
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

  /** Documents that contain a word of the query exactly. */
  word(text: string): number {
    const word = this.vocabulary.find(text);
    if (!word) return this.bitmaps.create();
    return this.core.exports.searchWord(this.#records.ranges(word.ranges)) >>> 0;
  }

  /** Documents that contain all words of a phrase, at their distances. */
  phrase(phrase: Phrase): number {
    return this.core.exports.searchPhrase(this.#records.phrase(phrase)) >>> 0;
  }

  /**
   * Number of bytes of the left one of the two words of the index into which a text can be split; 0 when
   * there is no split, or the best one is that after `asked` bytes.
   */
  split(text: Uint8Array, asked: number): number {
    const { scratch } = this.bitmaps.reader.share;
    const pointer = scratch.alloc(text.length);
    this.core.write(pointer, text);
    return this.core.exports.searchSplit(pointer, text.length, asked);
  }

  /** Bitmap of the documents of `universe` that match the terms which the strategy does not drop. */
  matched(nodes: readonly Node[], terms: number, universe: number, strategy: MatchingStrategy): number {
    this.core.exports.searchNodes(this.#records.nodes(nodes), nodes.length, terms);
    return this.core.exports.searchMatched(universe, STRATEGIES[strategy]) >>> 0;
  }

  /** All ways to cover the terms by nodes: an address that the rules understand. */
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
      scratch.arena,
      words,
      live,
      table,
      segments.length,
      marksOf(share, words),
      fields,
      this.#fields.length,
      flags,
      options.weightMax,
      keptWords.pointer,
      keptWords.bytes,
      stateNumber,
    ];
    const pointer = scratch.alloc(4 * SETUP_LEN);
    core.u32.set(setup, pointer / 4);
    this.#connect(segments);
    core.exports.searchBegin(pointer);
  }

  /** Lets the core ask for data that is in files. */
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

  /** True when a live document contains a word of a segment. */
  #lives(segment: number, ordinal: number): boolean {
    const { reader, words } = this.bitmaps;
    const { segment: own, tombstones } = reader.segments[segment];
    if (tombstones === 0) return true;
    const { pointer, length } = own.postings(ordinal);
    return this.core.exports.postingsAnyOutside(pointer, length, tombstones, words) > 0;
  }

  /** True when a live document contains a word of a segment at a place where typos are tolerated. */
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
/** Number of words for which a thread's marks are laid out. */
const markWords = new WeakMap<ReaderShare, number>();
/** Each word takes a u64 of marks and a u32 index. */
const MARK_BYTES = 12;

/** Zeroed marks for this many words: reserved once per thread; users must leave them zero. */
function marksOf(share: ReaderShare, words: number): number {
  const region = markRegions.get(share) ?? new Region(share.core);
  markRegions.set(share, region);
  // With fewer words the marks end earlier: the bytes after them may not be zero.
  if (region.bytes < MARK_BYTES * words) region.ensure(MARK_BYTES * words);
  if (markWords.get(share) !== words) share.core.fill(region.pointer, 0, 8 * words);
  markWords.set(share, words);
  return region.pointer;
}
