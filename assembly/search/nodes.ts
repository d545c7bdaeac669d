// The query graph of the search: its nodes, and what is known of their items. Set by index.ts and the host;
// read throughout this folder.
import { allocRecord } from "./arena";
import { ItemNumber, itemNumbers, nodeNumber } from "./item-numbers";
import { Item, Node } from "./records";

let nodes: usize = 0;
export let nodeCount: i32 = 0;
/** Number of terms in the query. */
export let termCount: i32 = 0;
let items: usize = 0;
/** Above the number of terms that the host allows in a query; no path has more items. */
export const PATH_ITEMS_MAX: i32 = 16;

/** Begins a search, whose nodes are not known yet. */
export function nodesBegin(): void {
  nodeCount = 0;
}

/** Sets the nodes of the query, one Node after another, and the number of its terms. */
export function searchNodes(at: usize, count: i32, terms: i32): void {
  if (terms > PATH_ITEMS_MAX) unreachable();
  nodes = at;
  nodeCount = count;
  termCount = terms;
  items = allocRecord(<usize>itemNumbers(count) * offsetof<Item>());
}

export function nodeAt(index: i32): Node {
  return changetype<Node>(nodes + <usize>index * offsetof<Node>());
}

export function nodeOf(item: ItemNumber): Node {
  return nodeAt(nodeNumber(item));
}

export function itemOf(item: ItemNumber): Item {
  return changetype<Item>(items + <usize>item * offsetof<Item>());
}
