// Finds the vectors of an index that are nearest to a query's, across all segments: by comparing every
// candidate's vector, or by walking the graph of a segment. Called by search/vectorsort.ts and
// search/similar.ts.
import { type Nearest, PAIR_BYTES, readNearest, VECTOR_BITS } from "../../core/vectors.ts";
import { findNearest, type GraphSource } from "../../segment/vectorgraph.ts";
import type { VectorStore } from "../../segment/vectorstore.ts";
import { zeroItems } from "../../segment/zerovectors.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import { scaledToOne } from "./scale.ts";

/** Rows are loaded in blocks of about this many bytes, or of 64 rows if that is more. */
const BLOCK_BYTES = 1024 * 1024;
/** Vectors searched beyond those asked for: ties at the end must be known. */
const SPARE = 8;
/**
 * As many vectors are searched for at least, else a power of two. Walks of different lengths find different
 * documents, so neighbouring pages come from the same walk where possible: otherwise a document might be on
 * both, or on neither.
 */
const WANTED_MIN = 32;
const GROWTH = 4;
/** Up to this many vectors are read one by one, wherever they lie. */
const SINGLE_ITEMS_MAX = 64;
/** When more than one in this many vectors is wanted, all are compared. */
const EXACT_PART_MIN = 8;
/** So many times as many vectors as are wanted are found by codes; of these the ones wanted are kept. */
const ROUGH_FACTOR = 2;
/** Nodes that a walk keeps in view, at least. */
const WALK_WIDTH_MIN = 100;
/** Items per word of a bitmap. */
const WORD_ITEMS = 64;

export interface NearDocument {
  docid: number;
  /** 0 to 1. */
  distance: number;
}

interface NearDocuments {
  /** Nearest first, equally near ones by docid. All documents as near as the last one are included. */
  documents: NearDocument[];
  /** True when no candidate with a vector is missing. */
  isComplete: boolean;
}

interface VectorQuery {
  embedder: string;
  vector: Float32Array;
  /** Only vectors of this slot count; null: of any slot. */
  slot: number | null;
}

/** Vectors of a store to choose from, as a bitmap, with their number; and how many of them are wanted. */
interface Wanted {
  allowed: number;
  count: number;
  most: number;
}

/** Pairs (assembly/nearest.ts) in the scratch. */
interface FoundPairs {
  pairs: number;
  length: number;
}

export class NearestSearch {
  readonly #reader: IndexReader;
  readonly #query: VectorQuery;
  /** The query's vector at a length that codes and distances can take; of bits, only the signs count. */
  readonly #scaled: Float32Array;
  /** As near as possible to every vector but those of bits. */
  readonly #isZero: boolean;

  constructor(reader: IndexReader, query: VectorQuery) {
    this.#reader = reader;
    this.#query = query;
    this.#scaled = scaledToOne(query.vector);
    this.#isZero = query.vector.every((component) => component === 0);
  }

  /** The nearest documents in a bitmap of candidates: at least `least`, or all that have vectors. */
  nearest(candidates: number, least: number): NearDocuments {
    const wantedMin = Math.max(WANTED_MIN, 2 ** Math.ceil(Math.log2(least + SPARE)));
    for (let wanted = wantedMin; ; wanted *= GROWTH) {
      const found = this.#find(candidates, wanted);
      if (found.isComplete || found.documents.length >= least) return found;
    }
  }

  #find(candidates: number, most: number): NearDocuments {
    const { embedder, vector } = this.#query;
    const best = new Map<number, number>();
    // After the last vector of a full list there may be others that are as near.
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
    const { vectors } = store.meta;
    const mark = scratch.mark();
    const { owners } = store;
    const allowed = scratch.alloc(Math.ceil(vectors / WORD_ITEMS) * 8);
    const { words } = this.#reader;
    let count = exports.vectorAllowed(owners, vectors, candidates, tombstones, words, allowed);
    if (count > 0 && this.#query.slot !== null) count = this.#restrict(store, allowed, this.#query.slot);
    const found = this.#best(store, { allowed, count, most: Math.min(most, count) });
    const docids = owners >>> 2;
    const items = found.map(({ item, distance }) => ({ docid: core.u32[docids + item], distance }));
    scratch.release(mark);
    return { items, isFull: items.length < count };
  }

