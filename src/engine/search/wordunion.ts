// The distinct words in ranges of several dictionaries, in byte order. Called by vocabulary.ts to count words
// with the same beginning in an index of many segments.
import { DICTIONARY_CURSOR_BYTES, type Dictionary } from "../../core/dictionary.ts";
import type { DictionaryExports } from "../../core/exports/dictionary.ts";
import type { ReaderShare } from "../reader.ts";
import type { Ranges } from "./wordranges.ts";

export class WordUnion {
  /** Ordinal of the current word in each dictionary, -1 where it is missing. */
  readonly ordinals: number[];
  readonly #exports: DictionaryExports;
  readonly #ranges: Ranges;
  readonly #cursors: readonly number[];
  /** Ordinals at which the cursors are. */
  readonly #next: number[];

  /** Takes memory for the cursors from the scratch; the first call of `next` moves to the first word. */
  constructor({ core, scratch }: ReaderShare, dictionaries: readonly Dictionary[], ranges: Ranges) {
    this.#exports = core.exports;
    this.#ranges = ranges;
    this.#next = ranges.map(({ from }) => from);
    this.ordinals = ranges.map(() => -1);
    this.#cursors = ranges.map(({ from, to }, i) => {
      const cursor = scratch.alloc(DICTIONARY_CURSOR_BYTES);
      if (from < to) core.exports.dictionaryCursorStart(cursor, dictionaries[i].pointer, from);
      return cursor;
    });
  }

  /** Moves to the next word; false after the last. */
  next(): boolean {
    this.#pass();
    let least = -1;
    for (let i = 0; i < this.#cursors.length; i++) {
      if (!this.#isEnded(i) && (least < 0 || this.#compare(i, least) < 0)) least = i;
    }
    if (least < 0) return false;
    for (let i = least; i < this.#cursors.length; i++) {
      if (!this.#isEnded(i) && this.#compare(i, least) === 0) this.ordinals[i] = this.#next[i];
    }
    return true;
  }

  /** Bytes of the current word. */
  get bytes(): number {
    return this.#exports.dictionaryCursorLength(this.#cursors[this.ordinals.findIndex((one) => one >= 0)]);
  }

  /** Moves the cursors that are at the current word. */
  #pass(): void {
    for (let i = 0; i < this.#cursors.length; i++) {
      if (this.ordinals[i] < 0) continue;
      this.ordinals[i] = -1;
      this.#next[i]++;
      if (!this.#isEnded(i)) this.#exports.dictionaryCursorNext(this.#cursors[i]);
    }
  }

  #isEnded(i: number): boolean {
    return this.#next[i] >= this.#ranges[i].to;
  }

  #compare(i: number, other: number): number {
    const { dictionaryCompare, dictionaryCursorLength, dictionaryCursorTerm } = this.#exports;
    const [a, b] = [this.#cursors[i], this.#cursors[other]];
    return dictionaryCompare(
      dictionaryCursorTerm(a),
      dictionaryCursorLength(a),
      dictionaryCursorTerm(b),
      dictionaryCursorLength(b),
    );
  }
}
