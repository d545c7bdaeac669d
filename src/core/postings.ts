// Posting lists and positions in linear memory. Formats: assembly/postings.ts and assembly/occurrences.ts;
// merges: assembly/postings-merge.ts; the packed blocks inside: assembly/pack.ts. Lengths and capacities are
// bytes.
import type { Core } from "./core.ts";

export interface PostingsExports {
  packWidth(values: number): number;
  packBlock(values: number, width: number, out: number): void;
  unpackBlock(input: number, width: number, out: number): void;
  unpackDelta(input: number, width: number, base: number, out: number): void;
  /** df, -1 when damaged. */
  postingsCount(list: number, length: number): number;
  /** Docids written, -1 when damaged or more than `most`. */
  postingsDecode(list: number, length: number, out: number, most: number): number;
  /** Docids up to `last` of a list without full blocks; how many, -1 when damaged. */
  postingsUpTo(list: number, length: number, last: number, out: number): number;
  /** Adds the list to a bitmap; df, -1 when damaged. */
  postingsIntoBitmap(list: number, length: number, bitmap: number, words: number): number;
  postingsAnyOutside(list: number, length: number, bitmap: number, words: number): number;
  /** First docid in the bitmap (`isIn` 1) or outside (0); -1: none, or damaged. */
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
  /** Address behind the next `count` documents. */
  occurrencesSkip(at: number, end: number, count: number): number;
  /**
   * Adds documents where b follows a at a distance of 1 to `most` to a bitmap; `most` 0: where they share one
   * of the fields.
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
  /** Bytes of its scratch for lists of so many documents. */
  matchNearBytes(documentsA: number, documentsB: number): bigint;
  /** Bytes of scratch for so many sources. */
  postingsMergeScratch(count: number): number;
  /** 0, -1 when a source is damaged, -2 when an output is too small. */
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

/** One term of one segment, as `postingsMerge` reads it. All but the lengths are addresses. */
export interface MergeSource {
  list: number;
  length: number;
  positions: number;
  positionsLength: number;
  /** Bitmap of dead docids, or 0. */
  tombstones: number;
  /** Docids from here on are alive. */
  tombstoneBits: number;
}

export const MERGE_SOURCE_BYTES = 24;
export const MERGE_RESULT_BYTES = 12;

/** Writes source number `index` of a merge into the array at `sources`. */
export function writeMergeSource(core: Core, sources: number, index: number, source: MergeSource): void {
  const at = (sources + index * MERGE_SOURCE_BYTES) >>> 2;
  core.u32[at] = source.list;
  core.u32[at + 1] = source.length;
  core.u32[at + 2] = source.positions;
  core.u32[at + 3] = source.positionsLength;
  core.u32[at + 4] = source.tombstones;
  core.u32[at + 5] = source.tombstoneBits;
}
