// Costs of the documents of a ranking bucket (assembly/ranking-*.ts), for src/engine/search. All pointers are
// byte addresses; counts are documents unless said otherwise.

export interface RankingExports {
  rankingBegin(list: number, count: number, marks: number, firsts: number, words: number): void;
  rankingBeginBitmap(list: number, count: number, bitmap: number, firsts: number, words: number): void;
  rankingEnd(): void;
  rankingInto(
    into: number,
    out: number,
    values: number,
    count: number,
    space: number,
    spaceBytes: number,
  ): void;
  rankingSpaceEnd(): number;
  /** 0, -1 when a list is damaged. */
  rankingVisit(
    lists: number,
    starts: number,
    positions: number,
    positionStarts: number,
    count: number,
    tombstones: number,
    filter: number,
    words: number,
  ): number;
  rankingSortChains(heads: number, count: number, spans: number, out: number): number;
  rankingNear(a: number, b: number, count: number, most: number, more: number, costs: number): void;
  rankingShare(a: number, b: number, count: number, fields: number, fieldCount: number, costs: number): void;
  rankingFill(costs: number, count: number, value: number): void;
  rankingLower(
    list: number,
    count: number,
    bitmap: number,
    words: number,
    value: number,
    costs: number,
  ): void;
  rankingTotals(paths: number, pathCount: number, count: number, totals: number, firsts: number): void;
  rankingSelect(
    list: number,
    totals: number,
    count: number,
    from: number,
    to: number,
    out: number,
    indexes: number,
  ): number;
  rankingHistogram(totals: number, count: number, out: number, above: number): number;
  /** Rows written, -1 when there is no room. */
  rankingChoices(
    indexes: number,
    count: number,
    firsts: number,
    starts: number,
    width: number,
    out: number,
    rows: number,
  ): number;
  rankingIntersect(masks: number, others: number, count: number, allowed: number): number;
  rankingBeginnings(masks: number, count: number, costs: number): void;
  rankingWhole(
    list: number,
    masks: number,
    count: number,
    bit: number,
    postings: number,
    length: number,
    tombstones: number,
    words: number,
    costs: number,
  ): void;
}

/** Cost of a document that does not satisfy. */
export const RANKING_NONE = 0xffff;

/** First argument of `rankingInto`. */
export const INTO_FIELD_COSTS = 0;
export const INTO_POSITION_COSTS = 1;
export const INTO_SPANS = 2;
export const INTO_CHAINS = 3;
export const INTO_PLACES = 4;

/** Number of places that positions are sorted into. */
export const PLACES_LEN = 29;

/** Place of a position: 0 to 15 as they are, 16 up to 23, then one for each power of two from 32 on. */
export function placeOf(position: number): number {
  if (position < 16) return position;
  return position < 24 ? 16 : 44 - Math.clz32(position - 1);
}

/** The largest position of a place, which stands for all of it. */
export function positionOfPlace(place: number): number {
  if (place < 16) return place;
  if (place === 16) return 24;
  return Math.min(2 ** (place - 12), 65535);
}

/** Bytes of an array of costs: the kernels write up to 8 numbers behind it. */
export const costBytes = (count: number): number => 2 * count + 16;
