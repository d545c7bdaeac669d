// The kernels that compare vectors (assembly/vector*.ts, nearest.ts). Pointers are byte addresses; `kind` is
// one of the constants of src/core/vectors.ts.

export interface VectorsExports {
  /** Bytes from one row to the next. */
  vectorRowBytes(kind: number, dimensions: number): number;
  vectorQueryBytes(kind: number, dimensions: number): number;
  /** Writes the rows of `count` f32 vectors that are stored one after another. */
  vectorRows(kind: number, vectors: number, count: number, dimensions: number, out: number): void;
  /** Turns an f32 vector into a query for rows of a kind. */
  vectorQuery(kind: number, vector: number, dimensions: number, out: number): void;
  /** Turns a row of CODES or BITS into a query. */
  vectorQueryOfRow(kind: number, row: number, dimensions: number, out: number): void;
  /** 0 (same direction) to 1 (opposite): (1 - cosine) / 2, or the fraction of bits that differ. */
  vectorDistance(kind: number, query: number, row: number, dimensions: number): number;
  /** Distance of two rows of CODES or BITS. */
  vectorRowsDistance(kind: number, a: number, b: number, dimensions: number, rowBytes: number): number;
  /**
   * Puts the allowed items from `first` on into a heap of pairs; `rows` is the row of item `first`, `allowed`
   * a bitmap of items, or 0 when all are allowed. Returns the number of pairs in the heap.
   */
  vectorScan(
    kind: number,
    rows: number,
    first: number,
    count: number,
    dimensions: number,
    query: number,
    allowed: number,
    heap: number,
    found: number,
    most: number,
  ): number;
  /**
   * Recomputes the distances of pairs with other rows: those of their items, or rows in the order of the
   * pairs.
   */
  vectorRescore(
    pairs: number,
    count: number,
    kind: number,
    rows: number,
    inOrder: number,
    dimensions: number,
    query: number,
  ): void;
  /**
   * Writes a bitmap of the items whose documents are candidates and not deleted (0: all are candidates, none
   * is deleted); returns their number.
   */
  vectorAllowed(
    docids: number,
    count: number,
    candidates: number,
    tombstones: number,
    words: number,
    out: number,
  ): number;
  /** Sorts pairs, nearest first, equally near ones by item. */
  nearestSort(heap: number, count: number): void;
}
