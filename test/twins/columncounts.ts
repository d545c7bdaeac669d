// Counts and distinct documents of a column (assembly/column-counts.ts), written plainly over the codes of
// each docid.

export type CodesOfDocids = ReadonlyMap<number, readonly number[]>;

/** How many of some docids have each of `codes` codes. */
export function twinCounts(documents: CodesOfDocids, docids: readonly number[], codes: number): number[] {
  const counts = new Array<number>(codes).fill(0);
  for (const docid of docids) for (const code of documents.get(docid) ?? []) counts[code]++;
  return counts;
}

/** Those docids that share no code below `values` with one before them or with `seen`, which grows. */
export function twinDistinct(
  documents: CodesOfDocids,
  docids: readonly number[],
  values: number,
  seen: Set<number>,
): number[] {
  return docids.filter((docid) => {
    const own = (documents.get(docid) ?? []).filter((code) => code < values);
    if (own.some((code) => seen.has(code))) return false;
    for (const code of own) seen.add(code);
    return true;
  });
}
