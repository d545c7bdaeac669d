// From how far two vectors are apart to the score that users see. Called by what scores hits.
import type { Distribution } from "../../embedders/embedder.ts";

const { fround } = Math;
/** Scores are never 0: that is the score of a document without a vector. */
const LEAST = 1.1920928955078125e-7;
/** Standard deviation that distributions are stretched to, and the middle they are moved to. */
const SIGMA = 0.4;
const MEAN = 0.5;

/** 32-bit arithmetic throughout. */
export function similarityOf(distance: number, distribution: Distribution | null): number {
  const similarity = fround(1 - distance);
  if (!distribution) return similarity;
  const factor = fround(fround(SIGMA) / fround(distribution.sigma));
  const offset = fround(MEAN - fround(factor * fround(distribution.mean)));
  const shifted = fround(fround(factor * similarity) + offset);
  return shifted <= 0 ? LEAST : Math.min(shifted, 1);
}
