// Rows in typed arrays that grow together, in ascending uid: what TaskTable and BatchTable are made of.
import { firstAtLeast, placeOf } from "../core/ascending.ts";

type TypedArrayType =
  | Uint8ArrayConstructor
  | Uint32ArrayConstructor
  | Int32ArrayConstructor
  | Float64ArrayConstructor;

/** Name of a column -> type of its array. The column `uids` is managed by Rows. */
type ColumnTypes = { uids: Uint32ArrayConstructor } & Record<string, TypedArrayType>;

export type Columns<Types extends ColumnTypes> = { [Name in keyof Types]: InstanceType<Types[Name]> };

export class Rows<Types extends ColumnTypes> {
  length = 0;
  /** Read it again after `push`, which may replace the arrays. */
  columns: Columns<Types>;
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
    this.columns = makeColumns(types, ROWS_MIN);
  }

  /** Adds a row; the caller sets its other columns. */
  push(uid: number): number {
    const { uids } = this.columns;
    if (this.length > 0 && uid <= uids[this.length - 1]) {
      throw new RangeError(`number ${uid} after number ${uids[this.length - 1]}`);
    }
    if (this.length === uids.length) this.columns = this.#copyOf(uids.length * 2);
    this.columns.uids[this.length] = uid;
    return this.length++;
  }

  /** Row of a uid, or -1. */
  rowOf(uid: number): number {
    return placeOf(this.columns.uids, uid, 0, this.length);
  }

  /** Rows of those uids that are known, ascending. */
  rowsOf(uids: number[]): number[] {
    const sorted = [...new Set(uids)].sort((a, b) => a - b);
    return sorted.map((uid) => this.rowOf(uid)).filter((row) => row >= 0);
  }

  /** First row whose uid is `uid` or above. */
  firstRowFrom(uid: number): number {
    return firstAtLeast(this.columns.uids, uid, 0, this.length);
  }

  /** Removes rows and closes the gaps. */
  removeRows(doomed: (row: number) => boolean): void {
    const arrays = Object.values(this.columns);
    let kept = 0;
    for (let row = 0; row < this.length; row++) {
      if (doomed(row)) continue;
      if (kept !== row) for (const array of arrays) array[kept] = array[row];
      kept++;
    }
    this.length = kept;
  }

  /** A copy that later changes do not affect. */
  clone(): Rows<Types> {
    const copy = new Rows(this.#types);
    copy.columns = this.#copyOf(this.columns.uids.length);
    copy.length = this.length;
    return copy;
  }

  #copyOf(rows: number): Columns<Types> {
    const copy = makeColumns(this.#types, rows);
    for (const name of Object.keys(copy)) copy[name].set(this.columns[name]);
    return copy;
  }
}

function makeColumns<Types extends ColumnTypes>(types: Types, rows: number): Columns<Types> {
  const columns: Record<string, InstanceType<TypedArrayType>> = {};
  for (const [name, type] of Object.entries(types)) columns[name] = new type(rows);
  return columns as Columns<Types>;
}

const ROWS_MIN = 1024;
