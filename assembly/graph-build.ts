// Builds a graph by inserting items one after the other; called by src/segment/vectorgraphbuilder.ts in
// slices. The graph is drawn in graph-format.ts; it is built in the place and form in which it is written,
// but the layers above the base have more room than they need until `graphFinish`.
//
//   builder   | u32 graph | i32 kind | u32 rows | i32 dimensions | i32 width | u32 seed | u32 table mask |
//             | 4 bytes | u32 entries used of layer 1 ... 8 |                                 64 bytes
//             | table: u32 item + 1 of each slot | query | scratch of a search |
//
// The table finds the items whose rows are the same bytes.
import {
  BELOW_AT,
  COUNTS_AT,
  ENTRY_AT,
  entriesOf,
  graph,
  GRAPH_LAYERS_MAX,
  GRAPH_MAGIC,
  graphBytes,
  graphRecordBytes,
  HEADER_BYTES,
  ITEMS_AT,
  LAYERS_AT,
  layerStart,
  LINKS_AT,
  NODES_AT,
  recordBytes,
  recordOf,
  TWIN,
  useGraph,
  useLayer,
} from "./graph-format";
import { chooseLinks, chosenPairs, linkBack } from "./graph-links";
import { marksBytes, pairDistance, pairNode, pool, poolCount, poolStart } from "./graph-pool";
import { graphScratchBytes } from "./graph-search";
import { GATHER_BYTES, nodeBelow, rowOf, walkDown, walkFrom, walkLayer, walkStart } from "./graph-walk";
import { textEquals, textHash } from "./hash";
import { vectorQueryBytes, vectorQueryOfRow, vectorRowBytes } from "./vectors";

const KIND_AT: usize = 4;
const ROWS_AT: usize = 8;
const DIMENSIONS_AT: usize = 12;
const WIDTH_AT: usize = 16;
const SEED_AT: usize = 20;
const MASK_AT: usize = 24;
const USED_AT: usize = 32;
const STATE_BYTES: usize = 64;

/** The links that a new node was given, while its neighbours are linked back. */
const OWN: usize = memory.data(512, 16);
/** The entries of a new node in the layers above the base. */
const ENTRIES: usize = memory.data(64, 16);

/** The builder in hand. */
let builder: usize = 0;
let table: usize = 0;
let query: usize = 0;
let scratch: usize = 0;

/**
 * Writes the header of a graph of `items` items, with room in its layers for these and for the entries of
 * the graph `old` (0: none). It tells by `graphSize` how many bytes the graph takes while it is built.
 */
export function graphPlan(header: usize, items: u32, links: u32, seed: u32, old: usize): void {
  memory.fill(header, 0, HEADER_BYTES);
  store<u32>(header, GRAPH_MAGIC);
  store<u32>(header, items, ITEMS_AT);
  store<u32>(header, links, LINKS_AT);
  for (let item: u32 = 0; item < items; item++) {
    for (let layer = levelOf(item, links, seed); layer > 0; layer--) {
      const at = header + (<usize>(layer - 1) << 2);
      store<u32>(at, load<u32>(at, COUNTS_AT) + 1, COUNTS_AT);
    }
  }
  for (let layer: usize = 0; old && layer < <usize>GRAPH_LAYERS_MAX; layer++) {
    const at = header + (layer << 2);
    store<u32>(at, load<u32>(at, COUNTS_AT) + load<u32>(old + (layer << 2), COUNTS_AT), COUNTS_AT);
  }
}

/** Bytes of the graph whose header is given. */
export function graphSize(header: usize): f64 {
  return <f64>graphBytes(header);
}

export function graphBuilderBytes(items: u32, kind: i32, dimensions: i32, width: i32): usize {
  const tableBytes = <usize>(tableMask(items) + 1) << 2;
  return STATE_BYTES + tableBytes + vectorQueryBytes(kind, dimensions) + graphScratchBytes(items, width);
}

/** Begins a graph in a place that has its planned header; `width` is that of the pool of an insertion. */
export function graphStart(
  at: usize,
  graphAt: usize,
  kind: i32,
  rows: usize,
  dimensions: i32,
  width: i32,
  seed: u32,
): void {
  const items = load<u32>(graphAt, ITEMS_AT);
  const mask = tableMask(items);
  memory.fill(graphAt + HEADER_BYTES, 0, <usize>(graphBytes(graphAt) - HEADER_BYTES));
  memory.fill(at, 0, STATE_BYTES + (<usize>(mask + 1) << 2));
  store<usize>(at, graphAt);
  store<i32>(at, kind, KIND_AT);
  store<usize>(at, rows, ROWS_AT);
  store<i32>(at, dimensions, DIMENSIONS_AT);
  store<i32>(at, width, WIDTH_AT);
  store<u32>(at, seed, SEED_AT);
  store<u32>(at, mask, MASK_AT);
}

/** Inserts the items from `from` up to `to`, except those that are there; ascending from slice to slice. */
export function graphInsert(at: usize, from: u32, to: u32): void {
  useBuilder(at);
  for (let item = from; item < to; item++) {
    const same = tablePut(item);
    if (same == 0) insertNode(item);
    else if (same - 1 != item) hangTwin(item, same - 1);
  }
}

/** Closes the gaps between the layers; returns the bytes of the graph. */
export function graphFinish(at: usize): f64 {
  useBuilder(at);
  const links = load<u32>(graph, LINKS_AT);
  const entryBytes = graphRecordBytes(1, links);
  let target = baseRecord(load<u32>(graph, ITEMS_AT));
  let source = target;
  for (let layer = 1; layer <= GRAPH_LAYERS_MAX; layer++) {
    const bytes = <usize>usedOf(layer) * entryBytes;
    memory.copy(target, source, bytes);
    source += <usize>entriesOf(layer) * entryBytes;
    target += bytes;
    store<u32>(graph + (<usize>(layer - 1) << 2), usedOf(layer), COUNTS_AT);
  }
  return <f64>graphBytes(graph);
}

