// Vectors of the most recent queries of one embedder. Used by modelembedder.ts.
import { RecentMap } from "./recentmap.ts";

export class QueryCache {
  readonly #vectors: RecentMap<string, Float32Array>;

  /** 0 entries: nothing is remembered. */
  constructor(entriesMax: number) {
    this.#vectors = new RecentMap(entriesMax);
  }

  get(query: string): Float32Array | undefined {
    return this.#vectors.get(query);
  }

  set(query: string, vector: Float32Array): void {
    if (Buffer.byteLength(query) <= QUERY_BYTES_MAX) this.#vectors.set(query, vector);
  }
}

/** Longer queries are hardly ever asked twice. */
const QUERY_BYTES_MAX = 2000;
