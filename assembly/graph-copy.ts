// Copies an old graph into a new one, in which the items have other numbers and some are gone: a merge then
// only has to insert the items of the other segments. Called by src/segment/vectorgraphbuilder.ts between
// `graphStart` and the first `graphList`. The graph is drawn in graph-format.ts.
//
//   remap    | u32 each item of the old graph |    its number in the new one, or NO_ITEM when it is gone
//   stand    | u32 each item of the old graph |    the new node in the place of an old one: its own number,
//                                                  that of a twin when it is gone, or NO_ITEM
//   places   | u32 each entry of the old graph, layer by layer |    the same for entries
//
// A node that was linked to a node that is gone may be linked to that node's neighbours instead.
import { addEntry, tablePut, usedOf, useBuilder } from "./graph-build";
import {
  BELOW_AT,
  ENTRY_AT,
  graph,
  itemOf,
  ITEMS_AT,
  layerCount,
  LAYERS_AT,
  LINK_AT,
  linksMost,
  linksOf,
  nextTwin,
  NODES_AT,
  recordBytes,
  recordOf,
  TWIN,
  twinOf,
  useGraph,
  useLayer,
} from "./graph-format";
import { chooseOffered, isOffered, offerNode, offerStart } from "./graph-links";

const NO_ITEM: u32 = 0xffffffff;
/** Most neighbours of nodes that are gone that are looked at for one node. */
const BEHIND_MAX: i32 = 256;

/** The layer of the old graph that is being copied, and the numbers of its nodes in the new one. */
let oldRecords: usize = 0;
let oldCount: u32 = 0;
let numbers: usize = 0;

/** Writes `stand`. */
export function graphCopyStart(
  builder: usize,
  room: usize,
  old: usize,
  remap: usize,
  stand: usize,
): void {
  useBuilder(builder, room);
  const items = load<u32>(graph, ITEMS_AT);
  const target = graph;
  useGraph(old);
  useLayer(0);
  for (let item: u32 = 0; item < load<u32>(old, ITEMS_AT); item++) {
    let number = NO_ITEM;
    if (load<u32>(recordOf(item)) != TWIN) {
      number = remapped(remap, item, items);
      for (let next = twinOf(item); next && number == NO_ITEM; next = nextTwin(next - 1)) {
        number = remapped(remap, next - 1, items);
      }
    }
    store<u32>(stand + (<usize>item << 2), number);
  }
  useGraph(target);
}

/** Copies the links of the items from `from` up to `to`. */
export function graphCopyItems(
  builder: usize,
  room: usize,
  old: usize,
  stand: usize,
  from: u32,
  to: u32,
): void {
  useBuilder(builder, room);
  useOld(old, 0, stand);
  for (let item = from; item < to; item++) {
    const number = numberOf(item);
    if (number == NO_ITEM) continue;
    tablePut(number);
    copyLinks(item, number);
    store<u32>(graph, load<u32>(graph, NODES_AT) + 1, NODES_AT);
    if (linksOf(recordOf(load<u32>(graph, ENTRY_AT))) == 0) store<u32>(graph, number, ENTRY_AT);
  }
}

/** Copies the layers above the base, once all items are copied. */
export function graphCopyLayers(
  builder: usize,
  room: usize,
  old: usize,
  stand: usize,
  places: usize,
): void {
  useBuilder(builder, room);
  let below = stand;
  let belowCount = load<u32>(old, ITEMS_AT);
  for (let layer = 1; layer <= load<i32>(old, LAYERS_AT); layer++) {
    useOld(old, layer, places);
    for (let entry: u32 = 0; entry < oldCount; entry++) {
      copyEntry(entry, layer, below, belowCount, stand, load<u32>(old, ITEMS_AT));
    }
    useLayer(layer);
    for (let entry: u32 = 0; entry < oldCount; entry++) {
      const number = numberOf(entry);
      if (number != NO_ITEM) copyLinks(entry, number);
    }
    chooseEntry(layer);
    below = places;
    belowCount = oldCount;
    places += <usize>oldCount << 2;
  }
}

