// All words of an index: the union of the dictionaries of its segments. Called by derive.ts and
// searchcore.ts. A word is identified by its ordinals.
import { type Dictionary, typoWords } from "../../core/dictionary.ts";
import type { IndexReader, ReaderShare } from "../reader.ts";
import { CACHED_PREFIX_BYTES_MAX, CACHED_PREFIX_WORDS_MIN, PREFIX_WORDS_MAX } from "./limits.ts";
import type { Range, Ranges } from "./wordranges.ts";
import { WordUnion } from "./wordunion.ts";

export interface Word {
  text: string;
  ranges: Ranges;
}

/** Words that begin with a text, itself included. */
export interface PrefixRange {
  ranges: Ranges;
  /** Short and frequent: complete, however many words there are. */
  cached: boolean;
}

/** Tells whether a live document contains a word of a segment (at a place of some kind). */
type IsHeld = (segment: number, ordinal: number) => boolean;

/** Which words count: null means all of them. */
interface WordFilters {
  /** Words in live documents. */
  living: IsHeld | null;
  /** Words that occur in such a document at a place where typos are tolerated. */
  tolerant: IsHeld | null;
  /** Words with the same beginning may be taken together, since no look-up leaves out some of them. */
  unites: boolean;
}

const NOWHERE: Range = { from: 0, to: 0 };

export class Vocabulary {
  readonly #share: ReaderShare;
  readonly #dictionaries: Dictionary[];
  readonly #filters: WordFilters;
  readonly #found = new Map<string, Word | null>();

  constructor({ share, segments }: IndexReader, filters: WordFilters) {
    this.#share = share;
    this.#dictionaries = segments.map(({ segment }) => segment.dictionaryWith(share.wordPlanes));
    this.#filters = filters;
  }

  /** A word that some live document contains. */
  find(text: string): Word | null {
    let word = this.#found.get(text);
    if (word === undefined) {
      word = this.#look(text);
      this.#found.set(text, word);
    }
    return word;
  }

  #look(text: string): Word | null {
    const ordinals = this.#dictionaries.map((dictionary) => dictionary.find(text));
    return isHeld(ordinals, this.#filters.living) ? wordOf(text, ordinals) : null;
  }

  /**
   * Words that begin with `text`: all of them for a cached prefix, otherwise the first PREFIX_WORDS_MAX and
   * the text itself.
   */
  prefix(text: string, mayBeCached: boolean): PrefixRange | null {
    const ranges = this.#dictionaries.map((dictionary) => {
      const [from, to] = dictionary.prefix(text);
      return { from, to };
    });
    if (ranges.every(({ from, to }) => from >= to)) return null;
    const short = Buffer.byteLength(text) <= CACHED_PREFIX_BYTES_MAX;
    const cached =
      mayBeCached && short && this.#holds(ranges, CACHED_PREFIX_WORDS_MIN, this.#filters.tolerant);
    if (cached) return { ranges: this.#united(text) ?? ranges, cached };
    if (!this.#holds(ranges, PREFIX_WORDS_MAX + 1, null)) return { ranges, cached };
    return { ranges: this.#cut(ranges, text), cached };
  }

  /** The pseudo-term that stands for all words that begin with a certain character (assembly/inverter.ts). */
  #united(text: string): Ranges | null {
    if ([...text].length > 1 || !this.#filters.unites) return null;
    const term = Buffer.from(`\0${text}`);
    const ordinals = this.#dictionaries.map((dictionary) => dictionary.find(term));
    return wordOf(text, ordinals)?.ranges ?? null;
  }

  typos(text: string, budget: number, prefix: boolean): { one: Word[]; two: Word[] } {
    const { tolerant } = this.#filters;
    const { one, two } = typoWords(this.#dictionaries, text, budget, prefix, tolerant ?? undefined);
    const words = (list: typeof one) => list.map((word) => wordOf(word.text, word.ordinals)!);
    return { one: words(one), two: words(two) };
  }

  /** Do the ranges contain at least `least` different words (that count)? */
  #holds(ranges: Ranges, least: number, counts: IsHeld | null): boolean {
    const sizes = ranges.map(({ from, to }) => to - from);
    if (sizes.reduce((sum, size) => sum + size, 0) < least) return false;
    if (!counts && sizes.some((size) => size >= least)) return true;
    let count = 0;
    return this.#walk(ranges, (ordinals) => isHeld(ordinals, counts) && ++count >= least);
  }

  /** The first PREFIX_WORDS_MAX words of the ranges, apart from the prefix itself. */
  #cut(ranges: Ranges, prefix: string): Ranges {
    const prefixBytes = Buffer.byteLength(prefix);
    const ends = ranges.map(({ from }) => from);
    let count = 0;
    this.#walk(ranges, (ordinals, bytes) => {
      ordinals.forEach((ordinal, segment) => {
        if (ordinal >= 0) ends[segment] = ordinal + 1;
      });
      if (bytes === prefixBytes || !isHeld(ordinals, this.#filters.living)) return false;
      return ++count === PREFIX_WORDS_MAX;
    });
    return ranges.map(({ from }, i) => ({ from, to: ends[i] }));
  }

  /** Calls `visit` with the ordinals and bytes of each different word, in order, until it returns true. */
  #walk(ranges: Ranges, visit: (ordinals: readonly number[], bytes: number) => boolean): boolean {
    const { scratch } = this.#share;
    const mark = scratch.mark();
    try {
      const words = new WordUnion(this.#share, this.#dictionaries, ranges);
      while (words.next()) if (visit(words.ordinals, words.bytes)) return true;
      return false;
    } finally {
      scratch.release(mark);
    }
  }
}

const isHeld = (ordinals: readonly number[], counts: IsHeld | null): boolean =>
  !counts || ordinals.some((ordinal, segment) => ordinal >= 0 && counts(segment, ordinal));

/** The word with these ordinals; null when all are missing. */
function wordOf(text: string, ordinals: readonly number[]): Word | null {
  if (ordinals.every((ordinal) => ordinal < 0)) return null;
  return { text, ranges: ordinals.map((from) => (from < 0 ? NOWHERE : { from, to: from + 1 })) };
}