/** Makes a builder and its graph the ones in hand. */
export function useBuilder(at: usize): void {
  builder = at;
  useGraph(load<usize>(at));
  const kind = load<i32>(at, KIND_AT);
  const dimensions = load<i32>(at, DIMENSIONS_AT);
  table = at + STATE_BYTES;
  query = table + (<usize>(load<u32>(at, MASK_AT) + 1) << 2);
  scratch = query + vectorQueryBytes(kind, dimensions);
  walkStart(kind, load<usize>(at, ROWS_AT), dimensions, query, scratch);
}

/** A new entry of a layer above the base; the layer has room for it. */
export function addEntry(layer: i32, item: u32, below: u32): u32 {
  const entry = usedOf(layer);
  store<u32>(builder + (<usize>(layer - 1) << 2), entry + 1, USED_AT);
  useLayer(layer);
  const record = recordOf(entry);
  store<u32>(record, 0);
  store<u32>(record, below, BELOW_AT);
  store<u32>(record + recordBytes - 4, item);
  return entry;
}

export function usedOf(layer: i32): u32 {
  return load<u32>(builder + (<usize>(layer - 1) << 2), USED_AT);
}

/** Puts an item into the table unless one with the same row is there: returns that plus 1, else 0. */
export function tablePut(item: u32): u32 {
  const bytes = <i32>vectorRowBytes(load<i32>(builder, KIND_AT), load<i32>(builder, DIMENSIONS_AT));
  const mask = load<u32>(builder, MASK_AT);
  const row = rowOf(item);
  let slot = <u32>textHash(row, bytes) & mask;
  while (true) {
    const at = table + (<usize>slot << 2);
    const other = load<u32>(at);
    if (!other) {
      store<u32>(at, item + 1);
      return 0;
    }
    if (other == item + 1 || textEquals(row, rowOf(other - 1), bytes)) return other;
    slot = (slot + 1) & mask;
  }
}

function insertNode(item: u32): void {
  const kind = load<i32>(builder, KIND_AT);
  const level = levelOf(item, load<u32>(graph, LINKS_AT), load<u32>(builder, SEED_AT));
  for (let layer = 1, below = item; layer <= level; layer++) {
    below = addEntry(layer, item, below);
    store<u32>(ENTRIES + (<usize>layer << 2), below);
  }
  store<u32>(ENTRIES, item);
  const nodes = load<u32>(graph, NODES_AT);
  const layers = load<i32>(graph, LAYERS_AT);
  store<u32>(graph, nodes + 1, NODES_AT);
  if (nodes) {
    vectorQueryOfRow(kind, rowOf(item), load<i32>(builder, DIMENSIONS_AT), query);
    linkIn(level, layers);
  }
  if (nodes && level <= layers) return;
  store<i32>(graph, level, LAYERS_AT);
  store<u32>(graph, load<u32>(ENTRIES + (<usize>level << 2)), ENTRY_AT);
}

/** Finds the neighbours of the new node in all layers that it and others are in. */
function linkIn(level: i32, layers: i32): void {
  let node = load<u32>(graph, ENTRY_AT);
  const width = load<i32>(builder, WIDTH_AT);
  const items = load<u32>(graph, ITEMS_AT);
  const marks = scratch + GATHER_BYTES;
  for (let layer = layers; layer >= 0; layer--) {
    useLayer(layer);
    if (layer > level) {
      node = nodeBelow(walkDown(node));
      continue;
    }
    poolStart(marks + marksBytes(items), width, marks, items);
    walkFrom(node);
    walkLayer();
    node = pairNode(pool, 0);
    linkNode(load<u32>(ENTRIES + (<usize>layer << 2)));
    if (layer) node = nodeBelow(node);
  }
}

/** Links a node with the best of the pool, in both directions. */
function linkNode(node: u32): void {
  const links = load<i32>(graph, LINKS_AT);
  const count = chooseLinks(recordOf(node), pool, poolCount, 0, links);
  memory.copy(OWN, chosenPairs(), <usize>count << 3);
  for (let place = 0; place < count; place++) {
    linkBack(pairNode(OWN, place), node, pairDistance(OWN, place));
  }
}

/** Puts an item at the front of the chain of a node, where the highest one belongs. */
function hangTwin(item: u32, node: u32): void {
  const record = baseRecord(item);
  const head = baseRecord(node);
  store<u32>(record, TWIN);
  store<u32>(record, load<u32>(head, BELOW_AT), BELOW_AT);
  store<u32>(head, item + 1, BELOW_AT);
}

function baseRecord(item: u32): usize {
  return graph + HEADER_BYTES + <usize>item * graphRecordBytes(0, load<u32>(graph, LINKS_AT));
}

/** The highest layer that an item gets an entry in: each has a share of 1 / M of the one below. */
function levelOf(item: u32, links: u32, seed: u32): i32 {
  let random = ((<u64>seed << 32) | <u64>item) * 0x9e3779b97f4a7c15;
  random = (random ^ (random >> 33)) * 0xff51afd7ed558ccd;
  random ^= random >> 33;
  let level = 0;
  for (; level < GRAPH_LAYERS_MAX && random % <u64>links == 0; random /= <u64>links) level++;
  return level;
}

/** A table has twice as many slots as items, and a power of two. */
function tableMask(items: u32): u32 {
  return (<u32>1 << (32 - <u32>clz(2 * items + 1))) - 1;
}
