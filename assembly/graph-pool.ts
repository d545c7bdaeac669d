// The state of a walk through a graph: the nearest nodes found so far, sorted, each marked once its links
// were followed, and the set of nodes that were looked at. Filled by graph-walk.ts, read by the files that
// start walks.
//
//   node of the pool   | u32 node * 2 + 1 when followed | f32 distance |     a pair of nearest.ts
//   marks              a bitmap of nodes
//
// One walk at a time: `poolStart` sets the place of the pool.

/** The current pool. */
export let pool: usize = 0;
export let poolCount: i32 = 0;
let poolMost: i32 = 0;
let marks: usize = 0;
/** All nodes before this place were followed. */
let cursor: i32 = 0;

/** Begins a pool of at most `most` nodes; `bitmap` has room for the marks of `nodes` nodes. */
export function poolStart(at: usize, most: i32, bitmap: usize, nodes: u32): void {
  pool = at;
  poolMost = most;
  poolCount = 0;
  cursor = 0;
  marks = bitmap;
  memory.fill(bitmap, 0, marksBytes(nodes));
}

/** Bytes of the marks of this many nodes. */
export function marksBytes(nodes: u32): usize {
  return (((<usize>nodes) + 63) >> 6) << 3;
}

/** Marks a node; true when it was not marked before. */
export function markNode(node: u32): bool {
  const at = marks + (<usize>(node >> 5) << 2);
  const bits = load<u32>(at);
  const bit: u32 = 1 << (node & 31);
  if (bits & bit) return false;
  store<u32>(at, bits | bit);
  return true;
}

/** Puts a node in its place, unless the pool is full of nearer ones. */
export function poolPut(node: u32, distance: f32): void {
  const pair = (<u64>reinterpret<u32>(distance) << 32) | <u64>(node << 1);
  if (poolCount == poolMost) {
    if (pair >= load<u64>(pool + (<usize>(poolMost - 1) << 3))) return;
    poolCount--;
  }
  let low = 0;
  let high = poolCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(pool + (<usize>middle << 3)) < pair) low = middle + 1;
    else high = middle;
  }
  const at = pool + (<usize>low << 3);
  memory.copy(at + 8, at, <usize>(poolCount - low) << 3);
  store<u64>(at, pair);
  poolCount++;
  if (low < cursor) cursor = low;
}

/** The nearest node whose links were not followed, which now counts as followed; -1 when there is none. */
export function poolNext(): i32 {
  for (; cursor < poolCount; cursor++) {
    const at = pool + (<usize>cursor << 3);
    const low = load<u32>(at);
    if (low & 1) continue;
    store<u32>(at, low | 1);
    return <i32>(low >> 1);
  }
  return -1;
}

/** Node at a place in a list of such pairs. */
export function pairNode(list: usize, place: i32): u32 {
  return load<u32>(list + (<usize>place << 3)) >> 1;
}

export function pairDistance(list: usize, place: i32): f32 {
  return load<f32>(list + (<usize>place << 3), 4);
}
