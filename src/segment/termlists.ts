// Locates the posting lists, or the occurrences, of the terms of a segment. Places are remembered for a turn:
// the rules of one search ask for the same few words again and again. Called by segment.ts.
import type { ExtentCache } from "./cache.ts";
import type { SegmentFile } from "./file.ts";
import { type ListKind, POSTINGS, type TermStarts } from "./termstarts.ts";

/** Lists of some consecutive terms, one after another. The address is valid until the next turn. */
export interface TermList {
  pointer: number;
  length: number;
}

/** Most places remembered at a time; a walk over all terms must not pile them up. */
const KNOWN_MAX = 4096;
/** Higher than the number of terms that a segment can have. */
const TERMS_MAX = 2 ** 26;

export class TermLists {
  readonly #file: SegmentFile;
  readonly #cache: ExtentCache;
  readonly #kind: ListKind;
  readonly #starts: TermStarts;
  /** Place of the first list in the file. */
  readonly #lists: number;
  #turn = -1;
  readonly #known = new Map<number, TermList>();

  constructor(file: SegmentFile, cache: ExtentCache, kind: ListKind, starts: TermStarts) {
    this.#file = file;
    this.#cache = cache;
    this.#kind = kind;
    this.#starts = starts;
    this.#lists = file.section(kind === POSTINGS ? "postings" : "positions").offset;
  }

  /** Lists of the terms [from, to). */
  of(from: number, to: number): TermList {
    if (this.#turn !== this.#cache.turn || this.#known.size >= KNOWN_MAX) {
      this.#known.clear();
      this.#turn = this.#cache.turn;
    }
    const key = from * TERMS_MAX + to - from;
    let list = this.#known.get(key);
    if (!list) {
      list = this.#locate(from, to);
      this.#known.set(key, list);
    }
    return list;
  }

  #locate(from: number, to: number): TermList {
    const { start, end } = this.#starts.span(this.#kind, from, to);
    const length = end - start;
    const pointer = length === 0 ? 0 : this.#cache.load(this.#file, this.#lists + start, length);
    return { pointer, length };
  }
}
