// Sets of docids in linear memory, as bitmaps (assembly/bitmap.ts) and as ascending lists of u32 (lists.ts
// there). Pointers are byte addresses; `words` counts words of 64 bits; all other counts are docids.

export interface BitmapExports {
  bitmapAnd(target: number, source: number, words: number): void;
  bitmapOr(target: number, source: number, words: number): void;
  bitmapAndNot(target: number, source: number, words: number): void;
  /** Writes the intersection; returns 1 unless it is empty. */
  bitmapMeet(out: number, a: number, b: number, words: number): number;
  bitmapOrInto(out: number, a: number, b: number, words: number): void;
  bitmapAndNotInto(out: number, a: number, b: number, words: number): void;
  bitmapCount(bitmap: number, words: number): number;
  bitmapAndCount(a: number, b: number, words: number): number;
  /** 1 when some bit is set, else 0. */
  bitmapAny(bitmap: number, words: number): number;
  bitmapSet(bitmap: number, docid: number): void;
  /** 1 when the docid is in the bitmap, else 0. */
  bitmapHas(bitmap: number, words: number, docid: number): number;
  /** Adds a list; docids beyond the end of the bitmap are left out. */
  bitmapFromList(bitmap: number, words: number, list: number, count: number): void;
  /** At most `most` docids from `from` on; returns how many. */
  bitmapToList(bitmap: number, words: number, from: number, out: number, most: number): number;
  /**
   * The first docid of each of `count` equal stretches of [from, to), if it is among the stretch's first 64.
   */
  bitmapSample(bitmap: number, from: number, to: number, count: number, out: number): number;
  /** Writes pairs of u32 places, one in each list, of equal numbers; returns how many. */
  listPairs(a: number, aCount: number, b: number, bCount: number, out: number): number;
}
