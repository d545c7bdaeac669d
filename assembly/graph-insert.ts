// Inserts items into a graph that other threads insert into at the same time. Called by
// src/segment/vectorgraphbuilder.ts and src/segment/graphthread.ts. What threads share is drawn in
// graph-build.ts.
//
//   own    each layer    | u32 entry | u32 pairs | 8 bytes | pair ... |         of the node being inserted
//
// Walks take no locks: at any moment, links are numbers of existing nodes. A node is locked while another one
// is added to its links. A new node is linked to others in all layers before any of these is linked back to
// it, starting with the base: so no walk reaches it before the way down from it exists.
import { ENTRY_AT, graph, ITEMS_AT, LAYERS_AT, LINKS_AT, NODES_AT, recordOf, useLayer } from "./graph-format";
import {
  addEntry,
  builder,
  dimensionsOf,
  ENTRY_LOCK_AT,
  kindOf,
  levelIn,
  listedCount,
  listedItem,
  lockOf,
  own,
  OWN_LAYER_BYTES,
  query,
  scratch,
  STOP_AT,
  takeListed,
  useBuilder,
  widthOf,
} from "./graph-build";
import { chooseLinks, chosenPairs, linkBack } from "./graph-links";
import { marksBytes, pairDistance, pairNode, pool, poolCount, poolStart } from "./graph-pool";
import { GATHER_BYTES, nodeBelow, rowOf, walkDown, walkFrom, walkLayer } from "./graph-walk";
import { lock, unlock } from "./threads";
import { vectorQueryOfRow } from "./vectors";

const PAIRS_LEN_AT: usize = 4;
const PAIRS_AT: usize = 16;

/** Inserts up to `count` of the listed items; returns how many: 0 when none are left. */
export function graphInsert(at: usize, room: usize, count: u32): u32 {
  useBuilder(at, room);
  const from = takeListed(count);
  const listed = listedCount();
  if (from >= listed) return 0;
  const to = min(from + count, listed);
  for (let number = from; number < to; number++) insertNode(listedItem(number));
  return to - from;
}

function insertNode(item: u32): void {
  const level = levelIn(item);
  store<u32>(own, item);
  for (let layer = 1, below = item; layer <= level; layer++) {
    below = addEntry(layer, item, below);
    store<u32>(ownOf(layer), below);
  }
  const entryLock = builder + ENTRY_LOCK_AT;
  lock(entryLock, builder + STOP_AT);
  const isFirst = load<u32>(graph, NODES_AT) == 0;
  const layers = load<i32>(graph, LAYERS_AT);
  const entry = load<u32>(graph, ENTRY_AT);
  if (isFirst) countNode(level, true);
  unlock(entryLock);
  if (isFirst) return;
  vectorQueryOfRow(kindOf(), rowOf(item), dimensionsOf(), query);
  chooseIn(level, layers, entry);
  for (let layer = 0; layer <= min(level, layers); layer++) linkBackIn(layer);
  lock(entryLock, builder + STOP_AT);
  countNode(level, level > load<i32>(graph, LAYERS_AT));
  unlock(entryLock);
}

function ownOf(layer: i32): usize {
  return own + <usize>layer * OWN_LAYER_BYTES;
}

/** Counts the new node; if it is the `highest`, walks will begin with it. */
function countNode(level: i32, highest: bool): void {
  store<u32>(graph, load<u32>(graph, NODES_AT) + 1, NODES_AT);
  if (!highest) return;
  store<i32>(graph, level, LAYERS_AT);
  store<u32>(graph, load<u32>(ownOf(level)), ENTRY_AT);
}

/** Chooses the links of the new node in all layers that it shares with other nodes. */
function chooseIn(level: i32, layers: i32, entry: u32): void {
  let node = entry;
  const width = widthOf();
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
    const at = ownOf(layer);
    const count = chooseLinks(recordOf(load<u32>(at)), pool, poolCount, 0, load<i32>(graph, LINKS_AT));
    memory.copy(at + PAIRS_AT, chosenPairs(), <usize>count << 3);
    store<i32>(at, count, PAIRS_LEN_AT);
    if (layer) node = nodeBelow(node);
  }
}

/** Links the neighbours that were chosen in a layer to the new node. */
function linkBackIn(layer: i32): void {
  useLayer(layer);
  const at = ownOf(layer);
  const node = load<u32>(at);
  const pairs = at + PAIRS_AT;
  for (let place = 0; place < load<i32>(at, PAIRS_LEN_AT); place++) {
    const other = pairNode(pairs, place);
    const cell = lockOf(layer, other);
    lock(cell, builder + STOP_AT);
    linkBack(other, node, pairDistance(pairs, place));
    unlock(cell);
  }
}
