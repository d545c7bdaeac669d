// Ascending lists of u32 docids: finds the place of a docid in one, and equal docids in two. Called by
// matching-near.ts, matching-side.ts and ranking-bucket.ts.
//
// Of two lists, each docid of the shorter one is looked up in the longer one, in groups of 16 that are
// compared at once. After Lemire, Boytsov and Kurz, "SIMD compression and the intersection of sorted
// integers" (2016).

/** Number of docids that a galloping step compares at once. */
const GROUP_LEN: i32 = 16;

/**
 * Writes to `out` the places of the docids that are in both lists, as pairs of u32: the place in a and the
 * place in b; returns how many.
 */
export function listPairs(a: usize, aCount: i32, b: usize, bCount: i32, out: usize): i32 {
  return aCount <= bCount ? pairs(a, aCount, b, bCount, out, 0) : pairs(b, bCount, a, aCount, out, 4);
}

/** `side`: offset of the place in `a` within a pair, 0 or 4. */
function pairs(a: usize, aCount: i32, b: usize, bCount: i32, out: usize, side: usize): i32 {
  const start = out;
  const groups = bCount / GROUP_LEN;
  let group: i32 = 0;
  for (let i = 0; i < aCount; i++) {
    const docid = load<u32>(a + ((<usize>i) << 2));
    group = groupOf(b, group, groups, docid);
    let place = group * GROUP_LEN;
    // After the last group there are fewer docids than a group has.
    if (group == groups) while (place < bCount && load<u32>(b + ((<usize>place) << 2)) < docid) place++;
    else place += placeInGroup(b + ((<usize>place) << 2), docid);
    if (place == bCount) break;
    store<u32>(out + side, i);
    store<u32>(out + (side ^ 4), place);
    out += <usize>(load<u32>(b + ((<usize>place) << 2)) == docid) << 3;
  }
  return <i32>((out - start) >> 3);
}

/** Place of the first docid in a group that is not below `docid`; the last one must not be below. */
function placeInGroup(group: usize, docid: u32): i32 {
  const all = i32x4.splat(docid);
  const first = i16x8.narrow_i32x4_s(
    i32x4.lt_u(v128.load(group), all),
    i32x4.lt_u(v128.load(group, 16), all),
  );
  const second = i16x8.narrow_i32x4_s(
    i32x4.lt_u(v128.load(group, 32), all),
    i32x4.lt_u(v128.load(group, 48), all),
  );
  return popcnt<i32>(i8x16.bitmask(i8x16.narrow_i16x8_s(first, second)));
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

/** First index from `index` on, below `count`, whose docid is above `docid`. Gallops. */
export function listBehind(list: usize, count: i32, index: i32, docid: u32): i32 {
  let low = index;
  let high = index;
  for (let step = 1; high < count && load<u32>(list + ((<usize>high) << 2)) <= docid; step <<= 1) {
    low = high + 1;
    high += step;
  }
  high = min(high, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(list + ((<usize>middle) << 2)) <= docid) low = middle + 1;
    else high = middle;
  }
  return low;
}
