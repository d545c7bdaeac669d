// The first documents of a sort, without sorting the others: given one u32 key for each candidate, finds a
// bound with about as many keys below it as are wanted, then sorts those. Called by
// src/engine/search/selection.ts.
//
//   pair    | u32 docid | u32 key |        key in the high half of a u64

const BUCKET_BITS: u32 = 12;
const DIGIT_BITS: u32 = 11;
const DIGITS: u32 = 1 << DIGIT_BITS;
const COUNTS: usize = memory.data(16384, 16);

/** Second result of selectBound: number of keys in its range. */
let below: u32 = 0;

/**
 * The least bound, as precisely as buckets tell, with `wanted` keys in [from, bound); `last` + 1 when there
 * are fewer. Keys above `last` do not count.
 */
export function selectBound(keys: usize, count: i32, from: u32, last: u32, wanted: i32): u32 {
  below = 0;
  if (from > last) return last + 1;
  const bits: u32 = 32 - <u32>clz(last - from);
  const shift: u32 = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
  memory.fill(COUNTS, 0, 16384);
  for (const end = keys + (<usize>count << 2); keys < end; keys += 4) {
    const key = load<u32>(keys);
    if (key - from > last - from) continue;
    const at = COUNTS + (<usize>((key - from) >> shift) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let bucket: u32 = 0; bucket <= (last - from) >> shift; bucket++) {
    below += load<u32>(COUNTS + (<usize>bucket << 2));
    if (below >= <u32>wanted) return <u32>min(<u64>from + ((<u64>bucket + 1) << shift), <u64>last + 1);
  }
  return last + 1;
}

/** Number of keys in the range found by the last `selectBound`. */
export function selectCount(): u32 {
  return below;
}

/** Writes the pairs with keys in [from, to) to `out`, in order of the docids; returns how many. */
export function selectPairs(keys: usize, docids: usize, count: i32, from: u32, to: u32, out: usize): i32 {
  const start = out;
  for (const end = keys + (<usize>count << 2); keys < end; keys += 4, docids += 4) {
    const key = load<u32>(keys);
    if (key - from >= to - from) continue;
    store<u32>(out, load<u32>(docids));
    store<u32>(out, key, 4);
    out += 8;
  }
  return <i32>((out - start) >> 3);
}

/** Sorts pairs by key; pairs with equal keys keep their order. `spare` has as much room. */
export function selectSort(pairs: usize, count: i32, spare: usize): void {
  const bytes = <usize>count << 3;
  let from = pairs;
  let to = spare;
  for (let shift: u64 = 32; shift < 64; shift += DIGIT_BITS) {
    memory.fill(COUNTS, 0, <usize>DIGITS << 2);
    for (let at = from; at < from + bytes; at += 8) {
      const place = digitPlace(load<u64>(at), shift);
      store<u32>(place, load<u32>(place) + 8);
    }
    let sum: u32 = 0;
    for (let place = COUNTS; place < COUNTS + (<usize>DIGITS << 2); place += 4) {
      const own = load<u32>(place);
      store<u32>(place, sum);
      sum += own;
    }
    for (let at = from; at < from + bytes; at += 8) {
      const pair = load<u64>(at);
      const place = digitPlace(pair, shift);
      const offset = load<u32>(place);
      store<u32>(place, offset + 8);
      store<u64>(to + <usize>offset, pair);
    }
    const other = from;
    from = to;
    to = other;
  }
  if (from != pairs) memory.copy(pairs, from, bytes);
}

function digitPlace(pair: u64, shift: u64): usize {
  return COUNTS + (<usize>(<u32>(pair >> shift) & (DIGITS - 1)) << 2);
}
