// The typed arrays behind TaskTable: they grow together, rows stay in ascending uid.

export class GrowingColumns {
  length = 0;
  uids = new Uint32Array(ROWS_MIN);
  statuses = new Uint8Array(ROWS_MIN);
  types = new Uint8Array(ROWS_MIN);
  indexes = new Uint32Array(ROWS_MIN);
  batches = new Int32Array(ROWS_MIN);
  canceledBy = new Int32Array(ROWS_MIN);
  enqueuedAt = new Float64Array(ROWS_MIN);
  startedAt = new Float64Array(ROWS_MIN);
  finishedAt = new Float64Array(ROWS_MIN);
  bodies = new Uint32Array(ROWS_MIN);
  outcomes = new Uint32Array(ROWS_MIN);
  inlines = new Uint32Array(ROWS_MIN);

  /** Adds a row; its other columns are to be set by the caller. */
  push(uid: number): number {
    if (this.length > 0 && uid <= this.uids[this.length - 1]) {
      throw new RangeError(`task ${uid} after task ${this.uids[this.length - 1]}`);
    }
    if (this.length === this.uids.length) this.#grow();
    this.uids[this.length] = uid;
    return this.length++;
  }

  /** Row of a uid, or -1. */
  rowOf(uid: number): number {
    const row = this.firstRowFrom(uid);
    return row < this.length && this.uids[row] === uid ? row : -1;
  }

  /** First row whose uid is `uid` or above. */
  firstRowFrom(uid: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.uids[middle] < uid) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Closes the gaps that removed rows leave. */
  removeRows(doomed: (row: number) => boolean): void {
    let kept = 0;
    for (let row = 0; row < this.length; row++) {
      if (doomed(row)) continue;
      if (kept !== row) for (const column of this.#all()) column[kept] = column[row];
      kept++;
    }
    this.length = kept;
  }

  /** A copy that later changes do not touch. */
  clone(): GrowingColumns {
    const copy = new GrowingColumns();
    this.#copyInto(copy, this.uids.length);
    return copy;
  }

  #grow(): void {
    this.#copyInto(this, this.uids.length * 2);
  }

  #copyInto(target: GrowingColumns, rows: number): void {
    const copy = <Column extends AnyColumn>(into: Column, from: Column): Column => {
      into.set(from);
      return into;
    };
    target.uids = copy(new Uint32Array(rows), this.uids);
    target.statuses = copy(new Uint8Array(rows), this.statuses);
    target.types = copy(new Uint8Array(rows), this.types);
    target.indexes = copy(new Uint32Array(rows), this.indexes);
    target.batches = copy(new Int32Array(rows), this.batches);
    target.canceledBy = copy(new Int32Array(rows), this.canceledBy);
    target.enqueuedAt = copy(new Float64Array(rows), this.enqueuedAt);
    target.startedAt = copy(new Float64Array(rows), this.startedAt);
    target.finishedAt = copy(new Float64Array(rows), this.finishedAt);
    target.bodies = copy(new Uint32Array(rows), this.bodies);
    target.outcomes = copy(new Uint32Array(rows), this.outcomes);
    target.inlines = copy(new Uint32Array(rows), this.inlines);
    target.length = this.length;
  }

  #all(): AnyColumn[] {
    const { uids, statuses, types, indexes, batches, canceledBy } = this;
    const { enqueuedAt, startedAt, finishedAt, bodies, outcomes, inlines } = this;
    return [
      ...[uids, statuses, types, indexes, batches, canceledBy],
      ...[enqueuedAt, startedAt, finishedAt, bodies, outcomes, inlines],
    ];
  }
}

type AnyColumn = Uint8Array | Uint32Array | Int32Array | Float64Array;

const ROWS_MIN = 1024;
