// Walks through a layer of a graph towards a query. Used by graph-search.ts and graph-insert.ts.
import {
  BELOW_AT,
  itemOf,
  layerCount,
  LINK_AT,
  linksOf,
  recordOf,
} from "./graph-format";
import { markNode, poolNext, poolPut } from "./graph-pool";
import { codesDistance, codesDistances, vectorDistance, vectorRowsDistance } from "./vector-distances";
import { touchRow, VECTOR_CODES, vectorRowBytes } from "./vectors";

/** Room for the nodes gathered around one: as many as an item has links. */
export const GATHER_BYTES: usize = 512;

let kind: i32 = 0;
let dimensions: i32 = 0;
let rows: usize = 0;
let rowBytes: usize = 0;
let query: usize = 0;
let gather: usize = 0;

/** Sets the rows of the current graph, the query, and room for a list of nodes. */
export function walkStart(
  rowKind: i32,
  rowsAt: usize,
  rowDimensions: i32,
  queryAt: usize,
  gatherAt: usize,
): void {
  kind = rowKind;
  dimensions = rowDimensions;
  rows = rowsAt;
  rowBytes = vectorRowBytes(kind, dimensions);
  query = queryAt;
  gather = gatherAt;
}

export function rowOf(item: u32): usize {
  return rows + <usize>item * rowBytes;
}

/** Distance of the query to a node of the current layer. */
export function distanceOf(node: u32): f32 {
  const row = rowOf(itemOf(node));
  if (kind == VECTOR_CODES) return codesDistance(query, row, dimensions, rowBytes);
  return vectorDistance(kind, query, row, dimensions);
}

/** Distance of two items. */
export function distanceBetween(a: u32, b: u32): f32 {
  return vectorRowsDistance(kind, rowOf(a), rowOf(b), dimensions, rowBytes);
}

/** Looks at the row of an item that will be needed soon. */
export function touchItem(item: u32): void {
  touchRow(rowOf(item), rowBytes);
}

/** Goes from a node of the current layer to nearer ones as long as there are any. */
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

/** The same node one layer below; in damaged bytes that may be any number. */
export function nodeBelow(node: u32): u32 {
  return load<u32>(recordOf(node), BELOW_AT);
}

/** Puts a node into the pool; a walk then begins there. */
export function walkFrom(node: u32): void {
  if (markNode(node)) poolPut(node, distanceOf(node));
}

/** Follows the links in the current layer until no node of the pool has links left to follow. */
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

function putGathered(end: usize): void {
  for (let at = gather; at < end; at += 4) touchItem(itemOf(load<u32>(at)));
  let at = gather;
  if (kind == VECTOR_CODES) {
    for (; at + 16 <= end; at += 16) {
      const distances = codesDistances(
        query,
        rowOf(itemOf(load<u32>(at))),
        rowOf(itemOf(load<u32>(at, 4))),
        rowOf(itemOf(load<u32>(at, 8))),
        rowOf(itemOf(load<u32>(at, 12))),
        dimensions,
        rowBytes,
      );
      poolPut(load<u32>(at), f32x4.extract_lane(distances, 0));
      poolPut(load<u32>(at, 4), f32x4.extract_lane(distances, 1));
      poolPut(load<u32>(at, 8), f32x4.extract_lane(distances, 2));
      poolPut(load<u32>(at, 12), f32x4.extract_lane(distances, 3));
    }
  }
  for (; at < end; at += 4) {
    const node = load<u32>(at);
    poolPut(node, distanceOf(node));
  }
}
