// Sets of docids used by one search: bitmaps in the scratch memory, void when the next search begins. Used
// throughout src/engine. A bitmap is identified by its address; 0 stands for none.
import type { IndexReader } from "./reader.ts";

export class Bitmaps {
  readonly reader: IndexReader;
  /** Number of 64-bit words in every bitmap. */
  readonly words: number;
  /** Documents that rules leave out of all further buckets (distinct.ts); 0 while there are none. */
  excluded = 0;

  constructor(reader: IndexReader) {
    this.reader = reader;
    this.words = reader.words;
  }

  /** A new bitmap, empty or a copy of another. */
  create(copyOf?: number): number {
    const { core, scratch } = this.reader.share;
    if (copyOf === undefined) return scratch.allocZeroed(this.words * 8);
    const pointer = scratch.alloc(this.words * 8);
    core.copy(pointer, copyOf, this.words * 8);
    return pointer;
  }

  and(target: number, source: number): void {
    this.reader.share.core.exports.bitmapAnd(target, source, this.words);
  }

  or(target: number, source: number): void {
    this.reader.share.core.exports.bitmapOr(target, source, this.words);
  }

  andNot(target: number, source: number): void {
    this.reader.share.core.exports.bitmapAndNot(target, source, this.words);
  }

  /** Removes docids one by one. */
  remove(target: number, docids: Iterable<number>): void {
    const { u8 } = this.reader.share.core;
    for (const docid of docids) u8[target + (docid >>> 3)] &= ~(1 << (docid & 7));
  }

  /** Removes the excluded documents. */
  exclude(target: number): void {
    if (this.excluded) this.andNot(target, this.excluded);
  }

  /** The docids that are not excluded. */
  withoutExcluded(docids: Uint32Array): Uint32Array {
    return this.excluded ? docids.filter((docid) => !this.has(this.excluded, docid)) : docids;
  }

  any(bitmap: number): boolean {
    return this.reader.share.core.exports.bitmapAny(bitmap, this.words) === 1;
  }

  count(bitmap: number): number {
    return this.reader.share.core.exports.bitmapCount(bitmap, this.words);
  }

  has(bitmap: number, docid: number): boolean {
    return ((this.reader.share.core.u8[bitmap + (docid >>> 3)] >> (docid & 7)) & 1) === 1;
  }
}
