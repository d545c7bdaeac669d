// The kernels of columns: for the value table that an indexing run fills (assembly/values*.ts), and for
// making, reading and merging the columns of a segment (assembly/column-*.ts, selection.ts). Pointers are
// byte addresses; arrays hold u32 unless said otherwise.

export interface ColumnsExports {
  /** Bytes that a region of the table needs in addition to those for values. */
  valuesOverhead(): number;
  valuesStart(values: number, bytes: number): void;
  valuesFree(values: number): number;
  /** Number of values; ends the run. */
  valuesSort(values: number): number;
  /** Number of rows of columns written to `out`, VALUE_ROW_FIELDS each. */
  valuesRows(values: number, from: number, out: number, most: number): number;
  valuesDictionary(values: number, from: number, count: number, writer: number): number;
  valuesTargetNone(values: number): void;
  valuesTarget(values: number, column: number, address: number): void;
  valuesEntries(values: number): void;
  /** Number of bytes in the key of a number, written to `to` without its kind. */
  numberKey(number: number, to: number): number;

  bitsRead(array: number, index: number, width: number): number;
  bitsWrite(numbers: number, count: number, width: number, out: number): number;
  /** Number of codes looked at, counted from the first one. */
  bitsScan(
    codes: number,
    documents: number,
    width: number,
    from: number,
    length: number,
    bitmap: number,
    words: number,
    firstDocid: number,
  ): number;

  /** Number of codes of the document that has the most. */
  columnGroup(entries: number, count: number, documents: number, starts: number, codes: number): number;
  columnInvert(
    starts: number,
    codes: number,
    documents: number,
    count: number,
    lists: number,
    ordinals: number,
  ): void;
  columnOrder(
    lists: number,
    ordinals: number,
    count: number,
    documents: number,
    starts: number,
    codes: number,
  ): void;
  columnFill(starts: number, codes: number, documents: number, none: number, out: number): void;
  columnDocids(ordinals: number, count: number, order: number): void;
  columnLists(
    lists: number,
    docids: number,
    from: number,
    count: number,
    out: number,
    capacity: number,
    lengths: number,
  ): number;

  columnListsInto(
    starts: number,
    width: number,
    first: number,
    count: number,
    lists: number,
    bitmap: number,
    words: number,
  ): void;
  columnScan(view: number, from: number, to: number, bitmap: number, words: number): void;
  columnScanSet(view: number, set: number, bitmap: number, words: number): void;
  columnContaining(
    dictionary: number,
    from: number,
    to: number,
    cursor: number,
    part: number,
    length: number,
    set: number,
  ): void;
  columnShare(
    dictionary: number,
    cursor: number,
    set: number,
    values: number,
    otherDictionary: number,
    otherCursor: number,
    otherSet: number,
    otherValues: number,
  ): void;
  /** Number of codes found: those of texts that are not plain ASCII. */
  columnForeign(
    dictionary: number,
    from: number,
    to: number,
    cursor: number,
    out: number,
    most: number,
  ): number;
  columnCount(view: number, docids: number, count: number, counts: number): void;
  /** Number of docids written. */
  columnDistinct(
    view: number,
    docids: number,
    count: number,
    values: number,
    seen: number,
    out: number,
    most: number,
  ): number;
  columnCodes(view: number, ordinal: number, none: number, out: number, most: number): number;
  columnKeys(
    view: number,
    docids: number,
    count: number,
    numbers: number,
    values: number,
    isDown: number,
    keys: number,
  ): void;

  columnUsed(view: number, places: number, used: number): void;
  /** Number of terms, or the negative result of the dictionary writer. */
  columnUnite(sources: number, count: number, writer: number, facts: number): number;
  columnEntries(view: number, places: number, none: number, map: number, out: number): number;

  /**
   * Number of points found. Writes bits of the squares of chords to `keys`, the place of each, and ascending
   * numbers.
   */
  pointKeys(
    points: number,
    count: number,
    x: number,
    y: number,
    z: number,
    candidates: number,
    tombstones: number,
    words: number,
    keys: number,
    places: number,
    numbers: number,
    first: number,
  ): number;
  /** Number of doubtful points. */
  pointsNear(
    points: number,
    count: number,
    x: number,
    y: number,
    z: number,
    sure: number,
    most: number,
    tombstones: number,
    words: number,
    bitmap: number,
    doubtful: number,
  ): number;
  pointsInBox(
    points: number,
    count: number,
    top: number,
    right: number,
    bottom: number,
    left: number,
    tombstones: number,
    words: number,
    bitmap: number,
  ): void;

  selectBound(keys: number, count: number, from: number, last: number, wanted: number): number;
  selectCount(): number;
  selectPairs(keys: number, docids: number, count: number, from: number, to: number, out: number): number;
  selectSort(pairs: number, count: number, spare: number): void;
}
