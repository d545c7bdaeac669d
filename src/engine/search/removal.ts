// Which terms of a query may be let go, and in what order: the matching strategy. Called by collection.ts
// and words.ts.
import type { Node } from "./derive.ts";
import { ALL, type Items } from "./graph.ts";
import type { Matching } from "./matching.ts";

export type MatchingStrategy = "last" | "all" | "frequency";

/** The removal groups of the terms: lower orders go first. */
export class Removal {
  readonly #orders: readonly number[];
  /** Nodes of this order stay. */
  readonly #highest: number;

  /** @param orders by term; none when nothing may be let go */
  constructor(orders: readonly number[], nodes: readonly Node[]) {
    this.#orders = orders;
    const isFixed = nodes.some(({ phrase }) => phrase !== null);
    this.#highest = isFixed ? Number.POSITIVE_INFINITY : Math.max(...orders, Number.NEGATIVE_INFINITY);
  }

  /** Group of a node; infinite when it stays. */
  orderOf({ from, to, phrase }: Node): number {
    if (phrase || !this.#orders.length) return Number.POSITIVE_INFINITY;
    const order = Math.max(...this.#orders.slice(from, to + 1));
    return order < this.#highest ? order : Number.POSITIVE_INFINITY;
  }

  isRemovable(node: Node): boolean {
    return this.orderOf(node) !== Number.POSITIVE_INFINITY;
  }
}

export function removalOf(
  matching: Matching,
  items: Items,
  nodes: readonly Node[],
  terms: number,
  strategy: MatchingStrategy,
): Removal {
  if (strategy === "all" || terms <= 1) return new Removal([], nodes);
  if (strategy === "last")
    return new Removal(
      Array.from({ length: terms }, (_, id) => terms - id),
      nodes,
    );
  return new Removal(ordersByFrequency(matching, items, nodes, terms), nodes);
}

/** The most frequent terms go first, those that match nothing with them; equal counts go together. */
function ordersByFrequency(
  matching: Matching,
  items: Items,
  nodes: readonly Node[],
  terms: number,
): number[] {
  const { bitmaps } = matching.lookups;
  const counts = Array.from({ length: terms }, (_, id) => {
    const covering = nodes.filter(({ from, to }) => from <= id && id <= to);
    const documents = bitmaps.union(covering.map((node) => matching.documents(items.of(node, ALL))));
    return (documents && bitmaps.count(documents)) || Number.POSITIVE_INFINITY;
  });
  const sorted = [...new Set(counts)].sort((a, b) => (a === b ? 0 : b > a ? 1 : -1));
  return counts.map((count) => 1 + sorted.indexOf(count));
}
