// The vectors of an index that are nearest to a query's, over all segments: every vector of the candidates is
// compared, or the graph of a segment is walked. Called by search/vectorsort.ts and search/similar.ts.
import { PAIR_BYTES, readNearest } from "../../core/vectors.ts";
import { findNearest, GRAPH_ITEMS_MIN } from "../../segment/vectorgraph.ts";
import type { VectorStore } from "../../segment/vectorstore.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";

/** Rows are loaded so many bytes at a time, or 64 rows. */
const BLOCK_BYTES = 1024 * 1024;
/** Looked for beyond what is asked: ties at the end must be known. */
const SPARE = 8;
const GROWTH = 4;
/** A graph and its codes are read whole: they may take this part of the cache. */
const GRAPH_CACHE_PART_MAX = 0.4;
/** Where more than one in so many vectors is wanted, all are compared. */
const EXACT_PART_MIN = 8;
/** Of a walk over codes so many vectors are compared by their components in the end. */
const RESCORED_MIN = 32;
const RESCORED_FACTOR = 2;
/** Nodes that a walk keeps in sight. */
const WALK_WIDTH_MIN = 100;
/** Items of a bitmap's word. */
const WORD_ITEMS = 64;

export interface NearDocument {
  docid: number;
  /** 0 to 1. */
  distance: number;
}

export interface NearDocuments {
  /** Nearest first, equally near ones by docid. All that are as near as the last one are there. */
  documents: NearDocument[];
  /** No candidate with a vector is missing. */
  isComplete: boolean;
}

export interface VectorQuery {
  embedder: string;
  vector: Float32Array;
  /** Only vectors of this slot count; null: all. */
  slot: number | null;
}

export class NearestSearch {
  readonly #reader: IndexReader;
  readonly #query: VectorQuery;

  constructor(reader: IndexReader, query: VectorQuery) {
    this.#reader = reader;
    this.#query = query;
  }

  /** The nearest documents of a bitmap of candidates: `least`, or some more, or all that have vectors. */
  nearest(candidates: number, least: number): NearDocuments {
    for (let wanted = least + SPARE; ; wanted *= GROWTH) {
      const found = this.#find(candidates, wanted);
      if (found.isComplete || found.documents.length >= least) return found;
    }
  }

