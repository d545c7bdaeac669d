// The graph of a query: its nodes are terms and runs of neighbouring terms (derive.ts); a path covers all
// terms by nodes. An item is a node with the derivations that ranking rules have left to it. Called by
// collection.ts and the rules.
import type { Node } from "./derive.ts";

/** Derivations that an item allows, as bits: levels of typos, or the word itself alone. */
export const ZERO = 1;
export const ONE = 2;
export const TWO = 4;
export const EXACT = 8;
export const ALL = ZERO | ONE | TWO;
/** The level of so many typos. */
export const LEVELS: readonly number[] = [ZERO, ONE, TWO];

export interface Item {
  readonly node: Node;
  readonly allowed: number;
  /** Different for different items of one search. */
  readonly key: number;
}

export type Path = readonly Item[];

/** Makes items, each once, so that equal ones are identical. */
export class Items {
  readonly #items = new Map<number, Item>();

  of(node: Node, allowed: number): Item {
    const key = node.index * 16 + allowed;
    const known = this.#items.get(key);
    if (known) return known;
    const item = { node, allowed, key };
    this.#items.set(key, item);
    return item;
  }
}

/** All ways to cover the terms by nodes, depth first, shorter nodes first. */
export function coveringPaths(items: Items, nodes: readonly Node[], terms: number): Path[] {
  const paths: Path[] = [];
  const walk = (path: Path, at: number): void => {
    if (at === terms) {
      paths.push(path);
      return;
    }
    for (const node of nodes) if (node.from === at) walk([...path, items.of(node, ALL)], node.to + 1);
  };
  walk([], 0);
  return paths;
}

/** The paths without repeats, in order. */
export function distinctPaths(paths: readonly Path[]): Path[] {
  if (paths.length < 2) return [...paths];
  const seen = new Map<string, Path>();
  for (const path of paths) {
    const key = path.map((item) => item.key).join();
    if (!seen.has(key)) seen.set(key, path);
  }
  return [...seen.values()];
}
