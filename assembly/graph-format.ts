// The graph over the rows of vectors (vectors.ts) in which searches walk from neighbour to neighbour: HNSW
// (Malkov and Yashunin, 2016). Written by graph-build.ts and graph-copy.ts, walked by graph-search.ts in the
// form that it has in its file: everything is a number at a fixed place.
//
//   header     | u32 magic | u32 items | u32 M | u32 layers | u32 entry | u32 nodes | 8 bytes of zero |
//              | u32 entries of layer 1 ... 8 |                                                  64 bytes
//   base       each item       | u32 state | u32 twin + 1 | u32 link ... |                    8 * M bytes
//   layer 1    each entry      | u32 links | u32 below | u32 link ... | u32 item |       4 * (M + 3) bytes
//   layer 2 ...
//
// Items are the nodes of the base, numbered as their rows; those of a layer above are entries, which name
// their item, and the same node one layer below. Links are numbers of nodes of the same layer: up to 2 M - 2
// of an item, up to M of an entry. A walk begins at `entry` of the highest of `layers` layers.
//
// Items with the same row are twins: one of them is a node, and the others form a chain attached to it,
// highest first, since nodes with no distance between them would fill up each other's links. State is the
// number of links, or TWIN. The last one of a chain, and a node without twins, has 0 as its next twin.
//
// Nothing here is trusted: everything that a walk reads is checked against these counts, so damaged links
// give wrong answers, but never a trap, an endless walk or a read outside.

export const GRAPH_MAGIC: u32 = 0x31475354;
export const GRAPH_LAYERS_MAX: i32 = 8;
export const TWIN: u32 = 0x80000000;
const ITEMS_MAX: u32 = 1 << 28;
const LINKS_MIN: u32 = 2;
const LINKS_MAX: u32 = 64;

export const HEADER_BYTES: usize = 64;
export const ITEMS_AT: usize = 4;
export const LINKS_AT: usize = 8;
export const LAYERS_AT: usize = 12;
export const ENTRY_AT: usize = 16;
export const NODES_AT: usize = 20;
export const COUNTS_AT: usize = 32;
/** Places inside a record of any layer. */
export const BELOW_AT: usize = 4;
export const LINK_AT: usize = 8;

/** The current graph, and the current layer; set by `useGraph` and `useLayer`. */
export let graph: usize = 0;
export let layer: i32 = 0;
let layerStart: usize = 0;
export let layerCount: u32 = 0;
export let recordBytes: usize = 0;
export let linksMost: u32 = 0;

/** Bytes of a record in a layer. */
export function graphRecordBytes(layer: i32, links: u32): usize {
  return layer ? (<usize>links + 3) << 2 : <usize>links << 3;
}

/** Bytes of the graph with the header at `header`. */
export function graphBytes(header: usize): u64 {
  const links = load<u32>(header, LINKS_AT);
  let bytes = <u64>HEADER_BYTES + <u64>load<u32>(header, ITEMS_AT) * <u64>graphRecordBytes(0, links);
  for (let i = 0; i < GRAPH_LAYERS_MAX; i++) {
    bytes += <u64>load<u32>(header + (<usize>i << 2), COUNTS_AT) * <u64>graphRecordBytes(1, links);
  }
  return bytes;
}

/** 1 when the bytes are as many as their header says, and a walk can begin in them. */
export function graphCheck(at: usize, bytes: u32, items: u32): i32 {
  if (<usize>bytes < HEADER_BYTES || load<u32>(at) != GRAPH_MAGIC) return 0;
  const links = load<u32>(at, LINKS_AT);
  const layers = load<u32>(at, LAYERS_AT);
  if (links < LINKS_MIN || links > LINKS_MAX || layers > <u32>GRAPH_LAYERS_MAX) return 0;
  if (load<u32>(at, ITEMS_AT) != items || items > ITEMS_MAX || graphBytes(at) != <u64>bytes) return 0;
  if (load<u32>(at, NODES_AT) > items) return 0;
  const top = layers ? load<u32>(at + (<usize>(layers - 1) << 2), COUNTS_AT) : items;
  return load<u32>(at, ENTRY_AT) < top || !load<u32>(at, NODES_AT) ? 1 : 0;
}

export function useGraph(at: usize): void {
  graph = at;
}

/** Makes a layer the current one; 0 is the base. */
export function useLayer(number: i32): void {
  const links = load<u32>(graph, LINKS_AT);
  layer = number;
  recordBytes = graphRecordBytes(number, links);
  if (number == 0) {
    layerStart = graph + HEADER_BYTES;
    layerCount = load<u32>(graph, ITEMS_AT);
    linksMost = 2 * links - 2;
    return;
  }
  layerStart = graph + HEADER_BYTES + <usize>load<u32>(graph, ITEMS_AT) * graphRecordBytes(0, links);
  for (let i = 1; i < number; i++) layerStart += <usize>entriesOf(i) * recordBytes;
  layerCount = entriesOf(number);
  linksMost = links;
}

/** Number of entries of a layer above the base. */
export function entriesOf(number: i32): u32 {
  return load<u32>(graph + (<usize>(number - 1) << 2), COUNTS_AT);
}

/** Record of a node of the current layer. */
export function recordOf(node: u32): usize {
  return layerStart + <usize>node * recordBytes;
}

/** Item of a node of the current layer; some arbitrary item when a damaged entry names none. */
export function itemOf(node: u32): u32 {
  if (!layer) return node;
  const item = load<u32>(layerStart + <usize>node * recordBytes + recordBytes - 4);
  return item < load<u32>(graph, ITEMS_AT) ? item : 0;
}

/** Number of links of a record of the current layer; those of a twin count as none. */
export function linksOf(record: usize): u32 {
  const links = load<u32>(record);
  return links <= linksMost ? links : 0;
}

/** First twin of a node of the base, plus 1; 0 when there is none. */
export function twinOf(node: u32): u32 {
  const first = load<u32>(recordOf(node), BELOW_AT);
  return first <= layerCount ? first : 0;
}

/** The twin after another one, plus 1, or 0. Twins must descend: otherwise the chain might have no end. */
export function nextTwin(twin: u32): u32 {
  const next = load<u32>(recordOf(twin), BELOW_AT);
  return next <= twin ? next : 0;
}
