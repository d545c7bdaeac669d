// Vectors as embeddings are: in clusters of clusters. Equal seeds give equal vectors.

/** Numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function clusteredVectors(count: number, dimensions: number, seed: number): Float32Array[] {
  const random = randomOf(seed);
  const around = (centre: Float32Array, spread: number) =>
    centre.map((component) => component + spread * (random() + random() + random() - 1.5));
  const origin = new Float32Array(dimensions);
  const coarse = Array.from({ length: 8 }, () => around(origin, 1));
  const fine = Array.from({ length: 64 }, (_, i) => around(coarse[i % coarse.length], 0.7));
  return Array.from({ length: count }, () => around(fine[Math.floor(random() * fine.length)], 0.5));
}
