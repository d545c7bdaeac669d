// Blocks of 128 u32 packed with the same number of bits each: the body of posting lists (postings.ts). Four
// values are side by side in the lanes of a vector, so that one shift and one mask work on four values; after
// Lemire and Boytsov, "Decoding billions of integers per second through vectorization" (2015).
//
//   block of width w: 16 * w bytes       lane 0       lane 1       lane 2       lane 3
//   32 rows of w bits in each lane     | 0 4 8 ...  | 1 5 9 ...  | 2 6 10 ... | 3 7 11 ... |
//                                        numbers of values, low bits first
//
// A row may straddle two 32-bit words of its lane. Docids are packed as gaps minus one, since no two are
// equal:
//
//   gap[i] = docid[i] - docid[i - 1] - 1      docid[-1]: the base, last docid of the block before, or -1

/** Values in a block. */
export const PACK_BLOCK_LEN: i32 = 128;
const VALUES_BYTES: usize = 512;
/** What gaps minus one lack in each lane of a row. */
const RAMP: usize = memory.data<i32>([1, 2, 3, 4], 16);
const UPPER: usize = memory.data<i32>([0, 0, -1, -1], 16);

/** Bits needed for the largest of 128 values: 0 to 32. */
export function packWidth(values: usize): i32 {
  let all = v128.load(values);
  for (let at: usize = 16; at < VALUES_BYTES; at += 16) all = v128.or(all, v128.load(values + at));
  all = v128.or(all, i64x2.shr_u(all, 32));
  return 32 - clz<i32>(i32x4.extract_lane(all, 0) | i32x4.extract_lane(all, 2));
}

/** Packs 128 values below 2^width into 16 * width bytes at `out`. */
export function packBlock(values: usize, width: i32, out: usize): void {
  if (width == 0) return;
  const end = values + VALUES_BYTES;
  let word = i32x4.splat(0);
  let used: i32 = 0;
  for (; values < end; values += 16) {
    const row = v128.load(values);
    word = v128.or(word, i32x4.shl(row, used));
    used += width;
    if (used < 32) continue;
    v128.store(out, word);
    out += 16;
    used -= 32;
    word = used > 0 ? i32x4.shr_u(row, width - used) : i32x4.splat(0);
  }
}

/** Writes to `gaps` the 128 gaps minus one of strictly ascending docids, all above `base` (-1 for none). */
export function packDelta(docids: usize, base: i32, gaps: usize): void {
  let before = i32x4.splat(base);
  for (let at: usize = 0; at < VALUES_BYTES; at += 16) {
    const row = v128.load(docids + at);
    const previous = v128.shuffle<i32>(before, row, 3, 4, 5, 6);
    v128.store(gaps + at, i32x4.sub(i32x4.sub(row, previous), i32x4.splat(1)));
    before = row;
  }
}

/** Unpacks 128 values into 512 bytes at `out`. May read 16 bytes beyond the block; width is at most 32. */
export function unpackBlock(input: usize, width: i32, out: usize): void {
  if (width == 0) {
    memory.fill(out, 0, VALUES_BYTES);
    return;
  }
  const mask = i32x4.splat(width == 32 ? -1 : (1 << width) - 1);
  const most = 32 - width;
  let word = v128.load(input);
  let used: i32 = 0;
  for (const end = out + VALUES_BYTES; ; ) {
    // Rows within one word follow each other without a check.
    for (; used <= most; used += width, out += 16) {
      v128.store(out, v128.and(i32x4.shr_u(word, used), mask));
    }
    if (out == end) return;
    input += 16;
    const next = v128.load(input);
    if (used < 32) {
      v128.store(out, v128.and(v128.or(i32x4.shr_u(word, used), i32x4.shl(next, 32 - used)), mask));
      used += width;
      out += 16;
    }
    used -= 32;
    word = next;
  }
}

/**
 * Unpacks 128 docids, packed as gaps minus one above `base`, into 512 bytes at `out`; otherwise like
 * unpackBlock.
 */
export function unpackDelta(input: usize, width: i32, base: i32, out: usize): void {
  unpackBlock(input, width, out);
  // In variables, since constants would be built anew in every round of the loop.
  const ramp = v128.load(RAMP);
  const upper = v128.load(UPPER);
  let last = i32x4.splat(base);
  for (const end = out + VALUES_BYTES; out < end; out += 32) {
    const first = i32x4.add(prefixSum(v128.load(out), ramp, upper), last);
    v128.store(out, first);
    last = i8x16.shuffle(first, first, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
    const second = i32x4.add(prefixSum(v128.load(out, 16), ramp, upper), last);
    v128.store(out, second, 16);
    last = i8x16.shuffle(second, second, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
  }
}

/**
 * Sums of the first one, two, three and four lanes, plus the ramp: first each half's lower lane is added to
 * its neighbour, then the sum of the lower half to the upper half.
 */
function prefixSum(row: v128, ramp: v128, upper: v128): v128 {
  const pairs = i32x4.add(row, i64x2.shl(row, 32));
  const lower = i8x16.shuffle(pairs, pairs, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
  return i32x4.add(i32x4.add(pairs, ramp), v128.and(lower, upper));
}
