// Posting lists turned into bitmaps of matching documents (assembly/matching.ts), for src/engine/search.
export interface MatchingExports {
  matchRange(lists: number, starts: number, count: number, bitmap: number, words: number): number;
  matchFields(
    list: number,
    length: number,
    positions: number,
    positionsLength: number,
    fields: number,
    fieldCount: number,
    among: number,
    scratch: number,
    bitmap: number,
  ): number;
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
  ): number;
}
