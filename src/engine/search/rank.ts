// Ordering of the matched documents: buckets, best first, of the ranking rules Words and Typo. Within a bucket documents
// stand in the order of their numbers. Called by search.ts.
import type { Node } from "./derive.ts";
import type { Matching } from "./matching.ts";

/** Documents of equal rank; `ranks`: what each rule that ran said, for the score. */
export interface Bucket {
  bitmap: number;
  ranks: { rule: "words" | "typo"; rank: number; max: number }[];
}

/** Cost of reading n terms as one word, before its typos. */
const NGRAM_COSTS = [0, 0, 2, 3];

/** Documents of `universe` that match the kept terms, along any path of nodes. */
export function matched(
  matching: Matching,
  nodes: readonly Node[],
  kept: readonly boolean[],
  universe: number,
): number {
  const reached: number[] = [universe];
  for (let id = 0; id < kept.length; id++) {
    if (!reached[id]) continue;
    if (!kept[id]) {
      unite(matching, reached, id + 1, reached[id], null);
      continue;
    }
    for (const node of nodes) {
      if (node.from === id && keeps(kept, node)) {
        unite(matching, reached, node.to + 1, reached[id], matching.nodeDocuments(node));
      }
    }
  }
  return reached[kept.length] || matching.bitmap();
}

/** Buckets of the Words rule: most terms kept first. Every bucket is new and not empty. */
export function* wordsBuckets(
  matching: Matching,
  nodes: readonly Node[],
  steps: readonly (readonly boolean[])[],
  universe: number,
): Generator<{ bitmap: number; kept: readonly boolean[] }> {
  const left = matching.bitmap(universe);
  for (const kept of steps) {
    const bitmap = matching.bitmap(matched(matching, nodes, kept, left));
    if (matching.count(bitmap) === 0) continue;
    matching.andNot(left, bitmap);
    yield { bitmap, kept };
  }
}

/** Buckets of the Typo rule inside one bucket of Words: fewest typos first. */
export function* typoBuckets(
  matching: Matching,
  nodes: readonly Node[],
  kept: readonly boolean[],
  universe: number,
): Generator<{ bitmap: number; typos: number; most: number }> {
  const most = maxTypos(nodes, kept);
  const left = matching.bitmap(universe);
  // reached[id][c]: documents that match the first `id` terms at a cost of c.
  const reached: number[][] = Array.from({ length: kept.length + 1 }, () => []);
  reached[0][0] = universe;
  for (let id = 0; id < kept.length; id++) {
    reached[id].forEach((documents, cost) => {
      if (!kept[id]) {
        unite(matching, reached[id + 1], cost, documents, null);
        return;
      }
      for (const node of nodes) {
        if (node.from !== id || !keeps(kept, node)) continue;
        matching.levels(node).forEach((level, typos) => {
          if (!level) return;
          unite(matching, reached[node.to + 1], cost + NGRAM_COSTS[node.size] + typos, documents, level);
        });
      }
    });
  }
  for (let typos = 0; typos < reached[kept.length].length; typos++) {
    const documents = reached[kept.length][typos];
    if (!documents) continue;
    const bitmap = matching.bitmap(documents);
    matching.and(bitmap, left);
    if (matching.count(bitmap) === 0) continue;
    matching.andNot(left, bitmap);
    yield { bitmap, typos, most };
  }
}

const keeps = (kept: readonly boolean[], { from, to }: Node): boolean => {
  for (let id = from; id <= to; id++) if (!kept[id]) return false;
  return true;
};

/** The most typos that a path of plain terms can have. */
function maxTypos(nodes: readonly Node[], kept: readonly boolean[]): number {
  let sum = 0;
  for (const node of nodes) {
    if (node.ngram || !kept[node.from] || node.phrase) continue;
    sum += Math.max(1, node.budget);
  }
  return sum;
}

/** Adds `documents` (and `filter`) to slot `at` of a list of bitmaps. */
function unite(matching: Matching, slots: number[], at: number, documents: number, filter: number | null): void {
  const bitmap = matching.bitmap(documents);
  if (filter !== null) matching.and(bitmap, filter);
  if (slots[at]) matching.or(bitmap, slots[at]);
  slots[at] = bitmap;
}
