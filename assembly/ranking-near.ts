// How near two parts of a query are in each document of a ranking bucket. The keys (occurrences.ts) of both
// sides come as spans: two u32 per document, start and end of its ascending keys; equal when there are none.
// Called by search/occurrences.ts and search/proximity.ts, on keys that ranking-walk.ts has collected.
import { FIELD_SHIFT } from "./occurrences";

/** Fewer keys are sorted by insertion alone. */
const GAP_MIN: usize = 24;

/**
 * Sorts the chained keys of each of `count` documents (`heads`: address of the newest pair of u32 key and u32
 * next, or 0) and writes them to the room that ends at `out`, and the spans to `spans`.
 */
export function rankingSortChains(heads: usize, count: i32, spans: usize, out: usize): void {
  for (let i = 0; i < count; i++, heads += 4, spans += 8) {
    const end = out;
    // Written backwards, since the newest comes first: so the keys of one term are already in order.
    for (let at: usize = load<u32>(heads); at; at = load<u32>(at, 4)) {
      out -= 4;
      store<u32>(out, load<u32>(at));
    }
    sortKeys(out, end);
    store<u32>(spans, <u32>out);
    store<u32>(spans, <u32>end, 4);
  }
}

/**
 * Lowers the u16 cost of each document to the least distance, from 1 to `most`, at which a key of b follows
 * one of a in the same field, plus `more`.
 */
export function rankingNear(a: usize, b: usize, count: i32, most: u32, more: i32, costs: usize): void {
  for (let i = 0; i < count; i++, a += 8, b += 8, costs += 2) {
    if (<i32>load<u16>(costs) <= 1 + more) continue;
    let left: usize = load<u32>(a);
    const leftEnd: usize = load<u32>(a, 4);
    let right: usize = load<u32>(b);
    const rightEnd: usize = load<u32>(b, 4);
    if (left == leftEnd || right == rightEnd) continue;
    let least = most + 1;
    for (; left < leftEnd && least > 1; left += 4) {
      const key = load<u32>(left);
      while (right < rightEnd && load<u32>(right) <= key) right += 4;
      if (right == rightEnd) break;
      const next = load<u32>(right);
      if (next - key < least && next >> FIELD_SHIFT == key >> FIELD_SHIFT) least = next - key;
    }
    if (least > most) continue;
    const cost = <u32>(<i32>least + more);
    if (cost < load<u16>(costs)) store<u16>(costs, cost);
  }
}

/**
 * Sets the u16 cost of each document to 0 if an allowed field (a byte per field number) contains keys of
 * both.
 */
export function rankingShare(
  a: usize,
  b: usize,
  count: i32,
  fields: usize,
  fieldCount: u32,
  costs: usize,
): void {
  for (let i = 0; i < count; i++, a += 8, b += 8, costs += 2) {
    let left: usize = load<u32>(a);
    const leftEnd: usize = load<u32>(a, 4);
    let right: usize = load<u32>(b);
    const rightEnd: usize = load<u32>(b, 4);
    while (left < leftEnd && right < rightEnd) {
      const leftField = load<u32>(left) >> FIELD_SHIFT;
      const rightField = load<u32>(right) >> FIELD_SHIFT;
      if (leftField == rightField && leftField < fieldCount && load<u8>(fields + <usize>leftField)) {
        store<u16>(costs, 0);
        break;
      }
      if (leftField <= rightField) left += 4;
      else right += 4;
    }
  }
}

/** Sorts u32 keys ascending: Shell's sort, which is plain insertion for a few keys. */
export function sortKeys(start: usize, end: usize): void {
  let gap: usize = 4;
  for (const length = (end - start) >> 2; (gap >> 2) * GAP_MIN < length; ) gap = (gap << 2) + 4;
  for (; gap >= 4; gap = ((gap - 4) >> 2) & ~3) {
    for (let at = start + gap; at < end; at += 4) {
      const key = load<u32>(at);
      let to = at;
      for (; to >= start + gap && load<u32>(to - gap) > key; to -= gap) store<u32>(to, load<u32>(to - gap));
      store<u32>(to, key);
    }
  }
}