  #find(candidates: number, most: number): NearDocuments {
    const { embedder, vector } = this.#query;
    const best = new Map<number, number>();
    // Beyond the last vector of a list that is full there may be others that are as near.
    let bound = Number.POSITIVE_INFINITY;
    for (const open of this.#reader.segments) {
      for (const store of open.segment.vectors(embedder)) {
        if (store.meta.dimensions !== vector.length || store.meta.vectors === 0) continue;
        const { items, isFull } = this.#scan(open, store, candidates, most);
        if (isFull) bound = Math.min(bound, items[items.length - 1].distance);
        for (const { docid, distance } of items) {
          if (distance < (best.get(docid) ?? Number.POSITIVE_INFINITY)) best.set(docid, distance);
        }
      }
    }
    const documents = [...best].map(([docid, distance]) => ({ docid, distance }));
    documents.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
    const isComplete = bound === Number.POSITIVE_INFINITY;
    return { documents: documents.filter(({ distance }) => distance < bound), isComplete };
  }

  /** The nearest vectors of one store, with their documents. */
  #scan(
    { tombstones }: OpenSegment,
    store: VectorStore,
    candidates: number,
    most: number,
  ): { items: NearDocument[]; isFull: boolean } {
    const { core, scratch } = this.#reader.share;
    const { exports } = core;
    const { vectors, dimensions } = store.meta;
    const mark = scratch.mark();
    const { owners } = store;
    const allowed = scratch.alloc(Math.ceil(vectors / WORD_ITEMS) * 8);
    const { words } = this.#reader;
    let count = exports.vectorAllowed(owners, vectors, candidates, tombstones, words, allowed);
    if (count > 0 && this.#query.slot !== null) count = this.#restrict(store, allowed, this.#query.slot);
    const limit = Math.min(most, count);
    if (this.#mayWalk(store, count, limit)) {
      const items = this.#walk(store, allowed, count, limit);
      scratch.release(mark);
      return { items, isFull: items.length < count };
    }
    const heap = scratch.alloc(PAIR_BYTES * limit + PAIR_BYTES);
    const query = this.#queryFor(store.kind);
    const blockRows = Math.max(1, Math.floor(BLOCK_BYTES / (WORD_ITEMS * store.rowBytes))) * WORD_ITEMS;
    let found = 0;
    for (let first = 0; first < vectors && limit > 0; first += blockRows) {
      const rows = Math.min(blockRows, vectors - first);
      if (!exports.bitmapAny(allowed + first / 8, Math.ceil(rows / WORD_ITEMS))) continue;
      const block = store.rows(first, rows);
      found = exports.vectorScan(
        ...([store.kind, block, first, rows, dimensions] as const),
        ...([query, allowed, heap, found, limit] as const),
      );
    }
    exports.nearestSort(heap, found);
    const docids = owners >>> 2;
    const items = readNearest(core, heap, found).map(({ item, distance }) => {
      return { docid: core.u32[docids + item], distance };
    });
    scratch.release(mark);
    return { items, isFull: found < count };
  }

  /** Few vectors are compared one by one; and so are those whose graph is large for the cache. */
  #mayWalk(store: VectorStore, count: number, limit: number): boolean {
    const { bytes } = this.#reader.share.cache;
    const isLarge = store.graphBytes > bytes * GRAPH_CACHE_PART_MAX;
    return store.graphBytes > 0 && !isLarge && count > GRAPH_ITEMS_MIN && limit * EXACT_PART_MIN < count;
  }

  /** About the nearest vectors, by the graph of the store; distances are exact. */
  #walk(store: VectorStore, allowed: number, allowedCount: number, limit: number): NearDocument[] {
    const { core, scratch } = this.#reader.share;
    const { exports } = core;
    const { isBinary, dimensions } = store.meta;
    const source = store.graph();
    const most = isBinary ? limit : Math.max(RESCORED_MIN, RESCORED_FACTOR * limit);
    const pairs = scratch.alloc(PAIR_BYTES * (most + 1));
    const query = this.#queryFor(source.kind);
    const width = Math.max(WALK_WIDTH_MIN, most);
    const found = findNearest(scratch, source, { query, most, width, allowed, allowedCount }, pairs);
    if (!isBinary) {
      const { rowBytes, kind } = store;
      const rows = scratch.alloc(found * rowBytes);
      readNearest(core, pairs, found).forEach(({ item }, i) => {
        core.copy(rows + i * rowBytes, store.rows(item, 1), rowBytes);
      });
      exports.vectorRescore(pairs, found, kind, rows, 1, dimensions, this.#queryFor(kind));
      exports.nearestSort(pairs, found);
    }
    const docids = store.owners >>> 2;
    return readNearest(core, pairs, Math.min(found, limit)).map(({ item, distance }) => {
      return { docid: core.u32[docids + item], distance };
    });
  }

  /** Leaves the vectors of one slot. Returns their number. */
  #restrict(store: VectorStore, allowed: number, slot: number): number {
    const { u8 } = this.#reader.share.core;
    const { slots } = store;
    let count = 0;
    for (let item = 0; item < store.meta.vectors; item++) {
      const at = allowed + (item >>> 3);
      if (u8[slots + item] !== slot) u8[at] &= ~(1 << (item & 7));
      else count += (u8[at] >> (item & 7)) & 1;
    }
    return count;
  }

  #queryFor(kind: number): number {
    const { core, scratch } = this.#reader.share;
    const { vector } = this.#query;
    const query = scratch.alloc(core.exports.vectorQueryBytes(kind, vector.length));
    const floats = scratch.alloc(vector.byteLength);
    core.write(floats, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    core.exports.vectorQuery(kind, floats, vector.length, query);
    return query;
  }
}
