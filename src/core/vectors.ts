// Kinds of vectors for the kernels that compare them (exports/vectors.ts), and lists of the nearest items.
// Used by src/segment to write and read vectors, and by src/engine to score them.
import type { Core } from "./core.ts";

/** Vectors as they came in: f32, of any length. */
export const VECTOR_FLOATS = 0;
/** One byte per dimension. */
export const VECTOR_CODES = 1;
/** One bit per dimension. */
export const VECTOR_BITS = 2;

/** A pair of a heap: u32 item, f32 distance. */
export const PAIR_BYTES = 8;

export interface Nearest {
  item: number;
  /** 0 to 1; the similarity that users see is 1 minus this. */
  distance: number;
}

/** Reads sorted pairs. */
export function readNearest(core: Core, pairs: number, count: number): Nearest[] {
  return Array.from({ length: count }, (_, i) => ({
    item: core.view.getUint32(pairs + PAIR_BYTES * i, true),
    distance: core.view.getFloat32(pairs + PAIR_BYTES * i + 4, true),
  }));
}
