// One vector store of an open segment (vectorformat.ts). Pointers lie in the extent cache. Used by searches
// (engine/search/vectorsort.ts), by what shows documents, and by the writing side, which keeps vectors.
import type { Core } from "../core/core.ts";
import {
  codesBytes,
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

/** Loads bytes of the store; `holds`: until the next turn, else until the next load. */
export type LoadVectors = (offset: number, length: number, holds?: boolean) => number;

export class VectorStore {
  readonly core: Core;
  readonly meta: VectorMeta;
  readonly #layout: VectorLayout;
  readonly #load: LoadVectors;

  constructor(core: Core, meta: VectorMeta, load: LoadVectors) {
    this.core = core;
    this.meta = meta;
    this.#layout = vectorLayout(meta);
    this.#load = load;
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

  /** Address of the first vectors of all documents, u32 each, one closing. */
  get firsts(): number {
    return this.#load(this.#layout.firsts, 4 * (this.meta.documents + 1));
  }

  /** Bytes that `graph` loads; 0: there is no graph. */
  get graphBytes(): number {
    const { graphBytes, isBinary, vectors } = this.meta;
    if (graphBytes === 0) return 0;
    return graphBytes + (isBinary ? vectors * this.rowBytes : codesBytes(this.meta));
  }

  /** The graph, and the rows that it is walked with. */
  graph(): GraphSource {
    const { dimensions, isBinary, vectors, graphBytes } = this.meta;
    const codes = isBinary
      ? this.#load(0, vectors * this.rowBytes)
      : this.#load(this.#layout.codes, codesBytes(this.meta));
    const graph = this.#load(this.#layout.graph, graphBytes);
    return { kind: codesKind(this.meta), dimensions, rows: codes, items: vectors, graph };
  }

  /** Address of rows, until the next load. */
  rows(first: number, count: number): number {
    const { rowBytes } = this.#layout;
    return this.#load(first * rowBytes, count * rowBytes, false);
  }

  /** Place of a document among those of the store, or -1. */
  placeOf(docid: number): number {
    const { documents } = this.meta;
    if (documents === 0) return -1;
    const docids = this.docids >>> 2;
    const { u32 } = this.core;
    let low = 0;
    let high = documents - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (u32[docids + middle] < docid) low = middle + 1;
      else high = middle;
    }
    return u32[docids + low] === docid ? low : -1;
  }

  /** Numbers of the vectors of the document at a place: the first one, and the one behind the last. */
  range(place: number): [number, number] {
    const at = this.firsts >>> 2;
    return [this.core.u32[at + place], this.core.u32[at + place + 1]];
  }

  /** What the document at a place has. */
  read(place: number): DocumentVectors {
    const { embedder, dimensions, isBinary } = this.meta;
    const flags = this.core.u8[this.flags + place];
    const [from, to] = this.range(place);
    const slots = from === to ? [] : [...this.core.u8.subarray(this.slots + from, this.slots + to)];
    return {
      ...{ embedder, dimensions, isBinary, slots, values: this.#values(from, to) },
      isUserProvided: (flags & FLAG_USER_PROVIDED) !== 0,
      regenerates: (flags & FLAG_REGENERATE) !== 0,
    };
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
