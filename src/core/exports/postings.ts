// The kernels of posting lists and positions (assembly/postings*.ts, occurrences.ts, pack.ts). Lengths and
// capacities are bytes.

export interface PostingsExports {
  packWidth(values: number): number;
  packBlock(values: number, width: number, out: number): void;
  unpackBlock(input: number, width: number, out: number): void;
  unpackDelta(input: number, width: number, base: number, out: number): void;
  /** Number of documents (df), -1 when damaged. */
  postingsCount(list: number, length: number): number;
  /** Number of docids written, -1 when damaged or more than `most`. */
  postingsDecode(list: number, length: number, out: number, most: number): number;
  /** Writes the docids up to `last` of a list without full blocks; returns how many, -1 when damaged. */
  postingsUpTo(list: number, length: number, last: number, out: number): number;
  /** Adds the list to a bitmap; returns df, -1 when damaged. */
  postingsIntoBitmap(list: number, length: number, bitmap: number, words: number): number;
  postingsAnyOutside(list: number, length: number, bitmap: number, words: number): number;
  /**
   * First docid that is in the bitmap (`isIn` 1) or is not (0); -1 when there is none, or the list is
   * damaged.
   */
  postingsFirst(list: number, length: number, bitmap: number, words: number, isIn: number): number;
  /** Bytes written, 0 when they do not fit. */
  postingsEncode(
    docids: number,
    count: number,
    positions: number,
    positionsLength: number,
    out: number,
    capacity: number,
  ): number;
  /** Address after the next `count` documents. */
  occurrencesSkip(at: number, end: number, count: number): number;
  /**
   * Adds to a bitmap the documents where b follows a at a distance of 1 to `most`; with `most` 0, those where
   * they share one of the fields.
   */
  matchNear(
    listA: number,
    lengthA: number,
    positionsA: number,
    positionsLengthA: number,
    listB: number,
    lengthB: number,
    positionsB: number,
    positionsLengthB: number,
    most: number,
    fields: number,
    fieldCount: number,
    scratch: number,
    bitmap: number,
    words: number,
  ): void;
  /** Bytes of its scratch for lists of this many documents. */
  matchNearBytes(documentsA: number, documentsB: number): bigint;
  /** Bytes of scratch for this many sources. */
  postingsMergeScratch(count: number): number;
  /** 0; -1 when a source is damaged, -2 when an output is too small. */
  postingsMerge(
    sources: number,
    count: number,
    postingsOut: number,
    postingsCapacity: number,
    positionsOut: number,
    positionsCapacity: number,
    scratch: number,
    result: number,
  ): number;
}
