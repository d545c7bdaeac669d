// Order of texts by their UTF-8 bytes, without encoding them. Used wherever texts must be sorted as the core
// sorts them.

/**
 * Order of UTF-8 bytes: that of UTF-16 units, but surrogates (characters beyond U+FFFF) come after all
 * others.
 * Negative, 0 or positive.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return rank(one) - rank(other);
  }
  return a.length - b.length;
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Distinct texts in the order of their bytes (the same as that of their code points). */
export function sortedSet(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareBytes);
}
