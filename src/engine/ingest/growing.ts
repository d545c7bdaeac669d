// Columns of numbers that grow: what a batch notes for each document, without an object per document.

type Column = Int32Array | Uint32Array | Float64Array | Uint8Array;

const LENGTH_FIRST = 1024;

export class GrowingColumn<T extends Column> {
  values: T;
  length = 0;

  constructor(empty: T) {
    this.values = empty;
  }

  push(value: number): void {
    if (this.length === this.values.length) this.#grow(this.length + 1);
    this.values[this.length++] = value;
  }

  /** Appends a value `count` times. */
  extend(count: number, value: number): void {
    if (this.length + count > this.values.length) this.#grow(this.length + count);
    this.values.fill(value, this.length, this.length + count);
    this.length += count;
  }

  #grow(length: number): void {
    const make = this.values.constructor as new (length: number) => T;
    const grown = new make(Math.max(LENGTH_FIRST, length, this.values.length * 2));
    grown.set(this.values as never);
    this.values = grown;
  }
}
