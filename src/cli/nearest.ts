// The known name that was most likely meant: the hint behind "unknown option" and "unknown key".

/** Share of a name that may be mistyped. */
const MISTYPED_SHARE_MAX = 0.34;

/** The candidate with the fewest edits from `name`, or undefined when none is near. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.floor(Math.max(name.length, 3) * MISTYPED_SHARE_MAX) + 1;
  for (const candidate of candidates) {
    const edits = countEdits(name, candidate);
    if (edits >= fewest) continue;
    [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance, by the row-wise method of Wagner and Fischer. */
function countEdits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = above[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, above[j] + 1, row[j - 1] + 1));
    }
    above = row;
  }
  return above[to.length];
}
