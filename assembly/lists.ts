// Sets of docids as strictly ascending lists of u32: the sparse counterpart of bitmap.ts. Outputs never
// overlap inputs. Lists of like length are intersected four by four (all 16 pairs compared by rotating one
// side); when one is far longer, each docid of the short one is looked up by galloping. Lemire, Boytsov and
// Kurz, "SIMD compression and the intersection of sorted integers" (2016), is the source of both.

/**
 * From this ratio of lengths on, galloping beats the four by four merge (measured: they meet between 6 and
 * 10).
 */
const GALLOP_RATIO: i32 = 8;
/** A galloping step looks at one such group of docids at once. */
const GROUP_LEN: i32 = 16;

/**
 * Row m holds the byte numbers that move the lanes named by the bits of m to the front: 16 rows of 16 bytes.
 * A byte number with its high bit set makes a zero.
 */
const COMPACT: usize = memory.data<u32>([
  0x80808080, 0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x80808080, 0x80808080, 0x80808080,
  0x07060504, 0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x07060504, 0x80808080, 0x80808080,
  0x0b0a0908, 0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x0b0a0908, 0x80808080, 0x80808080,
  0x07060504, 0x0b0a0908, 0x80808080, 0x80808080, 0x03020100, 0x07060504, 0x0b0a0908, 0x80808080,
  0x0f0e0d0c, 0x80808080, 0x80808080, 0x80808080, 0x03020100, 0x0f0e0d0c, 0x80808080, 0x80808080,
  0x07060504, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x03020100, 0x07060504, 0x0f0e0d0c, 0x80808080,
  0x0b0a0908, 0x0f0e0d0c, 0x80808080, 0x80808080, 0x03020100, 0x0b0a0908, 0x0f0e0d0c, 0x80808080,
  0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x80808080, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
]);

/** Docids in both lists, written to `out` (room for the shorter list and 16 bytes more); returns how many. */
export function listIntersect(a: usize, aCount: i32, b: usize, bCount: i32, out: usize): i32 {
  if (aCount > bCount) return listIntersect(b, bCount, a, aCount, out);
  if (bCount / GALLOP_RATIO >= aCount) return intersectByGalloping(a, aCount, b, bCount, out);
  return intersectByMerging(a, aCount, b, bCount, out);
}

function intersectByMerging(a: usize, aCount: i32, b: usize, bCount: i32, out: usize): i32 {
  const start = out;
  const aEnd = a + (<usize>aCount << 2);
  const bEnd = b + (<usize>bCount << 2);
  while (a + 16 <= aEnd && b + 16 <= bEnd) {
    const four = v128.load(a);
    const other = v128.load(b);
    const equal = v128.or(
      v128.or(
        i32x4.eq(four, other),
        i32x4.eq(four, i8x16.shuffle(other, other, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3)),
      ),
      v128.or(
        i32x4.eq(four, i8x16.shuffle(other, other, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)),
        i32x4.eq(four, i8x16.shuffle(other, other, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
      ),
    );
    const mask = i32x4.bitmask(equal);
    v128.store(out, i8x16.swizzle(four, v128.load(COMPACT + (<usize>mask << 4))));
    out += <usize>popcnt<i32>(mask) << 2;
    const x = load<u32>(a, 12);
    const y = load<u32>(b, 12);
    a += <usize>(x <= y) << 4;
    b += <usize>(y <= x) << 4;
  }
  while (a < aEnd && b < bEnd) {
    const x = load<u32>(a);
    const y = load<u32>(b);
    store<u32>(out, x);
    out += <usize>(x == y) << 2;
    a += <usize>(x <= y) << 2;
    b += <usize>(y <= x) << 2;
  }
  return <i32>((out - start) >> 2);
}

function intersectByGalloping(a: usize, aCount: i32, b: usize, bCount: i32, out: usize): i32 {
  const start = out;
  const aEnd = a + (<usize>aCount << 2);
  const groups = bCount / GROUP_LEN;
  let group: i32 = 0;
  for (; a < aEnd && group < groups; a += 4) {
    const docid = load<u32>(a);
    group = groupOf(b, group, groups, docid);
    if (group == groups) break;
    store<u32>(out, docid);
    out += <usize>groupHas(b + (<usize>group << 6), docid) << 2;
  }
  // What is left of both: the short list against fewer docids than a group has.
  const rest = b + (<usize>groups << 6);
  const found = intersectByMerging(a, <i32>((aEnd - a) >> 2), rest, bCount % GROUP_LEN, out);
  return <i32>((out - start) >> 2) + found;
}

/** First group from `group` on whose last docid is not below `docid`, or `groups`. */
function groupOf(list: usize, group: i32, groups: i32, docid: u32): i32 {
  let step: i32 = 1;
  let low = group;
  let high = group;
  while (high < groups && load<u32>(list + (<usize>high << 6), 60) < docid) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > groups) high = groups;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(list + (<usize>middle << 6), 60) < docid) low = middle + 1;
    else high = middle;
  }
  return low;
}

function groupHas(group: usize, docid: u32): bool {
  const all = i32x4.splat(docid);
  return v128.any_true(
    v128.or(
      v128.or(i32x4.eq(v128.load(group), all), i32x4.eq(v128.load(group, 16), all)),
      v128.or(i32x4.eq(v128.load(group, 32), all), i32x4.eq(v128.load(group, 48), all)),
    ),
  );
}
