// All words of an index: the union of the dictionaries of its segments. Called by derive.ts. A word is known by its
// ordinal in each segment.
import { Dictionary, type TypoWords, typoWords } from "../../core/dictionary.ts";
import type { OpenSegment } from "../reader.ts";
import { CACHED_PREFIX_BYTES_MAX, CACHED_PREFIX_WORDS_MIN, PREFIX_WORDS_MAX } from "./limits.ts";

/** A word of the index: its ordinal in the dictionary of each segment, -1 where it does not occur. */
export interface Word {
  text: string;
  ordinals: readonly number[];
}

/** Words that begin with a text: ordinals [from, to) in each segment. */
export interface PrefixRange {
  ranges: readonly { from: number; to: number }[];
  /** Short and frequent: complete, however many words there are. */
  cached: boolean;
}

/** True when a word of a segment has a place where typos are tolerated. */
export type IsTolerant = (segment: number, ordinal: number) => boolean;

export class Vocabulary {
  readonly #dictionaries: Dictionary[];
  /** Null: every word is tolerant. */
  readonly #isTolerant: IsTolerant | null;

  constructor(segments: readonly OpenSegment[], isTolerant: IsTolerant | null) {
    this.#dictionaries = segments.map(({ segment }) => segment.dictionary);
    this.#isTolerant = isTolerant;
  }

  find(text: string): Word | null {
    const ordinals = this.#dictionaries.map((dictionary) => dictionary.find(text));
    return ordinals.some((ordinal) => ordinal >= 0) ? { text, ordinals } : null;
  }

  /** Words that begin with `text`: all of them for a cached prefix, else the first PREFIX_WORDS_MAX in byte order. */
  prefix(text: string, mayBeCached: boolean): PrefixRange {
    const ranges = this.#dictionaries.map((dictionary) => {
      const [from, to] = dictionary.prefix(text);
      return { from, to };
    });
    const short = Buffer.byteLength(text) <= CACHED_PREFIX_BYTES_MAX;
    const cached = mayBeCached && short && this.#holds(ranges, CACHED_PREFIX_WORDS_MIN, this.#isTolerant);
    if (cached || !this.#holds(ranges, PREFIX_WORDS_MAX + 1, null)) return { ranges, cached };
    return { ranges: this.#cut(ranges), cached };
  }

  typos(text: string, budget: number, prefix: boolean): TypoWords {
    return typoWords(this.#dictionaries, text, budget, prefix, this.#isTolerant ?? undefined);
  }

  /** Do the ranges hold `least` different words (that are tolerant)? */
  #holds(ranges: PrefixRange["ranges"], least: number, isTolerant: IsTolerant | null): boolean {
    const sizes = ranges.map(({ from, to }) => to - from);
    if (sizes.reduce((sum, size) => sum + size, 0) < least) return false;
    if (!isTolerant && sizes.some((size) => size >= least)) return true;
    let count = 0;
    for (const word of this.#walk(ranges)) {
      if (isTolerant && !word.some((ordinal, segment) => ordinal >= 0 && isTolerant(segment, ordinal))) continue;
      if (++count >= least) return true;
    }
    return false;
  }

  /** The first PREFIX_WORDS_MAX words of the ranges. */
  #cut(ranges: PrefixRange["ranges"]): PrefixRange["ranges"] {
    const ends = ranges.map(({ from }) => from);
    let count = 0;
    for (const word of this.#walk(ranges)) {
      word.forEach((ordinal, segment) => {
        if (ordinal >= 0) ends[segment] = ordinal + 1;
      });
      if (++count === PREFIX_WORDS_MAX) break;
    }
    return ranges.map(({ from }, i) => ({ from, to: ends[i] }));
  }

  /** The different words of the ranges in byte order, as ordinals per segment. */
  *#walk(ranges: PrefixRange["ranges"]): Generator<number[]> {
    const next = ranges.map(({ from }) => from);
    const texts = ranges.map(({ from, to }, i) => (from < to ? this.#term(i, from) : null));
    for (;;) {
      let smallest: Buffer | null = null;
      for (const text of texts) if (text && (!smallest || Buffer.compare(text, smallest) < 0)) smallest = text;
      if (!smallest) return;
      const word = texts.map((text, i) => (text?.equals(smallest) ? next[i] : -1));
      yield word;
      word.forEach((ordinal, i) => {
        if (ordinal < 0) return;
        next[i]++;
        texts[i] = next[i] < ranges[i].to ? this.#term(i, next[i]) : null;
      });
    }
  }

  #term(segment: number, ordinal: number): Buffer {
    return Buffer.from(this.#dictionaries[segment].term(ordinal));
  }
}
