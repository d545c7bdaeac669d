// The dictionary written plainly: a sorted array of words, every look-up a pass over all of them.

export interface NearWord {
  ordinal: number;
  kind: number;
}

export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Distinct words in byte order. */
export const sortedWords = (words: Iterable<string>): string[] => [...new Set(words)].sort(compareBytes);

const isPseudo = (word: string): boolean => word.startsWith("\0");

export function prefixRange(words: string[], prefix: string): [number, number] {
  const hits = words.flatMap((word, i) =>
    word.startsWith(prefix) && (prefix.startsWith("\0") || !isPseudo(word)) ? [i] : [],
  );
  return hits.length ? [hits[0], hits[hits.length - 1] + 1] : [-1, -1];
}

/**
 * Optimal string alignment distances of the first 0 to n letters of `a` to the first 0 to m letters of `b`.
 */
function alignments(a: string[], b: string[]): number[][] {
  const table = b.concat("").map((_, j) => a.concat("").map((__, i) => (j === 0 ? i : j)));
  for (let j = 1; j <= b.length; j++) {
    for (let i = 1; i <= a.length; i++) {
      const substituted = table[j - 1][i - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[j][i] = Math.min(substituted, table[j - 1][i] + 1, table[j][i - 1] + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) table[j][i] = Math.min(table[j][i], table[j - 2][i - 2] + 1);
    }
  }
  return table;
}

/**
 * Distance of a query to a word, or by the rule for prefixes to the beginning of it at which reading stops.
 */
export function typoDistance(query: string, word: string, budget: number, prefix: boolean): number {
  const letters = [...query];
  const columns = alignments(letters, [...word]);
  const stops = (column: number[]): boolean => {
    const whole = column[letters.length];
    return whole <= budget && column.every((distance) => distance >= whole);
  };
  const column = (prefix && columns.slice(1).find(stops)) || columns[columns.length - 1];
  return column[letters.length];
}

export function nearWords(words: string[], query: string, budget: number, prefix: boolean): NearWord[] {
  const near: NearWord[] = [];
  words.forEach((word, ordinal) => {
    if (isPseudo(word)) return;
    const isSame = [...word][0] === [...query][0];
    const distance = typoDistance(query, word, isSame ? budget : 1, prefix);
    if (isSame && distance >= 1 && distance <= budget) near.push({ ordinal, kind: distance });
    else if (!isSame && budget === 2 && distance === 1) near.push({ ordinal, kind: 3 });
  });
  return near;
}

/** The one-typo and two-typo sets of a query over the union of several vocabularies. */
export function typoSets(
  vocabularies: string[][],
  query: string,
  budget: number,
  prefix: boolean,
  isEligible: (segment: number, ordinal: number) => boolean,
): { one: string[]; two: string[] } {
  const union = sortedWords(vocabularies.flat());
  const sets = { one: [] as string[], two: [] as string[] };
  for (const { ordinal, kind } of nearWords(union, query, budget, prefix)) {
    const word = union[ordinal];
    const isIn = (words: string[], i: number): boolean =>
      words.includes(word) && isEligible(i, words.indexOf(word));
    if (!vocabularies.some(isIn)) continue;
    if (kind !== 1 && sets.two.length < 50) sets.two.push(word);
    else if (kind !== 2 && sets.one.length < 150) sets.one.push(word);
    if (sets.one.length === 150 && sets.two.length === 50) break;
  }
  return sets;
}
