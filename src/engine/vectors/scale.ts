// Vectors of any length as ones with the same direction whose squares neither overflow nor vanish. Called by
// nearest.ts for queries; the kernels take care of rows.

/** The vector times the power of two that brings its largest component to between 1 and 2. */
export function scaledToOne(vector: Float32Array): Float32Array {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  if (largest === 0) return vector;
  // Nothing is rounded by a power of two, but for components that are too small beside the largest to count.
  const factor = 2 ** -Math.floor(Math.log2(largest));
  return vector.map((component) => component * factor);
}
