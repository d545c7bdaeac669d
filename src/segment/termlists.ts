// Where the posting lists, or the occurrences, of the terms of a segment lie. Places are remembered for a
// turn: the rules of one search ask for the same few words again and again. Called by segment.ts.
import type { ExtentCache } from "./cache.ts";
import type { SegmentFile } from "./file.ts";

/** Lists of some terms, one behind the other. Addresses hold until the next turn. */
export interface TermList {
  pointer: number;
  length: number;
  /** Address of the u32 starts of the lists in their section, and the end of the last one. */
  starts: number;
}

/** Remembered at a time; a walk over all terms must not pile them up. */
const KNOWN_MAX = 4096;
/** Above the number of terms that a segment can have. */
const TERMS_MAX = 2 ** 26;

export class TermLists {
  readonly #file: SegmentFile;
  readonly #cache: ExtentCache;
  /** Of the first list, and of its start, in the file. */
  readonly #lists: number;
  readonly #starts: number;
  #turn = -1;
  readonly #known = new Map<number, TermList>();

  /** `row`: place of the first start in section `offsets`. */
  constructor(file: SegmentFile, cache: ExtentCache, section: "postings" | "positions", row: number) {
    this.#file = file;
    this.#cache = cache;
    this.#lists = file.section(section).offset;
    this.#starts = file.section("offsets").offset + 4 * row;
  }

  /** Of the terms [from, to). */
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
    const { core } = this.#cache;
    const starts = this.#cache.load(this.#file, this.#starts + 4 * from, 4 * (to - from + 1));
    const start = core.view.getUint32(starts, true);
    const length = core.view.getUint32(starts + 4 * (to - from), true) - start;
    const pointer = length === 0 ? 0 : this.#cache.load(this.#file, this.#lists + start, length);
    return { pointer, length, starts };
  }
}
