// Which terms of a query may be dropped, and in what order: the matching strategy. Called by rank.ts.
import type { Node } from "./derive.ts";
import type { Matching } from "./matching.ts";

export type MatchingStrategy = "last" | "all" | "frequency";

/**
 * For each removal step from none on, the term ids that are kept: `keeps[r][id]`. The last one is the least that a
 * document must match. Phrases are never dropped, nor is the last term that would be left.
 */
export function removalSteps(
  matching: Matching,
  nodes: readonly Node[],
  terms: number,
  strategy: MatchingStrategy,
): boolean[][] {
  const all = new Array<boolean>(terms).fill(true);
  if (strategy === "all" || terms <= 1) return [all];
  const order = strategy === "last" ? all.map((_, id) => terms - id) : orderByFrequency(matching, nodes, terms);
  const fixed = all.map((_, id) => nodes.some(({ from, to, phrase }) => phrase !== null && from <= id && id <= to));
  const groups = [...new Set(order.filter((_, id) => !fixed[id]))].sort((a, b) => a - b);
  if (!fixed.includes(true)) groups.pop();
  return [all, ...groups.map((group) => all.map((_, id) => fixed[id] || order[id] > group))];
}

/** The most frequent terms go first, those that match nothing with them; equal counts go together. */
function orderByFrequency(matching: Matching, nodes: readonly Node[], terms: number): number[] {
  const counts = Array.from({ length: terms }, (_, id) => {
    const bitmap = matching.bitmap();
    for (const node of nodes) if (node.from <= id && id <= node.to) matching.or(bitmap, matching.nodeDocuments(node));
    return matching.count(bitmap) || Number.POSITIVE_INFINITY;
  });
  const sorted = [...new Set(counts)].sort((a, b) => (a === b ? 0 : b > a ? 1 : -1));
  return counts.map((count) => 1 + sorted.indexOf(count));
}
