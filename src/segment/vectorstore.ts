// One vector store of an open segment (vectorformat.ts). Pointers lead into the extent cache. Used by
// searches (engine/vectors/nearest.ts), filters (engine/filter/vectors.ts), and through segment.ts wherever
// vectors are shown or kept.
import { placeOf } from "../core/ascending.ts";
import type { Core } from "../core/core.ts";
import {
  codeBytesOf,
  codesKind,
  type DocumentVectors,
  FLAG_REGENERATE,
  FLAG_USER_PROVIDED,
  kindOf,
  type VectorLayout,
  type VectorMeta,
  vectorLayout,
} from "./vectorformat.ts";
import type { GraphSource } from "./vectorgraph.ts";

/** Loads the bytes of the store. */
interface VectorBytes {
  /** `holds`: the address is valid until the next turn, otherwise until the next load. */
  load(offset: number, length: number, holds?: boolean): number;
  /** Address of bytes that stay in memory; 0 when there is no room for them. */
  pin(offset: number, length: number): number;
}

export class VectorStore {
  readonly core: Core;
  readonly meta: VectorMeta;
  readonly #layout: VectorLayout;
  readonly #bytes: VectorBytes;

  constructor(core: Core, meta: VectorMeta, bytes: VectorBytes) {
    this.core = core;
    this.meta = meta;
    this.#layout = vectorLayout(meta);
    this.#bytes = bytes;
  }

  get rowBytes(): number {
    return this.#layout.rowBytes;
  }

  get kind(): number {
    return kindOf(this.meta);
  }

  /** Address of the docids of all vectors, u32 each. */
  get owners(): number {
    return this.#load(this.#layout.owners, 4 * this.meta.vectors);
  }

  /** Address of the docids of all documents, u32 each. */
  get docids(): number {
    return this.#load(this.#layout.docids, 4 * this.meta.documents);
  }

  /** Address of the slots of all vectors, a byte each. */
  get slots(): number {
    return this.#load(this.#layout.slots, this.meta.vectors);
  }

  /** Address of the flags of all documents, a byte each. */
  get flags(): number {
    return this.#load(this.#layout.flags, this.meta.documents);
  }

  /** Address of the first vectors of all documents, u32 each, and one to close the last. */
  get firsts(): number {
    return this.#load(this.#layout.firsts, 4 * (this.meta.documents + 1));
  }

  get hasGraph(): boolean {
    return this.meta.graphBytes > 0;
  }

  /** Kind of the rows by which the graph is walked; below, their length. */
  get codesKind(): number {
    return codesKind(this.meta);
  }
  get codesRowBytes(): number {
    return this.meta.isBinary ? this.rowBytes : codeBytesOf(this.meta.dimensions);
  }

  /** The graph and the rows by which it is walked, valid until the next turn. */
  graph(): GraphSource {
    return this.#source((offset, length) => this.#load(offset, length))!;
  }

  /** The same if it can stay in memory for later searches; null when there is no room for that. */
  pinnedGraph(): GraphSource | null {
    return this.#source((offset, length) => this.#bytes.pin(offset, length));
  }

  /** Address of rows by which the graph is walked, valid until the next load. */
  codes(first: number, count: number): number {
    const { codesRowBytes } = this;
    const start = this.meta.isBinary ? 0 : this.#layout.codes;
    return this.#load(start + first * codesRowBytes, count * codesRowBytes, false);
  }

  /** Address of rows, valid until the next load. */
  rows(first: number, count: number): number {
    const { rowBytes } = this.#layout;
    return this.#load(first * rowBytes, count * rowBytes, false);
  }

  /** Place of a document among the documents of the store, or -1. */
  placeOf(docid: number): number {
    const { documents } = this.meta;
    if (documents === 0) return -1;
    const docids = this.docids >>> 2;
    return placeOf(this.core.u32, docid, docids, docids + documents);
  }

  /** Numbers of the first vector of the document at a place, and of the first one after it. */
  range(place: number): [number, number] {
    const at = this.firsts >>> 2;
    return [this.core.u32[at + place], this.core.u32[at + place + 1]];
  }

  /** The vectors of the document at a place. */
  read(place: number): DocumentVectors {
    const { embedder, dimensions, isBinary } = this.meta;
    const flags = this.core.u8[this.flags + place];
    const [from, to] = this.range(place);
    const slots = from === to ? [] : [...this.core.u8.subarray(this.slots + from, this.slots + to)];
    return {
      embedder,
      dimensions,
      isBinary,
      slots,
      values: this.#values(from, to),
      isUserProvided: (flags & FLAG_USER_PROVIDED) !== 0,
      regenerates: (flags & FLAG_REGENERATE) !== 0,
    };
  }

  #load(offset: number, length: number, holds?: boolean): number {
    return this.#bytes.load(offset, length, holds);
  }

  #source(at: (offset: number, length: number) => number): GraphSource | null {
    const { dimensions, isBinary, vectors, graphBytes } = this.meta;
    const layout = this.#layout;
    // Codes and graph are adjacent.
    const start = isBinary ? layout.graph : layout.codes;
    const begin = at(start, layout.graph + graphBytes - start);
    const rows = isBinary ? at(0, vectors * this.rowBytes) : begin;
    if (begin === 0 || rows === 0) return null;
    const graph = begin + layout.graph - start;
    return { kind: codesKind(this.meta), dimensions, rows, items: vectors, graph };
  }

  #values(from: number, to: number): Float32Array {
    const { dimensions, isBinary } = this.meta;
    const values = new Float32Array((to - from) * dimensions);
    if (from === to) return values;
    const rows = this.rows(from, to - from);
    const { u8 } = this.core;
    if (!isBinary) {
      new Uint8Array(values.buffer).set(u8.subarray(rows, rows + values.byteLength));
      return values;
    }
    for (let i = 0; i < values.length; i++) {
      const row = rows + Math.floor(i / dimensions) * this.rowBytes;
      const bit = i % dimensions;
      values[i] = (u8[row + (bit >>> 3)] >> (bit & 7)) & 1;
    }
    return values;
  }
}
