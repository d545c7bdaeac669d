// Builds the graph of a vector store, over codes of one byte per dimension, or over the rows themselves where
// they are bits. Used by vectorlist.ts and vectormerge.ts, which feed it with the vectors of a segment in
// order. `StoreGraph` does not limit its memory: the caller has to end a store when `graphBytesOf` its
// vectors would exceed what there is.
import type { Core } from "../core/core.ts";
import type { Freeable } from "../core/workspace.ts";
import { codeBytesOf, codesKind, rowBytesOf, type VectorMeta } from "./vectorformat.ts";
import { GRAPH_ITEMS_MIN } from "./vectorgraph.ts";
import { GraphBuilder, type OldGraph } from "./vectorgraphbuilder.ts";
import type { SegmentWriter } from "./writer.ts";

/** Limits for building graphs. */
export interface GraphLimits {
  /** Threads that build a graph, including the calling one. */
  threads: number;
  /** Memory for the graphs of one segment. */
  bytesMax: number;
}

const ROWS_BYTES_FIRST = 64 * 1024;
/**
 * Bytes of an item, apart from its row: its record, and its places in the upper layers and among the items to
 * insert.
 */
const GRAPH_ITEM_BYTES = 160;
/** Rows are moved when there are more than expected: parts of their last places stay taken. */
const ROWS_FACTOR = 1.5;

/** Memory that a graph over this many vectors takes while it is built. */
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

  /** Number of vectors so far. */
  get items(): number {
    return this.#items;
  }

  /** Adds f32 vectors that are in the core's memory. */
  add(vectors: number, count: number): void {
    const row = this.#room(count);
    this.#core.exports.vectorRows(this.#kind, vectors, count, this.#dimensions, row);
  }

  /** Adds rows in their stored form. */
  addRows(rows: number, count: number): void {
    const row = this.#room(count);
    this.#core.copy(row, rows, count * this.#rowBytes);
  }

  /** Builds the graph, unless there are too few vectors. `old`: an existing graph to take over. */
  build(interrupt: () => void, old?: OldGraph): void {
    if (this.#items < GRAPH_ITEMS_MIN) return;
    const rows = { kind: this.#kind, dimensions: this.#dimensions, rows: this.#pointer, items: this.#items };
    this.#builder = new GraphBuilder(this.#core, rows, { threads: this.#threads }, old);
    while (this.#builder.step()) interrupt();
  }

  /** Writes the codes (of f32 stores) and the graph. Returns the bytes of the graph; 0 when there is none. */
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

  /** Makes room for this many rows at once. */
  reserve(count: number): void {
    const bytes = count * this.#rowBytes;
    if (bytes > this.#bytes) this.#grow(bytes, this.#items * this.#rowBytes);
  }

  /** Room for this many rows after the others. */
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