  /**
   * The nearest of the allowed vectors of a store. If more than a few are wanted, or there are no codes, all
   * vectors are compared directly. Otherwise they are found by their codes, through the graph if it is in
   * memory, and their distances are then made exact. Bits are so already, but many vectors are equally near
   * by them: a walk must be as wide to find them all. All zero vectors are equally near, and come on top.
   */
  #best(store: VectorStore, wanted: Wanted): Nearest[] {
    const { core } = this.#reader.share;
    const { allowed, count, most } = wanted;
    const read = ({ pairs, length }: FoundPairs) => readNearest(core, pairs, Math.min(length, most));
    if (this.#isZero && !store.meta.isBinary)
      return readNearest(core, this.#every(store, allowed, count).pairs, count);
    if (count <= SINGLE_ITEMS_MAX) return read(this.#rescored(store, this.#every(store, allowed, count)));
    if (!store.hasGraph || most * EXACT_PART_MIN >= count) return read(this.#compare(store, wanted, "rows"));
    const source = store.pinnedGraph();
    const zeros = store.meta.isBinary ? [] : this.#takeZeros(zeroItems(store, source), allowed);
    const rough = { ...wanted, most: Math.min(ROUGH_FACTOR * most, count - zeros.length) };
    const found = source ? this.#walk(source, rough) : this.#compare(store, rough, "codes");
    return [...zeros, ...read(store.meta.isBinary ? found : this.#rescored(store, found))];
  }

  /** Takes the items that are zero vectors out of the allowed ones. */
  #takeZeros(items: Uint32Array, allowed: number): Nearest[] {
    const { u8 } = this.#reader.share.core;
    const zeros: Nearest[] = [];
    for (const item of items) {
      const [at, bit] = [allowed + (item >>> 3), 1 << (item & 7)];
      if ((u8[at] & bit) === 0) continue;
      u8[at] &= ~bit;
      zeros.push({ item, distance: 0 });
    }
    return zeros;
  }

  /** Compares the query with every allowed vector, or with the codes of these. */
  #compare(store: VectorStore, { allowed, most }: Wanted, form: "rows" | "codes"): FoundPairs {
    const { core, scratch } = this.#reader.share;
    const { exports } = core;
    const { vectors, dimensions } = store.meta;
    const kind = form === "rows" ? store.kind : store.codesKind;
    const rowBytes = form === "rows" ? store.rowBytes : store.codesRowBytes;
    const pairs = scratch.alloc(PAIR_BYTES * most + PAIR_BYTES);
    const query = this.#queryFor(kind);
    const blockRows = Math.max(1, Math.floor(BLOCK_BYTES / (WORD_ITEMS * rowBytes))) * WORD_ITEMS;
    let length = 0;
    for (let first = 0; first < vectors && most > 0; first += blockRows) {
      const rows = Math.min(blockRows, vectors - first);
      if (!exports.bitmapAny(allowed + first / 8, Math.ceil(rows / WORD_ITEMS))) continue;
      const block = store[form](first, rows);
      length = exports.vectorScan(
        ...([kind, block, first, rows, dimensions] as const),
        ...([query, allowed, pairs, length, most] as const),
      );
    }
    exports.nearestSort(pairs, length);
    return { pairs, length };
  }

  /** Approximately the nearest codes, by the graph where that is quicker. */
  #walk(source: GraphSource, { allowed, count, most }: Wanted): FoundPairs {
    const { scratch } = this.#reader.share;
    const pairs = scratch.alloc(PAIR_BYTES * (most + 1));
    const query = this.#queryFor(source.kind);
    const width = Math.max(WALK_WIDTH_MIN, most);
    const request = { query, most, width, allowed, allowedCount: count };
    return { pairs, length: findNearest(scratch, source, request, pairs) };
  }

  /** Pairs for all allowed vectors, with distances of 0. */
  #every(store: VectorStore, allowed: number, count: number): FoundPairs {
    const { core, scratch } = this.#reader.share;
    const pairs = scratch.alloc(PAIR_BYTES * (count + 1));
    let length = 0;
    for (let at = allowed >>> 2, item = 0; item < store.meta.vectors; at++, item += 32) {
      for (let bits = core.u32[at]; bits !== 0; bits &= bits - 1) {
        core.u32[(pairs >>> 2) + 2 * length] = item + 31 - Math.clz32(bits & -bits);
        core.u32[(pairs >>> 2) + 2 * length++ + 1] = 0;
      }
    }
    return { pairs, length };
  }

  /** Computes the distances of the vectors themselves, and sorts by them. */
  #rescored(store: VectorStore, { pairs, length }: FoundPairs): FoundPairs {
    const { core, scratch } = this.#reader.share;
    const { rowBytes, kind } = store;
    const rows = scratch.alloc(length * rowBytes);
    for (let i = 0; i < length; i++) {
      core.copy(rows + i * rowBytes, store.rows(core.u32[(pairs >>> 2) + 2 * i], 1), rowBytes);
    }
    const { dimensions } = store.meta;
    core.exports.vectorRescore(pairs, length, kind, rows, 1, dimensions, this.#queryFor(kind));
    core.exports.nearestSort(pairs, length);
    return { pairs, length };
  }

  /** Keeps only the vectors of one slot. Returns their number. */
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
    const vector = kind === VECTOR_BITS ? this.#query.vector : this.#scaled;
    const query = scratch.alloc(core.exports.vectorQueryBytes(kind, vector.length));
    const floats = scratch.alloc(vector.byteLength);
    core.write(floats, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    core.exports.vectorQuery(kind, floats, vector.length, query);
    return query;
  }
}
