// The vectors of the documents of a segment that is being built: rows wait in files beside the segment until
// it is their section's turn. Used by builder.ts.
import type { Core } from "../core/core.ts";
import { Region } from "../core/region.ts";
import type { Storage } from "../storage/storage.ts";
import { Spool, spoolOf } from "./spool.ts";
import { type GraphLimits, graphBytesOf, StoreGraph } from "./storegraph.ts";
import { inKeyOrder, VectorArrays } from "./vectorarrays.ts";
import {
  type DocumentVectors,
  flagsOf,
  kindOf,
  rowBytesOf,
  storeKey,
  type VectorMeta,
} from "./vectorformat.ts";
import type { SegmentWriter } from "./writer.ts";

/** Bytes of rows of one store that are kept in memory; further ones go to a file. */
const BUFFER_BYTES = 256 * 1024;

export class VectorList {
  readonly #core: Core;
  readonly #storage: Storage;
  readonly #path: string;
  readonly #graphs: GraphLimits;
  readonly #stores = new Map<string, Store>();
  /** Bytes of all rows. */
  bytes = 0;

  /** `path`: that of the segment. */
  constructor(core: Core, storage: Storage, path: string, graphs: GraphLimits) {
    this.#core = core;
    this.#graphs = graphs;
    this.#storage = storage;
    this.#path = path;
  }

  /** True when graphs over more vectors would exceed the memory for graphs. */
  get isFull(): boolean {
    let bytes = 0;
    for (const store of this.#stores.values()) bytes += graphBytesOf(store, store.vectors);
    return bytes > this.#graphs.bytesMax;
  }

  /** Docids must ascend. */
  add(docid: number, all: readonly DocumentVectors[]): void {
    for (const vectors of all) this.bytes += this.#store(vectors).add(docid, vectors);
  }

  /** Writes the section if any document has vectors. `interrupt`: called now and then. */
  writeTo(writer: SegmentWriter, interrupt: () => void): VectorMeta[] {
    if (this.#stores.size === 0) return [];
    writer.beginSection("vectors");
    const begin = writer.bytes;
    const metas = inKeyOrder(this.#stores.values()).map((store) => store.writeTo(writer, begin, interrupt));
    writer.endSection();
    this.free();
    return metas;
  }

  /** Removes the files and gives memory back. */
  free(): void {
    for (const store of this.#stores.values()) store.free();
    this.#stores.clear();
  }

  #store(vectors: DocumentVectors): Store {
    const key = storeKey(vectors);
    const known = this.#stores.get(key);
    if (known) return known;
    const path = spoolOf(`${this.#path}-vectors-${this.#stores.size}`);
    const store = new Store(this.#core, this.#storage, path, vectors, this.#graphs);
    this.#stores.set(key, store);
    return store;
  }
}

class Store {
  readonly embedder: string;
  readonly dimensions: number;
  readonly isBinary: boolean;
  readonly #core: Core;
  readonly #arrays: VectorArrays;
  readonly #buffer: Region;
  readonly #spool: Spool;
  /** Room for a vector and its row. */
  readonly #room: Region;
  readonly #graph: StoreGraph;

  constructor(core: Core, storage: Storage, path: string, vectors: DocumentVectors, limits: GraphLimits) {
    this.embedder = vectors.embedder;
    this.dimensions = vectors.dimensions;
    this.isBinary = vectors.isBinary;
    this.#core = core;
    this.#arrays = new VectorArrays(vectors);
    this.#buffer = new Region(core, BUFFER_BYTES);
    this.#spool = new Spool(storage, path, { core, pointer: this.#buffer.pointer, bytes: BUFFER_BYTES });
    this.#room = new Region(core);
    this.#graph = new StoreGraph(core, vectors, limits);
  }

  get vectors(): number {
    return this.#arrays.vectors;
  }

  /** Returns the bytes of the rows. */
  add(docid: number, vectors: DocumentVectors): number {
    const { slots, values } = vectors;
    const rowBytes = rowBytesOf(this);
    this.#arrays.addDocument(docid, flagsOf(vectors));
    const from = this.#room.ensure(values.byteLength + slots.length * rowBytes + 16);
    const rows = from + values.byteLength;
    this.#core.write(from, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#core.exports.vectorRows(kindOf(this), from, slots.length, this.dimensions, rows);
    this.#spool.appendFrom(rows, slots.length * rowBytes);
    this.#graph.add(from, slots.length);
    for (const slot of slots) this.#arrays.addVector(slot);
    return slots.length * rowBytes;
  }

  /** `begin`: start of the section. */
  writeTo(writer: SegmentWriter, begin: number, interrupt: () => void): VectorMeta {
    const at = writer.bytes - begin;
    this.#spool.copyTo(writer);
    this.#graph.build(interrupt);
    return this.#arrays.writeTo(writer, at, this.#graph);
  }

  free(): void {
    this.#spool.discard();
    this.#buffer.free();
    this.#room.free();
    this.#graph.free();
  }
}
