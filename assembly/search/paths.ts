// Paths through the query graph, and growing lists of them. Called by the rules, leaders.ts and the host.
import { textHash } from "../hash";
import { allocRecord, arenaMark, arenaRelease } from "./arena";
import { ALL, ItemNumber, itemNumber, NO_ITEM } from "./item-numbers";
import { nodeAt, nodeCount, nodeOf, PATH_ITEMS_MAX, termCount } from "./nodes";
import { Path, PathSet } from "./records";

/** Paths that are being collected. */
@unmanaged
export class PathList {
  start: usize;
  count: u32;
  capacity: u32;
}

/** Items of the path that is being walked. */
export const PATH_ROOM: usize = memory.data(PATH_ITEMS_MAX << 2, 16);

export function itemAt(path: Path, index: u32): ItemNumber {
  return load<u32>(changetype<usize>(path) + offsetof<Path>() + ((<usize>index) << 2));
}

export function setItem(path: Path, index: u32, item: ItemNumber): void {
  store<u32>(changetype<usize>(path) + offsetof<Path>() + ((<usize>index) << 2), item);
}

export function previousOf(path: Path, at: u32): ItemNumber {
  return at ? itemAt(path, at - 1) : NO_ITEM;
}

function placeIn(paths: PathSet, index: u32): usize {
  return changetype<usize>(paths) + offsetof<PathSet>() + ((<usize>index) << 2);
}

export function pathAt(paths: PathSet, index: u32): Path {
  return changetype<Path>(<usize>load<u32>(placeIn(paths, index)));
}

export function newPath(length: u32): Path {
  const path = changetype<Path>(allocRecord(offsetof<Path>() + ((<usize>length) << 2)));
  path.length = length;
  return path;
}

/** A path of the `length` items at `items`, u32 each. */
export function pathOf(items: usize, length: u32): Path {
  const path = newPath(length);
  memory.copy(changetype<usize>(path) + offsetof<Path>(), items, (<usize>length) << 2);
  return path;
}

export function newPathList(): PathList {
  const list = changetype<PathList>(allocRecord(offsetof<PathList>()));
  list.capacity = 4;
  list.start = allocRecord((<usize>list.capacity) << 2);
  return list;
}

export function addPath(list: PathList, path: Path): void {
  if (list.count == list.capacity) {
    const larger = allocRecord((<usize>list.capacity) << 3);
    memory.copy(larger, list.start, (<usize>list.capacity) << 2);
    list.start = larger;
    list.capacity <<= 1;
  }
  store<u32>(list.start + ((<usize>(list.count++)) << 2), <u32>changetype<usize>(path));
}

/** The paths of a list as a set. */
export function pathsOf(list: PathList): PathSet {
  const bytes = (<usize>list.count) << 2;
  const paths = changetype<PathSet>(allocRecord(offsetof<PathSet>() + bytes));
  paths.count = list.count;
  memory.copy(placeIn(paths, 0), list.start, bytes);
  return paths;
}

/** The same without repetitions, in order. */
export function distinctPaths(list: PathList): PathSet {
  const paths = changetype<PathSet>(allocRecord(offsetof<PathSet>() + ((<usize>list.count) << 2)));
  const mark = arenaMark();
  // Hash table of the u32 addresses of paths met so far. Half of the slots stay free.
  const last: u32 = (2 << (32 - clz(list.count))) - 1;
  const table = allocRecord((<usize>last + 1) << 2);
  for (let i: usize = 0; i < <usize>list.count; i++) {
    const path = changetype<Path>(<usize>load<u32>(list.start + (i << 2)));
    const slot = slotIn(table, last, path);
    if (load<u32>(slot)) continue;
    store<u32>(slot, <u32>changetype<usize>(path));
    store<u32>(placeIn(paths, paths.count++), <u32>changetype<usize>(path));
  }
  arenaRelease(mark);
  return paths;
}

/** The slot of a table that contains an equal path, or the free one where it belongs. */
function slotIn(table: usize, last: u32, path: Path): usize {
  let hash = <u32>textHash(changetype<usize>(path) + offsetof<Path>(), path.length << 2);
  let slot: usize = 0;
  let known: usize = 0;
  do {
    slot = table + ((<usize>(hash++ & last)) << 2);
    known = load<u32>(slot);
  } while (known && !areEqual(path, changetype<Path>(known)));
  return slot;
}

export function singlePath(path: Path): PathSet {
  const paths = changetype<PathSet>(allocRecord(offsetof<PathSet>() + 4));
  paths.count = 1;
  store<u32>(placeIn(paths, 0), <u32>changetype<usize>(path));
  return paths;
}

/** Do both sets consist of the same paths in the same order? */
export function areSamePaths(left: PathSet, right: PathSet): bool {
  if (left == right) return true;
  if (left.count != right.count) return false;
  for (let i: u32 = 0; i < left.count; i++) {
    if (!areEqual(pathAt(left, i), pathAt(right, i))) return false;
  }
  return true;
}

function areEqual(a: Path, b: Path): bool {
  if (a == b) return true;
  if (a.length != b.length) return false;
  for (let i: u32 = 0; i < a.length; i++) if (itemAt(a, i) != itemAt(b, i)) return false;
  return true;
}

/** True when an item directly follows another one; `previous` is NO_ITEM before the first item. */
export function isAdjacent(previous: ItemNumber, item: ItemNumber): bool {
  return previous != NO_ITEM && nodeOf(previous).last + 1 == nodeOf(item).first;
}

let walkedPaths: PathList = changetype<PathList>(0);
/** The paths of the query, of which no rule has passed on a part yet. */
export let wholePaths: PathSet = changetype<PathSet>(0);

/** All ways to cover the terms by nodes, depth first, shorter nodes first. */
export function searchPaths(): PathSet {
  walkedPaths = newPathList();
  walkPaths(0, 0);
  wholePaths = pathsOf(walkedPaths);
  return wholePaths;
}

function walkPaths(depth: u32, term: u32): void {
  if (term == <u32>termCount) {
    addPath(walkedPaths, pathOf(PATH_ROOM, depth));
    return;
  }
  for (let index = 0; index < nodeCount; index++) {
    const node = nodeAt(index);
    if (node.from != term) continue;
    store<u32>(PATH_ROOM + ((<usize>depth) << 2), itemNumber(index, ALL));
    walkPaths(depth + 1, node.to + 1);
  }
}
