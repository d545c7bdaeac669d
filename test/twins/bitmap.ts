// Sets of docids as JavaScript sets; results ascend.
export const ascending = (docids: Iterable<number>): number[] => [...new Set(docids)].sort((a, b) => a - b);

export const intersection = (a: readonly number[], b: readonly number[]): number[] => {
  const other = new Set(b);
  return a.filter((docid) => other.has(docid));
};

export const union = (a: readonly number[], b: readonly number[]): number[] => ascending([...a, ...b]);

export const difference = (a: readonly number[], b: readonly number[]): number[] => {
  const other = new Set(b);
  return a.filter((docid) => !other.has(docid));
};

/** The bytes of a bitmap. */
export function bitmapBytes(docids: readonly number[], words: number): Uint8Array {
  const bytes = new Uint8Array(words * 8);
  for (const docid of docids) if (docid < words * 64) bytes[docid >> 3] |= 1 << (docid & 7);
  return bytes;
}

/** Words of 64 bits that hold the docids below `bits`. */
export const bitmapWords = (bits: number): number => Math.ceil(bits / 64);
