// The rows that the graph of a vector store is built over, and its building: codes of a byte a dimension, or
// the rows themselves where they are bits. Used by vectorlist.ts and vectormerge.ts, which feed it with the
// vectors of a segment in their order. `StoreGraph` does not look at the memory that it takes: who feeds it
// ends a store when `graphBytesOf` its vectors would be more than there is.
import type { Core } from "../core/core.ts";
import type { Freeable } from "../core/workspace.ts";
import { codeBytesOf, codesKind, rowBytesOf, type VectorMeta } from "./vectorformat.ts";
import { GRAPH_ITEMS_MIN } from "./vectorgraph.ts";
import { GraphBuilder, type OldGraph } from "./vectorgraphbuilder.ts";
import type { SegmentWriter } from "./writer.ts";

/** What building graphs may take. */
export interface GraphLimits {
  /** Threads that build one, the calling one included. */
  threads: number;
  /** Memory of those of one segment. */
  bytesMax: number;
}

const ROWS_BYTES_FIRST = 64 * 1024;
/** Of an item, without its row: its record, its place in the layers above and among those to insert. */
const GRAPH_ITEM_BYTES = 160;
/** Rows move when there are more of them than expected: parts of their last places stay. */
const ROWS_FACTOR = 1.5;

/** Memory that a graph over so many vectors takes while it is built. */
export function graphBytesOf(
  { dimensions, isBinary }: Pick<VectorMeta, "dimensions" | "isBinary">,
  vectors: number,
): number {
  const rowBytes = isBinary ? rowBytesOf({ dimensions, isBinary }) : codeBytesOf(dimensions);
  return vectors * (ROWS_FACTOR * rowBytes + GRAPH_ITEM_BYTES);
}

export class StoreGraph implements Freeable {
  readonly #core: Core;
  readonly #threads: number;
  readonly #kind: number;
  readonly #dimensions: number;
  readonly #rowBytes: number;
  #pointer = 0;
  #bytes = 0;
  #items = 0;
  #builder: GraphBuilder | null = null;

  constructor(
    core: Core,
    { dimensions, isBinary }: Pick<VectorMeta, "dimensions" | "isBinary">,
    { threads }: Pick<GraphLimits, "threads">,
  ) {
    this.#core = core;
    this.#threads = threads;
    this.#kind = codesKind({ isBinary });
    this.#dimensions = dimensions;
    this.#rowBytes = core.exports.vectorRowBytes(this.#kind, dimensions);
  }

  /** Vectors so far. */
  get items(): number {
    return this.#items;
  }

  /** Adds vectors of f32 that lie in the core's memory. */
  add(vectors: number, count: number): void {
    const row = this.#room(count);
    this.#core.exports.vectorRows(this.#kind, vectors, count, this.#dimensions, row);
  }

  /** Adds rows as they are stored. */
  addRows(rows: number, count: number): void {
    const row = this.#room(count);
    this.#core.copy(row, rows, count * this.#rowBytes);
  }

  /** Builds the graph, unless there are too few vectors. `old`: one that is taken over. */
  build(interrupt: () => void, old?: OldGraph): void {
    if (this.#items < GRAPH_ITEMS_MIN) return;
    const rows = { kind: this.#kind, dimensions: this.#dimensions, rows: this.#pointer, items: this.#items };
    this.#builder = new GraphBuilder(this.#core, rows, { threads: this.#threads }, old);
    while (this.#builder.step()) interrupt();
  }

  /** Writes the codes (of stores of f32) and the graph. Returns the bytes of the graph; 0: there is none. */
  writeTo(writer: SegmentWriter, isBinary: boolean, pad: (bytes: number) => void): number {
    if (!this.#builder) return 0;
    const { pointer, bytes } = this.#builder.finish();
    if (!isBinary) {
      writer.appendFrom(this.#pointer, this.#items * this.#rowBytes);
      pad(this.#items * this.#rowBytes);
    }
    writer.appendFrom(pointer, bytes);
    pad(bytes);
    return bytes;
  }

  free(): void {
    this.#builder?.free();
    this.#builder = null;
    if (this.#bytes > 0) this.#core.give(this.#pointer, this.#bytes);
    this.#bytes = 0;
  }

  /** Makes room for so many rows at once. */
  reserve(count: number): void {
    const bytes = count * this.#rowBytes;
    if (bytes > this.#bytes) this.#grow(bytes, this.#items * this.#rowBytes);
  }

  /** Room for so many rows behind the others. */
  #room(count: number): number {
    const from = this.#items * this.#rowBytes;
    this.#items += count;
    const end = this.#items * this.#rowBytes;
    if (end > this.#bytes) this.#grow(Math.max(ROWS_BYTES_FIRST, 2 * end), from);
    return this.#pointer + from;
  }

  #grow(bytes: number, filled: number): void {
    const pointer = this.#core.take(bytes);
    if (this.#bytes > 0) {
      this.#core.copy(pointer, this.#pointer, filled);
      this.#core.give(this.#pointer, this.#bytes);
    }
    this.#pointer = pointer;
    this.#bytes = bytes;
  }
}
