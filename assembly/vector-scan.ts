// Exact search: every allowed row is compared with the query, and the nearest are kept (nearest.ts). Called
// by src/engine/vectors/nearest.ts and src/segment/vectorgraph.ts. Allowed rows are given as a bitmap
// (bitmap.ts), or 0 for all.
import { bitmapHas } from "./bitmap";
import { nearestPut } from "./nearest";
import { codesDistances, vectorDistance } from "./vector-distances";
import { touchRow, VECTOR_CODES, vectorRowBytes } from "./vectors";

/**
 * Puts the rows of items `first` to `first + count` into a heap that has `found` pairs and room for `most`;
 * returns how many it then has. `rows` is the row of item `first`.
 */
export function vectorScan(
  kind: i32,
  rows: usize,
  first: u32,
  count: i32,
  dimensions: i32,
  query: usize,
  allowed: usize,
  heap: usize,
  found: i32,
  most: i32,
): i32 {
  const bytes = vectorRowBytes(kind, dimensions);
  const end = first + <u32>count;
  for (let word = first >> 6; word < (end + 63) >> 6; word++) {
    let bits: u64 = allowed ? load<u64>(allowed + (<usize>word << 3)) : -1;
    if (word == first >> 6) bits &= <u64>-1 << (first & 63);
    if (end - (word << 6) < 64) bits &= (<u64>1 << (end & 63)) - 1;
    for (let ahead = bits; ahead; ahead &= ahead - 1) {
      touchRow(rows + <usize>((word << 6) + <u32>ctz<u64>(ahead) - first) * bytes, bytes);
    }
    if (kind == VECTOR_CODES) {
      for (; popcnt(bits) >= 4; bits &= bits - 1) {
        const a = (word << 6) + <u32>ctz<u64>(bits);
        bits &= bits - 1;
        const b = (word << 6) + <u32>ctz<u64>(bits);
        bits &= bits - 1;
        const c = (word << 6) + <u32>ctz<u64>(bits);
        bits &= bits - 1;
        const d = (word << 6) + <u32>ctz<u64>(bits);
        const distances = codesDistances(
          query,
          rows + <usize>(a - first) * bytes,
          rows + <usize>(b - first) * bytes,
          rows + <usize>(c - first) * bytes,
          rows + <usize>(d - first) * bytes,
          dimensions,
          bytes,
        );
        if (!areNear(distances, heap, found, most)) continue;
        found = nearestPut(heap, found, most, a, f32x4.extract_lane(distances, 0));
        found = nearestPut(heap, found, most, b, f32x4.extract_lane(distances, 1));
        found = nearestPut(heap, found, most, c, f32x4.extract_lane(distances, 2));
        found = nearestPut(heap, found, most, d, f32x4.extract_lane(distances, 3));
      }
    }
    for (; bits; bits &= bits - 1) {
      const item = (word << 6) + <u32>ctz<u64>(bits);
      const distance = vectorDistance(kind, query, rows + <usize>(item - first) * bytes, dimensions);
      found = nearestPut(heap, found, most, item, distance);
    }
  }
  return found;
}

/** Whether the heap has room, or at least one of four distances is not above the farthest in it. */
function areNear(distances: v128, heap: usize, found: i32, most: i32): bool {
  return found < most || v128.any_true(f32x4.le(distances, v128.load32_splat(heap, 4)));
}

/**
 * Recomputes the distances of pairs with other rows of the same vectors: those of their items, or, when
 * `inOrder` is not 0, rows in the order of the pairs.
 */
export function vectorRescore(
  pairs: usize,
  count: i32,
  kind: i32,
  rows: usize,
  inOrder: i32,
  dimensions: i32,
  query: usize,
): void {
  const bytes = vectorRowBytes(kind, dimensions);
  for (let i = 0; i < count; i++, pairs += 8) {
    const place = inOrder ? i : load<i32>(pairs);
    const row = rows + <usize>place * bytes;
    store<f32>(pairs, vectorDistance(kind, query, row, dimensions), 4);
  }
}

/**
 * Writes a bitmap of the items whose documents are in `candidates` (0: all are) and not in `tombstones` (0:
 * none are deleted) to `out`; `docids` has the document of each item, `words` is the length of the two
 * bitmaps. Returns how many.
 */
export function vectorAllowed(
  docids: usize,
  count: i32,
  candidates: usize,
  tombstones: usize,
  words: i32,
  out: usize,
): i32 {
  let allowed = 0;
  for (let item = 0; item < count; out += 8) {
    let bits: u64 = 0;
    const end = min(item + 64, count);
    for (let bit: u64 = 0; item < end; item++, bit++, docids += 4) {
      const docid = load<i32>(docids);
      if (candidates && !bitmapHas(candidates, words, docid)) continue;
      if (tombstones && bitmapHas(tombstones, words, docid)) continue;
      bits |= <u64>1 << bit;
      allowed++;
    }
    store<u64>(out, bits);
  }
  return allowed;
}