function remapped(remap: usize, item: u32, items: u32): u32 {
  const number = load<u32>(remap + (<usize>item << 2));
  return number < items ? number : NO_ITEM;
}

/** Selects a layer of the old graph, and makes the same layer of the new one the current one. */
function useOld(old: usize, layer: i32, numbersAt: usize): void {
  const target = graph;
  useGraph(old);
  useLayer(layer);
  oldRecords = recordOf(0);
  oldCount = layerCount;
  numbers = numbersAt;
  useGraph(target);
  useLayer(layer);
}

/** The new number of a node of the old layer. */
function numberOf(node: u32): u32 {
  return node < oldCount ? load<u32>(numbers + (<usize>node << 2)) : NO_ITEM;
}

function oldRecord(node: u32): usize {
  return oldRecords + <usize>node * recordBytes;
}

/** Adds the entry for an old one, if there is a node below it. */
function copyEntry(entry: u32, layer: i32, below: usize, belowCount: u32, stand: usize, items: u32): void {
  const record = oldRecord(entry);
  const oldItem = load<u32>(record + recordBytes - 4);
  const oldBelow = load<u32>(record, BELOW_AT);
  let number = NO_ITEM;
  if (oldItem < items && oldBelow < belowCount) {
    const item = load<u32>(stand + (<usize>oldItem << 2));
    const node = load<u32>(below + (<usize>oldBelow << 2));
    if (item != NO_ITEM && node != NO_ITEM) number = addEntry(layer, item, node);
  }
  store<u32>(numbers + (<usize>entry << 2), number);
}

/** Copies the links of a node; if links are lost, it may get others instead. */
function copyLinks(node: u32, number: u32): void {
  const source = oldRecord(node);
  const record = recordOf(number);
  const count = linksOf(source);
  let kept: u32 = 0;
  for (let place: u32 = 0; place < count; place++) {
    const other = numberOf(load<u32>(source + (<usize>place << 2), LINK_AT));
    if (other == NO_ITEM || other == number) continue;
    store<u32>(record + (<usize>kept << 2), other, LINK_AT);
    kept++;
  }
  store<u32>(record, kept);
  if (kept < count) mendLinks(source, count, record, number);
}

/** Chooses the links of a node anew, among those it has and those of its neighbours that are gone. */
function mendLinks(source: usize, count: u32, record: usize, number: u32): void {
  const kept = load<u32>(record);
  offerStart(itemOf(number));
  for (let place: u32 = 0; place < kept; place++) offerNode(load<u32>(record + (<usize>place << 2), LINK_AT));
  let offered = 0;
  for (let place: u32 = 0; place < count; place++) {
    const gone = load<u32>(source + (<usize>place << 2), LINK_AT);
    if (gone >= oldCount || numberOf(gone) != NO_ITEM) continue;
    const behind = oldRecord(gone);
    for (let hop: u32 = 0; hop < linksOf(behind) && offered < BEHIND_MAX; hop++) {
      const other = numberOf(load<u32>(behind + (<usize>hop << 2), LINK_AT));
      if (other == NO_ITEM || other == number || isOffered(other)) continue;
      offerNode(other);
      offered++;
    }
  }
  chooseOffered(record, <i32>min(kept, linksMost));
}

/** Searches begin in the highest layer, at a node with links if there is one. */
function chooseEntry(layer: i32): void {
  let entry: u32 = 0;
  let found = NO_ITEM;
  for (; entry < usedOf(layer); entry++) {
    found = entry;
    if (linksOf(recordOf(entry))) break;
  }
  if (found == NO_ITEM) return;
  store<i32>(graph, layer, LAYERS_AT);
  store<u32>(graph, found, ENTRY_AT);
}
