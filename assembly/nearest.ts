// The nearest vectors found so far: a heap of a limited number of pairs, the farthest on top. Used by
// vector-scan.ts, by walks through graphs, and by the host to sort pairs.
//
//   pair   | u32 item | f32 distance |       as a u64, since distances are 0 or more, the nearer pair is
//                                            less; for equal distances the item decides
//
// A heap starts at a multiple of 8.

const PAIR_BYTES: usize = 8;

function pairOf(item: u32, distance: f32): u64 {
  return (<u64>reinterpret<u32>(distance) << 32) | <u64>item;
}

/** Puts a pair into a heap of `count` pairs, unless it is full of nearer ones; returns the new count. */
export function nearestPut(heap: usize, count: i32, most: i32, item: u32, distance: f32): i32 {
  const pair = pairOf(item, distance);
  if (count < most) {
    rise(heap, count, pair);
    return count + 1;
  }
  if (most > 0 && pair < load<u64>(heap)) sink(heap, count, pair);
  return count;
}

/** Sorts pairs in any order, or a heap, which is no longer a heap afterwards: nearest first. */
export function nearestSort(heap: usize, count: i32): void {
  for (let i = 1; i < count; i++) rise(heap, i, load<u64>(heap + <usize>i * PAIR_BYTES));
  for (let left = count - 1; left > 0; left--) {
    const at = heap + <usize>left * PAIR_BYTES;
    const last = load<u64>(at);
    store<u64>(at, load<u64>(heap));
    sink(heap, left, last);
  }
}

/** Puts a pair at place `place` of the heap or further up. */
function rise(heap: usize, place: i32, pair: u64): void {
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = load<u64>(heap + <usize>parent * PAIR_BYTES);
    if (above >= pair) break;
    store<u64>(heap + <usize>place * PAIR_BYTES, above);
    place = parent;
  }
  store<u64>(heap + <usize>place * PAIR_BYTES, pair);
}

/** Puts a pair at the top of a heap or further down, in place of the one there. */
function sink(heap: usize, count: i32, pair: u64): void {
  let place = 0;
  while (true) {
    let child = 2 * place + 1;
    if (child >= count) break;
    let below = load<u64>(heap + <usize>child * PAIR_BYTES);
    if (child + 1 < count) {
      const other = load<u64>(heap + <usize>child * PAIR_BYTES, 8);
      if (other > below) {
        below = other;
        child++;
      }
    }
    if (below <= pair) break;
    store<u64>(heap + <usize>place * PAIR_BYTES, below);
    place = child;
  }
  store<u64>(heap + <usize>place * PAIR_BYTES, pair);
}
