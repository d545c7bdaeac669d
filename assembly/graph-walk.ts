// Walks through a layer of a graph towards a query. Used by graph-search.ts and graph-build.ts.
//
// With a filter there are two ways: to walk through all nodes and look at the filter afterwards, which a
// larger pool makes up for, or to walk through allowed nodes only, passing over the others to the neighbours
// behind them (two hops: ACORN-1, Patel et al., 2024).
import {
  BELOW_AT,
  itemOf,
  layerCount,
  LINK_AT,
  linksMost,
  linksOf,
  recordOf,
  twinOf,
} from "./graph-format";
import { isMarked, markNode, poolNext, poolPut } from "./graph-pool";
import { codesDistance, vectorDistance, vectorRowsDistance } from "./vector-distances";
import { VECTOR_CODES, vectorRowBytes } from "./vectors";

/** Room for the nodes that are gathered around one: fewer than three times the links of an item. */
export const GATHER_BYTES: usize = 2048;

let kind: i32 = 0;
let dimensions: i32 = 0;
let rows: usize = 0;
let rowBytes: usize = 0;
let query: usize = 0;
let allowed: usize = 0;
let gather: usize = 0;

/** Tells the rows of the graph in hand, the query, room for a list of nodes, and which items are allowed (0: all). */
export function walkStart(
  rowKind: i32,
  rowsAt: usize,
  rowDimensions: i32,
  queryAt: usize,
  gatherAt: usize,
  allowedAt: usize,
): void {
  kind = rowKind;
  dimensions = rowDimensions;
  rows = rowsAt;
  rowBytes = vectorRowBytes(kind, dimensions);
  query = queryAt;
  gather = gatherAt;
  allowed = allowedAt;
}

export function rowOf(item: u32): usize {
  return rows + <usize>item * rowBytes;
}

/** Distance of the query to a node of the layer in hand. */
export function distanceOf(node: u32): f32 {
  const row = rowOf(itemOf(node));
  if (kind == VECTOR_CODES) return codesDistance(query, row, dimensions, rowBytes);
  return vectorDistance(kind, query, row, dimensions);
}

/** Distance of two items. */
export function distanceBetween(a: u32, b: u32): f32 {
  return vectorRowsDistance(kind, rowOf(a), rowOf(b), dimensions, rowBytes);
}

/** Goes from a node of the layer in hand to nearer ones as long as there are any. */
export function walkDown(node: u32): u32 {
  let least = distanceOf(node);
  while (true) {
    const record = recordOf(node);
    const end = record + (<usize>linksOf(record) << 2);
    let next = node;
    for (let at = record; at < end; at += 4) {
      const other = load<u32>(at, LINK_AT);
      if (other >= layerCount) continue;
      const distance = distanceOf(other);
      if (distance >= least) continue;
      least = distance;
      next = other;
    }
    if (next == node) return node;
    node = next;
  }
}

/** The same node one layer below; the entry of damaged bytes may be anything. */
export function nodeBelow(node: u32): u32 {
  return load<u32>(recordOf(node), BELOW_AT);
}

/** Puts a node into the pool, where a walk then begins. */
export function walkFrom(node: u32): void {
  if (markNode(node)) poolPut(node, distanceOf(node));
}

/** Follows the links of the layer in hand until no node of the pool has links left. */
export function walkLayer(): void {
  for (let node = poolNext(); node >= 0; node = poolNext()) {
    const record = recordOf(<u32>node);
    const end = record + (<usize>linksOf(record) << 2);
    let gathered = gather;
    for (let at = record; at < end; at += 4) {
      const other = load<u32>(at, LINK_AT);
      if (other >= layerCount || !markNode(other)) continue;
      store<u32>(gathered, other);
      gathered += 4;
    }
    putGathered(gathered);
  }
}

/** The same through the allowed items of the base only. */
export function walkAllowed(): void {
  for (let node = poolNext(); node >= 0; node = poolNext()) hopFrom(<u32>node);
}

/** Puts the allowed neighbours of a node into the pool, and those behind the others. */
export function hopFrom(node: u32): void {
  const record = recordOf(node);
  const end = record + (<usize>linksOf(record) << 2);
  const enough = gather + (<usize>linksMost << 2);
  let gathered = gather;
  for (let at = record; at < end; at += 4) {
    const other = load<u32>(at, LINK_AT);
    if (other >= layerCount || isMarked(other)) continue;
    if (isAllowed(other)) {
      markNode(other);
      store<u32>(gathered, other);
      gathered += 4;
    } else if (gathered < enough) {
      markNode(other);
      gathered = hopBehind(other, gathered);
    }
  }
  putGathered(gathered);
}

/** Gathers the allowed neighbours of a node that is not. */
function hopBehind(node: u32, gathered: usize): usize {
  const record = recordOf(node);
  const end = record + (<usize>linksOf(record) << 2);
  for (let at = record; at < end; at += 4) {
    const other = load<u32>(at, LINK_AT);
    if (other >= layerCount || isMarked(other) || !isAllowed(other)) continue;
    markNode(other);
    store<u32>(gathered, other);
    gathered += 4;
  }
  return gathered;
}

/** True when an item or one of its twins is allowed. */
function isAllowed(node: u32): bool {
  if (hasItem(node)) return true;
  for (let item = node, next = twinOf(item); next; next = twinOf(item)) {
    item = next - 1;
    if (hasItem(item)) return true;
  }
  return false;
}

export function hasItem(item: u32): bool {
  return !allowed || ((load<u32>(allowed + (<usize>(item >> 5) << 2)) >> (item & 31)) & 1) != 0;
}

function putGathered(end: usize): void {
  for (let at = gather; at < end; at += 4) {
    const node = load<u32>(at);
    poolPut(node, distanceOf(node));
  }
}
