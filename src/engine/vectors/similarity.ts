// Turns the distance of two vectors into the score that users see. Called by search/similar.ts and
// search/vectorsort.ts.
import type { Distribution } from "../../embedders/embedder.ts";

const { fround } = Math;
/** Lowest score, which is not 0: that is the score of a document without a vector. */
const LEAST = 1.1920928955078125e-7;
/** Standard deviation to which distributions are stretched; below, the mean to which they are moved. */
const SIGMA = 0.4;
const MEAN = 0.5;

/** Computes in 32-bit arithmetic throughout. */
export function similarityOf(distance: number, distribution: Distribution | null): number {
  const similarity = fround(1 - distance);
  if (!distribution) return similarity;
  const factor = fround(fround(SIGMA) / fround(distribution.sigma));
  const offset = fround(MEAN - fround(factor * fround(distribution.mean)));
  const shifted = fround(fround(factor * similarity) + offset);
  return shifted <= 0 ? LEAST : Math.min(shifted, 1);
}
