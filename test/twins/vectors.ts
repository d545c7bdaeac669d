// Vectors and their distances by the definitions.
export type Kind = 0 | 1 | 2;

const CODE_MAX = 127;

/** A vector as a row of a kind sees it: components, codes, or bits. */
export function seen(kind: Kind, vector: readonly number[], codeMax = CODE_MAX): number[] {
  if (kind === 0) return vector.map(Math.fround);
  if (kind === 2) return vector.map((component) => (component > 0 ? 1 : 0));
  const largest = Math.max(...vector.map(Math.abs));
  return vector.map((component) => (largest > 0 ? Math.round((component / largest) * codeMax) : 0));
}

export function distance(kind: Kind, a: readonly number[], b: readonly number[]): number {
  if (kind === 2) {
    const differing = a.filter((bit, i) => bit !== b[i]).length;
    return differing / (64 * Math.ceil(a.length / 64));
  }
  const isZero = (vector: readonly number[]) => vector.every((component) => component === 0);
  if (kind === 0 && (isZero(a) || isZero(b))) return 0;
  const length = Math.sqrt(product(a, a)) * Math.sqrt(product(b, b));
  return (1 - (length > 0 ? product(a, b) / length : 0)) / 2;
}

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, component, i) => sum + component * b[i], 0);

/** The nearest items, equally near ones by item. */
export function nearest(distances: readonly number[], most: number, allowed: (item: number) => boolean) {
  return distances
    .map((distance, item) => ({ item, distance }))
    .filter(({ item }) => allowed(item))
    .sort((a, b) => a.distance - b.distance || a.item - b.item)
    .slice(0, most);
}
