// Kernels that rank the documents of a bucket (assembly/ranking-*.ts), as far as tests compare them with
// plain definitions. Searches use them inside the core (assembly/search). All pointers are byte addresses;
// counts are documents unless said otherwise.

export interface RankingExports {
  rankingSortChains(heads: number, count: number, spans: number, out: number): void;
  rankingNear(a: number, b: number, count: number, most: number, more: number, costs: number): void;
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
  /** Place that a position stands for. */
  placeOf(position: number): number;
}
