// A set of candidates of the ranking: a bitmap, a list of ascending docids, or both; the missing form is made
// when a rule asks for it. Called by the rules, the driver, and other code that works on candidates.
import type { Bitmaps } from "../bitmaps.ts";

/** A set of up to this many documents is a short list: working on the list takes less time and memory. */
export const SHORT_LIST_MAX = 4096;

export class Documents {
  readonly count: number;
  readonly #bitmaps: Bitmaps;
  #bitmap: number;
  #list: number;

  private constructor(bitmaps: Bitmaps, count: number, bitmap: number, list: number) {
    this.#bitmaps = bitmaps;
    this.count = count;
    this.#bitmap = bitmap;
    this.#list = list;
  }

  static ofBitmap(bitmaps: Bitmaps, bitmap: number): Documents {
    return new Documents(bitmaps, bitmaps.count(bitmap), bitmap, 0);
  }

  static ofList(bitmaps: Bitmaps, list: number, count: number): Documents {
    return new Documents(bitmaps, count, 0, list);
  }

  /** A copy of ascending docids. */
  static ofDocids(bitmaps: Bitmaps, docids: ArrayLike<number>): Documents {
    const { core, scratch } = bitmaps.reader.share;
    const list = scratch.alloc(4 * docids.length + 16);
    core.u32.set(docids, list >>> 2);
    return Documents.ofList(bitmaps, list, docids.length);
  }

  /** From a list, a bitmap, or both; 0 for the form that is not known. */
  static of(bitmaps: Bitmaps, count: number, bitmap: number, list: number): Documents {
    return new Documents(bitmaps, count, bitmap, list);
  }

  /** Addresses of the forms that already exist, else 0. */
  get knownBitmap(): number {
    return this.#bitmap;
  }
  get knownList(): number {
    return this.#list;
  }

  /**
   * True when the set is there as a short list: no bitmaps are made for those, since there may be thousands.
   */
  get isShortList(): boolean {
    return this.#list !== 0 && this.count <= SHORT_LIST_MAX;
  }

  /** Address of the bitmap, which must not be written to. */
  get bitmap(): number {
    if (!this.#bitmap) {
      this.#bitmap = this.#bitmaps.create();
      const { exports } = this.#bitmaps.reader.share.core;
      exports.bitmapFromList(this.#bitmap, this.#bitmaps.words, this.#list, this.count);
    }
    return this.#bitmap;
  }

  /** Address of the docids, u32 each. */
  get list(): number {
    if (!this.#list) {
      const { core, scratch } = this.#bitmaps.reader.share;
      this.#list = scratch.alloc(4 * this.count + 16);
      core.exports.bitmapToList(this.#bitmap, this.#bitmaps.words, 0, this.#list, this.count);
    }
    return this.#list;
  }

  /** The docids themselves, valid as long as the scratch memory holds them. */
  get docids(): Uint32Array {
    const at = this.list >>> 2;
    return this.#bitmaps.reader.share.core.u32.subarray(at, at + this.count);
  }

  /** The union of both sets; this set itself when the other one is empty. */
  with(others: Documents): Documents {
    if (others.count === 0) return this;
    const united = this.#bitmaps.create(this.bitmap);
    this.#bitmaps.or(united, others.bitmap);
    return Documents.ofBitmap(this.#bitmaps, united);
  }

  /** The first `most` docids. */
  first(most: number): number[] {
    return Array.from(this.head(most).docids);
  }

  /** The set of the first `most` documents. */
  head(most: number): Documents {
    const count = Math.min(most, this.count);
    if (this.#list) return Documents.ofList(this.#bitmaps, this.#list, count);
    const { core, scratch } = this.#bitmaps.reader.share;
    const list = scratch.alloc(4 * count + 16);
    core.exports.bitmapToList(this.#bitmap, this.#bitmaps.words, 0, list, count);
    return Documents.ofList(this.#bitmaps, list, count);
  }

  /** This set without the documents of other sets. */
  without(others: readonly Documents[]): Documents {
    if (!others.length) return this;
    const rest = this.#bitmaps.create(this.bitmap);
    for (const other of others) other.removeFrom(rest);
    return Documents.ofBitmap(this.#bitmaps, rest);
  }

  /**
   * Removes the documents from a bitmap, without making a bitmap of this set: a sort may have a set for each
   * document.
   */
  removeFrom(bitmap: number): void {
    if (this.#bitmap) this.#bitmaps.andNot(bitmap, this.#bitmap);
    else this.#bitmaps.remove(bitmap, this.docids);
  }
}
