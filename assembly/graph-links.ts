// Chooses the nodes that a node of a graph is linked to: near ones in different directions (algorithm 4 of
// the HNSW paper). Used by graph-insert.ts and graph-copy.ts, for the current layer.
import { itemOf, LINK_AT, linksMost, linksOf, recordOf } from "./graph-format";
import { pairDistance, pairNode } from "./graph-pool";
import { distanceBetween, touchItem } from "./graph-walk";
import { nearestSort } from "./nearest";

const REFUSED_MAX: i32 = 128;
const OFFERED_MAX: i32 = 512;
const CHOSEN_BYTES: usize = 1024;
const REFUSED_BYTES: usize = <usize>REFUSED_MAX << 3;
/** Bytes of the lists of pairs: chosen ones, refused ones, and those to choose from. */
export const LISTS_BYTES: usize = CHOSEN_BYTES + REFUSED_BYTES + (<usize>OFFERED_MAX << 3);

let chosenList: usize = 0;
let refusedList: usize = 0;
let offeredList: usize = 0;

/** Number of pairs to choose from; below, the item for which links are chosen. */
let offered: i32 = 0;
let receiver: u32 = 0;

/** Sets where the lists are. */
export function listsStart(at: usize): void {
  chosenList = at;
  refusedList = at + CHOSEN_BYTES;
  offeredList = refusedList + REFUSED_BYTES;
}

/**
 * Chooses up to `most` of the pairs in a sorted list: those that are nearer to their node than to any chosen
 * before, and then, as long as there are fewer than `least`, the nearest of the others. Writes the links of
 * the node `record`; the pairs are then at `chosenPairs()`.
 */
export function chooseLinks(record: usize, list: usize, count: i32, least: i32, most: i32): i32 {
  let chosen = 0;
  let refused = 0;
  for (let place = 0; place < count && chosen < most; place++) {
    const pair = list + (<usize>place << 3);
    if (isApart(itemOf(pairNode(list, place)), pairDistance(list, place), chosen)) {
      store<u64>(chosenList + (<usize>(chosen++) << 3), load<u64>(pair));
    } else if (refused < REFUSED_MAX) {
      store<u64>(refusedList + (<usize>(refused++) << 3), load<u64>(pair));
    }
  }
  for (let place = 0; place < refused && chosen < least; place++) {
    store<u64>(chosenList + (<usize>(chosen++) << 3), load<u64>(refusedList + (<usize>place << 3)));
  }
  for (let place = 0; place < chosen; place++) {
    store<u32>(record + (<usize>place << 2), pairNode(chosenList, place), LINK_AT);
  }
  store<u32>(record, chosen);
  return chosen;
}

export function chosenPairs(): usize {
  return chosenList;
}

/** Links `node` to `other`; when it has as many links as it may have, a less valuable one is replaced. */
export function linkBack(node: u32, other: u32, distance: f32): void {
  const record = recordOf(node);
  const count = linksOf(record);
  if (count < linksMost) {
    store<u32>(record + (<usize>count << 2), other, LINK_AT);
    store<u32>(record, count + 1);
    return;
  }
  for (let place: u32 = 0; place < count; place++) {
    touchItem(itemOf(load<u32>(record + (<usize>place << 2), LINK_AT)));
  }
  offerStart(itemOf(node));
  for (let place: u32 = 0; place < count; place++) {
    offerNode(load<u32>(record + (<usize>place << 2), LINK_AT));
  }
  offerPair(other, distance);
  chooseOffered(record, 0);
}

/** Begins the list of nodes to which an item may be linked. */
export function offerStart(item: u32): void {
  offered = 0;
  receiver = item;
}

export function offerNode(node: u32): void {
  offerPair(node, distanceBetween(receiver, itemOf(node)));
}

export function isOffered(node: u32): bool {
  for (let place = 0; place < offered; place++) if (pairNode(offeredList, place) == node) return true;
  return false;
}

/** Chooses the links of a record from the list. */
export function chooseOffered(record: usize, least: i32): void {
  nearestSort(offeredList, offered);
  chooseLinks(record, offeredList, offered, least, <i32>linksMost);
}

/** Adds a node to the list; when the list is full, it is left out. */
function offerPair(node: u32, distance: f32): void {
  if (offered == OFFERED_MAX) return;
  const pair = offeredList + (<usize>offered << 3);
  store<u32>(pair, node << 1);
  store<f32>(pair, distance, 4);
  offered++;
}

/** True when an item is nearer to the node that links are chosen for than to all chosen ones. */
function isApart(item: u32, distance: f32, chosen: i32): bool {
  for (let place = 0; place < chosen; place++) {
    if (distanceBetween(item, itemOf(pairNode(chosenList, place))) < distance) return false;
  }
  return true;
}
