// Growing rows of 32-bit values that never move, in chunks of a core's memory: what a batch or a segment
// being written records for each document. The chunks go back to the core, so that batches neither leave
// garbage nor need new memory. Used by engine/ingest and segment.
import type { Core } from "./core.ts";

const CHUNK_SHIFT = 12;
const CHUNK_ROWS = 1 << CHUNK_SHIFT;

export class Table {
  readonly #core: Core;
  readonly #rowBytes: number;
  readonly #chunks: number[] = [];
  #length = 0;

  /** `fields`: number of values in a row. */
  constructor(core: Core, fields: number) {
    this.#core = core;
    this.#rowBytes = fields * 4;
  }

  /** Number of rows. */
  get length(): number {
    return this.#length;
  }

  /** Place of a row's first value in `core.u32` and `core.i32`. */
  at(row: number): number {
    return (this.#chunks[row >>> CHUNK_SHIFT] + (row & (CHUNK_ROWS - 1)) * this.#rowBytes) >>> 2;
  }

  /**
   * Appends a row with undefined values; returns its place. Views of the core's memory may be void
   * afterwards.
   */
  push(): number {
    const row = this.#length++;
    if (row >>> CHUNK_SHIFT === this.#chunks.length) {
      this.#chunks.push(this.#core.take(CHUNK_ROWS * this.#rowBytes));
    }
    return this.at(row);
  }

  /** Appends a row of one value. */
  append(value: number): void {
    const at = this.push();
    this.#core.u32[at] = value;
  }

  /** Visits the rows in order, many at a time: address and bytes of each stretch. */
  eachSpan(visit: (pointer: number, bytes: number) => void): void {
    for (let row = 0; row < this.#length; row += CHUNK_ROWS) {
      const rows = Math.min(CHUNK_ROWS, this.#length - row);
      visit(this.#chunks[row >>> CHUNK_SHIFT], rows * this.#rowBytes);
    }
  }

  /** Copies all rows, one after another, to a place in the core's memory. */
  copyTo(pointer: number): void {
    let at = pointer;
    this.eachSpan((span, bytes) => {
      this.#core.copy(at, span, bytes);
      at += bytes;
    });
  }

  /** Gives the memory back; the table is then empty. */
  free(): void {
    for (const chunk of this.#chunks.splice(0)) this.#core.give(chunk, CHUNK_ROWS * this.#rowBytes);
    this.#length = 0;
  }
}
