// Builds a graph by inserting items one after another, in one thread or several over the same memory; called
// by src/segment/vectorgraphbuilder.ts in slices. This file has what the threads share, graph-insert.ts what
// each of them does. The graph is drawn in graph-format.ts; it is built in the place and form in which it is
// written, but the layers above the base have more room than they need until `graphFinish`.
//
//   builder   | u32 graph | i32 kind | u32 rows | i32 dimensions | i32 width | u32 seed | u32 table mask |
//             | u32 items to insert | u32 entries used of layer 1 ... 8 |                      64 bytes
//             | u32 next of these | u32 stop | u32 lock of the entry | zeros |                 64 bytes
//             | locks: u32 each LOCKS-th node of a layer |
//             | table: u32 item + 1 of each slot | list: u32 each item to insert |
//   room      | pairs that are chosen from (graph-links.ts) | own | query | scratch of a search |
//
// Each thread has a room. The table finds the items whose rows are the same bytes: one of them is inserted,
// the others are chained to it. `stop` is set by the host when the graph is no longer wanted.
import {
  BELOW_AT,
  COUNTS_AT,
  entriesOf,
  graph,
  GRAPH_LAYERS_MAX,
  GRAPH_MAGIC,
  graphBytes,
  graphRecordBytes,
  HEADER_BYTES,
  ITEMS_AT,
  LINKS_AT,
  recordBytes,
  recordOf,
  TWIN,
  useGraph,
  useLayer,
} from "./graph-format";
import { LISTS_BYTES, listsStart } from "./graph-links";
import { graphScratchBytes } from "./graph-search";
import { rowOf, walkStart } from "./graph-walk";
import { textEquals, textHash } from "./hash";
import { fetchAdd } from "./threads";
import { vectorQueryBytes, vectorRowBytes } from "./vectors";

const KIND_AT: usize = 4;
const ROWS_AT: usize = 8;
const DIMENSIONS_AT: usize = 12;
const WIDTH_AT: usize = 16;
const SEED_AT: usize = 20;
const MASK_AT: usize = 24;
const LISTED_AT: usize = 28;
const USED_AT: usize = 32;
const NEXT_AT: usize = 64;
export const STOP_AT: usize = 68;
export const ENTRY_LOCK_AT: usize = 72;
const STATE_BYTES: usize = 128;
const LOCKS: u32 = 1024;
const LOCKS_BYTES: usize = <usize>LOCKS << 2;

/** The links of a node in one layer, and its entry there (graph-insert.ts). */
export const OWN_LAYER_BYTES: usize = 512 + 16;
const OWN_BYTES: usize = OWN_LAYER_BYTES * <usize>(GRAPH_LAYERS_MAX + 1);

/** The current builder; below, the room of this thread. */
export let builder: usize = 0;
export let own: usize = 0;
export let query: usize = 0;
export let scratch: usize = 0;
let table: usize = 0;
let list: usize = 0;

/**
 * Writes the header of a graph of `items` items, with room in its layers for these and for the entries of the
 * graph `old` (0: none). `graphSize` then tells how many bytes the graph takes while it is built.
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

/** Bytes of the graph with the given header. */
export function graphSize(header: usize): f64 {
  return <f64>graphBytes(header);
}

export function graphBuilderBytes(items: u32): usize {
  return STATE_BYTES + LOCKS_BYTES + (<usize>(tableMask(items) + 1) << 2) + (<usize>items << 2);
}

/** Bytes of the room of a thread. */
export function graphRoomBytes(items: u32, kind: i32, dimensions: i32, width: i32): usize {
  return LISTS_BYTES + OWN_BYTES + vectorQueryBytes(kind, dimensions) + graphScratchBytes(items, width);
}

