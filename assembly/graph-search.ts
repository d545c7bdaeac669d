// The items of a graph that are nearest to a query, as far as a walk finds them. Called by
// src/segment/graph.ts, which chooses the way. The graph is drawn in graph-format.ts.
//
//   scratch    | list of nodes | marks of all items | pool: 8 bytes a node, and one more |
import {
  ENTRY_AT,
  graph,
  ITEMS_AT,
  LAYERS_AT,
  layerCount,
  NODES_AT,
  TWIN,
  recordOf,
  twinOf,
  useGraph,
  useLayer,
} from "./graph-format";
import { marksBytes, pairDistance, pairNode, pool, poolCount, poolStart } from "./graph-pool";
import {
  GATHER_BYTES,
  hasItem,
  hopFrom,
  nodeBelow,
  walkAllowed,
  walkDown,
  walkFrom,
  walkLayer,
  walkStart,
} from "./graph-walk";
import { nearestPut, nearestSort } from "./nearest";

/** Walks through every node. */
export const WALK_ALL: i32 = 0;
/** Walks through allowed nodes only. */
export const WALK_ALLOWED: i32 = 1;
/** Allowed items spread over the graph from which such a walk begins, too. */
const SEEDS: u32 = 12;

/** Bytes of scratch of a search with a pool of `width` nodes. */
export function graphScratchBytes(items: u32, width: i32): usize {
  return GATHER_BYTES + marksBytes(items) + (<usize>(width + 1) << 3);
}

/**
 * Writes the `most` nearest allowed items (all when `allowed` is 0) of those that a pool of `width` nodes
 * found as sorted pairs at `out`; returns how many. The graph passed `graphCheck`, and there are as many
 * rows as it has items.
 */
export function graphNearest(
  at: usize,
  kind: i32,
  rows: usize,
  dimensions: i32,
  query: usize,
  allowed: usize,
  way: i32,
  width: i32,
  scratch: usize,
  out: usize,
  most: i32,
): i32 {
  const items = load<u32>(at, ITEMS_AT);
  if (!load<u32>(at, NODES_AT)) return 0;
  useGraph(at);
  walkStart(kind, rows, dimensions, query, scratch, allowed);
  const marks = scratch + GATHER_BYTES;
  const entry = findEntry();
  poolStart(marks + marksBytes(items), width, marks, items);
  if (entry < items) {
    if (way == WALK_ALL) {
      walkFrom(entry);
      walkLayer();
    } else {
      if (hasItem(entry)) walkFrom(entry);
      else hopFrom(entry);
      startFromSeeds(allowed, items);
      walkAllowed();
    }
  }
  let found = 0;
  for (let place = 0; place < poolCount; place++) found = putItems(place, out, found, most);
  nearestSort(out, found);
  return found;
}

/** Goes down through the layers above the base, which then is the one in hand. */
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

function startFromSeeds(allowed: usize, items: u32): void {
  const words = (items + 63) >> 6;
  const stride = max<u32>(words / SEEDS, 1);
  for (let word: u32 = stride >> 1; word < words; word += stride) {
    const bits = load<u64>(allowed + (<usize>word << 3));
    const item = (word << 6) + <u32>ctz<u64>(bits);
    if (bits && item < items && load<u32>(recordOf(item)) != TWIN) walkFrom(item);
  }
}

/** Puts what is allowed of a node and its twins into the answer. */
function putItems(place: i32, out: usize, found: i32, most: i32): i32 {
  let item = pairNode(pool, place);
  const distance = pairDistance(pool, place);
  if (hasItem(item)) found = nearestPut(out, found, most, item, distance);
  for (let next = twinOf(item); next; next = twinOf(item)) {
    item = next - 1;
    if (hasItem(item)) found = nearestPut(out, found, most, item, distance);
  }
  return found;
}
