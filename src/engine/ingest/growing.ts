// Columns of numbers that grow: what a batch notes for each document, without an object per document.

type Column = Int32Array | Uint32Array | Float64Array | Uint8Array;

export class GrowingColumn<T extends Column> {
  values: T;
  length = 0;

  constructor(empty: T) {
    this.values = empty;
  }

  push(value: number): number {
    if (this.length === this.values.length) {
      const make = this.values.constructor as new (length: number) => T;
      const grown = new make(Math.max(1024, this.length * 2));
      grown.set(this.values as never);
      this.values = grown;
    }
    this.values[this.length] = value;
    return this.length++;
  }
}
