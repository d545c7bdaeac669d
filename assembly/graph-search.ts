// Finds the items of a graph that are nearest to a query, as far as a walk reaches them. Called by
// src/segment/vectorgraph.ts, which decides between a walk and a scan. The graph is drawn in graph-format.ts.
//
//   scratch    | list of nodes | marks of all items | pool: 8 bytes a node, and one more |
import {
  ENTRY_AT,
  graph,
  ITEMS_AT,
  LAYERS_AT,
  layerCount,
  NODES_AT,
  nextTwin,
  twinOf,
  useGraph,
  useLayer,
} from "./graph-format";
import { marksBytes, pairDistance, pairNode, pool, poolCount, poolStart } from "./graph-pool";
import { GATHER_BYTES, nodeBelow, walkDown, walkFrom, walkLayer, walkStart } from "./graph-walk";
import { nearestPut, nearestSort } from "./nearest";

/** Which items are allowed in the current search; 0 for all. */
let allowed: usize = 0;

/** Bytes of scratch of a search with a pool of `width` nodes. */
export function graphScratchBytes(items: u32, width: i32): usize {
  return GATHER_BYTES + marksBytes(items) + (<usize>(width + 1) << 3);
}

/**
 * Writes to `out`, as sorted pairs, the `most` nearest of the allowed items (a bitmap, 0 when all are) among
 * those that a pool of `width` nodes found; returns how many. The walk ignores the filter: the fewer items
 * are allowed, the larger the pool must be. The graph must have passed `graphCheck`, and there must be as
 * many rows as it has items.
 */
export function graphNearest(
  at: usize,
  kind: i32,
  rows: usize,
  dimensions: i32,
  query: usize,
  allowedItems: usize,
  width: i32,
  scratch: usize,
  out: usize,
  most: i32,
): i32 {
  const items = load<u32>(at, ITEMS_AT);
  if (!load<u32>(at, NODES_AT)) return 0;
  useGraph(at);
  allowed = allowedItems;
  walkStart(kind, rows, dimensions, query, scratch);
  const marks = scratch + GATHER_BYTES;
  const entry = findEntry();
  poolStart(marks + marksBytes(items), width, marks, items);
  if (entry < items) walkFrom(entry);
  walkLayer();
  let found = 0;
  for (let place = 0; place < poolCount; place++) found = putItems(place, out, found, most);
  nearestSort(out, found);
  return found;
}

/** Goes down through the layers above the base, which then becomes the current one. */
function findEntry(): u32 {
  let node = load<u32>(graph, ENTRY_AT);
  for (let number = load<i32>(graph, LAYERS_AT); number > 0; number--) {
    useLayer(number);
    if (node >= layerCount) node = 0;
    if (node < layerCount) node = nodeBelow(walkDown(node));
  }
  useLayer(0);
  return node;
}

/** Puts the allowed ones among a node and its twins into the answer. */
function putItems(place: i32, out: usize, found: i32, most: i32): i32 {
  let item = pairNode(pool, place);
  const distance = pairDistance(pool, place);
  if (isAllowed(item)) found = nearestPut(out, found, most, item, distance);
  for (let next = twinOf(item); next; next = nextTwin(item)) {
    item = next - 1;
    if (isAllowed(item)) found = nearestPut(out, found, most, item, distance);
  }
  return found;
}

function isAllowed(item: u32): bool {
  return !allowed || ((load<u32>(allowed + (<usize>(item >> 5) << 2)) >> (item & 31)) & 1) != 0;
}
