// The zero vectors of a store that has codes. They are as near as possible to every query, but have no
// direction by which a graph could lead to them, and by their codes they are half-way from everything: so a
// search takes them from here. Called by engine/vectors/nearest.ts.
import type { VectorMeta } from "./vectorformat.ts";
import type { GraphSource } from "./vectorgraph.ts";
import type { VectorStore } from "./vectorstore.ts";

/** Codes that are not in memory are read in blocks of about this many bytes. */
const BLOCK_BYTES = 1024 * 1024;

/** Items of each store, ascending: a segment never changes, so they are looked for once. */
const known = new WeakMap<VectorMeta, Uint32Array>();

/** `source`: the codes where they are in memory. */
export function zeroItems(store: VectorStore, source: GraphSource | null): Uint32Array {
  const found = known.get(store.meta);
  if (found) return found;
  const items = Uint32Array.from(findZeros(store, source));
  known.set(store.meta, items);
  return items;
}

/** A row of codes ends with a factor, which is 0 for the zero vector alone. */
function findZeros(store: VectorStore, source: GraphSource | null): number[] {
  const { codesRowBytes, core, meta } = store;
  const zeros: number[] = [];
  const count = source ? meta.vectors : Math.ceil(BLOCK_BYTES / codesRowBytes);
  for (let first = 0; first < meta.vectors; first += count) {
    const end = Math.min(first + count, meta.vectors);
    const factors = ((source?.rows ?? store.codes(first, end - first)) + codesRowBytes - 4) >>> 2;
    for (let item = first, at = factors; item < end; item++, at += codesRowBytes >>> 2)
      if (core.u32[at] === 0) zeros.push(item);
  }
  return zeros;
}