/** Begins a graph in a place that has its planned header; `width` is the pool size of an insertion. */
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
  memory.fill(at, 0, STATE_BYTES + LOCKS_BYTES + (<usize>(mask + 1) << 2));
  store<usize>(at, graphAt);
  store<i32>(at, kind, KIND_AT);
  store<usize>(at, rows, ROWS_AT);
  store<i32>(at, dimensions, DIMENSIONS_AT);
  store<i32>(at, width, WIDTH_AT);
  store<u32>(at, seed, SEED_AT);
  store<u32>(at, mask, MASK_AT);
}

/**
 * Lists the items from `from` up to `to` for insertion, except twins and those already in the graph; in one
 * thread before any is inserted, ascending from slice to slice. Returns how many are listed.
 */
export function graphList(at: usize, room: usize, from: u32, to: u32): u32 {
  useBuilder(at, room);
  let listed = load<u32>(at, LISTED_AT);
  for (let item = from; item < to; item++) {
    const same = tablePut(item);
    if (same == 0) store<u32>(list + (<usize>(listed++) << 2), item);
    else if (same - 1 != item) hangTwin(item, same - 1);
  }
  store<u32>(at, listed, LISTED_AT);
  return listed;
}

/** Closes the gaps between the layers; returns the bytes of the graph. */
export function graphFinish(at: usize, room: usize): f64 {
  useBuilder(at, room);
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

/** Makes a builder, its graph and a room the current ones. */
export function useBuilder(at: usize, room: usize): void {
  const kind = load<i32>(at, KIND_AT);
  const dimensions = load<i32>(at, DIMENSIONS_AT);
  builder = at;
  table = at + STATE_BYTES + LOCKS_BYTES;
  list = table + (<usize>(load<u32>(at, MASK_AT) + 1) << 2);
  own = room + LISTS_BYTES;
  query = own + OWN_BYTES;
  scratch = query + vectorQueryBytes(kind, dimensions);
  useGraph(load<usize>(at));
  listsStart(room);
  walkStart(kind, load<usize>(at, ROWS_AT), dimensions, query, scratch);
}

/** Takes the next `count` listed items that no thread has taken yet; returns the number of the first one. */
export function takeListed(count: u32): u32 {
  return fetchAdd(builder + NEXT_AT, count);
}

export function listedCount(): u32 {
  return load<u32>(builder, LISTED_AT);
}

export function listedItem(number: u32): u32 {
  return load<u32>(list + (<usize>number << 2));
}

export function widthOf(): i32 {
  return load<i32>(builder, WIDTH_AT);
}

export function kindOf(): i32 {
  return load<i32>(builder, KIND_AT);
}

export function dimensionsOf(): i32 {
  return load<i32>(builder, DIMENSIONS_AT);
}

/** The cell that is locked while the links of a node in a layer are changed. */
export function lockOf(layer: i32, node: u32): usize {
  const cell = (node + <u32>layer * 61) & (LOCKS - 1);
  return builder + STATE_BYTES + (<usize>cell << 2);
}

/** Adds an entry to a layer above the base, which has room for it. */
export function addEntry(layer: i32, item: u32, below: u32): u32 {
  const entry = fetchAdd(builder + USED_AT + (<usize>(layer - 1) << 2), 1);
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

/** Puts an item into the table unless one with the same row is there: returns that one plus 1, else 0. */
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

/** The highest layer in which an item gets an entry. */
export function levelIn(item: u32): i32 {
  return levelOf(item, load<u32>(graph, LINKS_AT), load<u32>(builder, SEED_AT));
}

/** Each layer has about 1 / M of the nodes of the one below. */
function levelOf(item: u32, links: u32, seed: u32): i32 {
  let random = ((<u64>seed << 32) | <u64>item) * 0x9e3779b97f4a7c15;
  random = (random ^ (random >> 33)) * 0xff51afd7ed558ccd;
  random ^= random >> 33;
  let level = 0;
  for (; level < GRAPH_LAYERS_MAX && random % <u64>links == 0; random /= <u64>links) level++;
  return level;
}

/** A table has at least twice as many slots as items; their number is a power of two. */
function tableMask(items: u32): u32 {
  return (<u32>1 << (32 - <u32>clz(2 * items + 1))) - 1;
}
