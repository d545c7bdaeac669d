// Sets of docids as plain bitmaps: n words of 64 bits, docid d is bit d & 63 of word d >> 6. Matched sets,
// filters and tombstones have this form when they are dense, and are ascending lists when they are sparse.
//
//   word 0             word 1
//   | 0 ... 63 (bit) | 64 ... 127 | ... |
//
// A bitmap starts at any multiple of 8. Nothing is written beyond its words; bits above the highest docid are
// zero, so that counting needs no mask.

/** Room for the docids of a full word as a list. */
const WORD_LIST_BYTES: usize = 256;

/** Keeps in `target` only what is in `source` too. */
export function bitmapAnd(target: usize, source: usize, words: i32): void {
  bitmapMeet(target, target, source, words);
}

/** Adds `source` to `target`. */
export function bitmapOr(target: usize, source: usize, words: i32): void {
  bitmapOrInto(target, target, source, words);
}

/** Removes `source` from `target`. */
export function bitmapAndNot(target: usize, source: usize, words: i32): void {
  bitmapAndNotInto(target, target, source, words);
}

/** Writes the intersection of `a` and `b` to `out`, which may be one of them. True when it is not empty. */
export function bitmapMeet(out: usize, a: usize, b: usize, words: i32): bool {
  const end = out + (<usize>words << 3);
  let all = i64x2.splat(0);
  for (; out + 32 <= end; out += 32, a += 32, b += 32) {
    const low = v128.and(v128.load(a), v128.load(b));
    const high = v128.and(v128.load(a, 16), v128.load(b, 16));
    v128.store(out, low);
    v128.store(out, high, 16);
    all = v128.or(all, v128.or(low, high));
  }
  let rest: u64 = 0;
  for (; out < end; out += 8, a += 8, b += 8) {
    const both = load<u64>(a) & load<u64>(b);
    store<u64>(out, both);
    rest |= both;
  }
  return rest != 0 || v128.any_true(all);
}

/** Writes the union of `a` and `b` to `out`, which may be one of them. */
export function bitmapOrInto(out: usize, a: usize, b: usize, words: i32): void {
  const end = out + (<usize>words << 3);
  for (; out + 32 <= end; out += 32, a += 32, b += 32) {
    v128.store(out, v128.or(v128.load(a), v128.load(b)));
    v128.store(out, v128.or(v128.load(a, 16), v128.load(b, 16)), 16);
  }
  for (; out < end; out += 8, a += 8, b += 8) store<u64>(out, load<u64>(a) | load<u64>(b));
}

/** Writes what is in `a` but not in `b` to `out`, which may be one of them. */
export function bitmapAndNotInto(out: usize, a: usize, b: usize, words: i32): void {
  const end = out + (<usize>words << 3);
  for (; out + 32 <= end; out += 32, a += 32, b += 32) {
    v128.store(out, v128.andnot(v128.load(a), v128.load(b)));
    v128.store(out, v128.andnot(v128.load(a, 16), v128.load(b, 16)), 16);
  }
  for (; out < end; out += 8, a += 8, b += 8) store<u64>(out, load<u64>(a) & ~load<u64>(b));
}

/** Number of docids in the set. */
export function bitmapCount(bitmap: usize, words: i32): i32 {
  const end = bitmap + (<usize>words << 3);
  let even: u64 = 0;
  let odd: u64 = 0;
  for (; bitmap + 32 <= end; bitmap += 32) {
    even += popcnt<u64>(load<u64>(bitmap)) + popcnt<u64>(load<u64>(bitmap, 8));
    odd += popcnt<u64>(load<u64>(bitmap, 16)) + popcnt<u64>(load<u64>(bitmap, 24));
  }
  for (; bitmap < end; bitmap += 8) even += popcnt<u64>(load<u64>(bitmap));
  return <i32>(even + odd);
}

/** Number of docids in both sets. */
export function bitmapAndCount(a: usize, b: usize, words: i32): i32 {
  const end = a + (<usize>words << 3);
  let even: u64 = 0;
  let odd: u64 = 0;
  for (; a + 16 <= end; a += 16, b += 16) {
    even += popcnt<u64>(load<u64>(a) & load<u64>(b));
    odd += popcnt<u64>(load<u64>(a, 8) & load<u64>(b, 8));
  }
  if (a < end) even += popcnt<u64>(load<u64>(a) & load<u64>(b));
  return <i32>(even + odd);
}

/** 1 when the set is not empty, else 0. */
export function bitmapAny(bitmap: usize, words: i32): i32 {
  const end = bitmap + (<usize>words << 3);
  for (; bitmap + 32 <= end; bitmap += 32) {
    if (v128.any_true(v128.or(v128.load(bitmap), v128.load(bitmap, 16)))) return 1;
  }
  for (; bitmap < end; bitmap += 8) if (load<u64>(bitmap)) return 1;
  return 0;
}

/** Adds one docid, which must be below 64 * words. */
export function bitmapSet(bitmap: usize, docid: i32): void {
  const at = bitmap + (<usize>(<u32>docid >> 6) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (docid & 63)));
}

/** Adds the docids of 64 bits, the first of which is `docid`; docids beyond the bitmap are left out. */
export function bitmapOrWord(bitmap: usize, words: i32, docid: u32, bits: u64): void {
  const word = docid >> 6;
  const shift = <u64>docid & 63;
  const at = bitmap + (<usize>word << 3);
  if (word < <u32>words) store<u64>(at, load<u64>(at) | (bits << shift));
  if (shift && word + 1 < <u32>words) store<u64>(at, load<u64>(at, 8) | (bits >> (64 - shift)), 8);
}

/** 1 when the docid is in the set, else 0; docids beyond the bitmap are not. */
export function bitmapHas(bitmap: usize, words: i32, docid: i32): i32 {
  if (<u32>docid >> 6 >= <u32>words) return 0;
  return <i32>((load<u64>(bitmap + (<usize>(<u32>docid >> 6) << 3)) >> (docid & 63)) & 1);
}

/**
 * False when no docid from `from` to `to` is in the set; other docids in the first and last word count, too.
 */
export function bitmapAnyIn(bitmap: usize, words: i32, from: u32, to: u32): bool {
  const end = bitmap + (<usize>min((to >> 6) + 1, <u32>words) << 3);
  for (let at = bitmap + (<usize>(from >> 6) << 3); at < end; at += 8) if (load<u64>(at)) return true;
  return false;
}

/** Adds the `count` docids (u32, in any order) at `list`; docids beyond the bitmap are left out. */
export function bitmapFromList(bitmap: usize, words: i32, list: usize, count: i32): void {
  const end = list + (<usize>count << 2);
  const part = <usize>(count >> 2) << 2;
  let rest = list + (part << 2);
  // Four parts of the list at once: if it is ascending, they go into different words. Within one word, each
  // bit would have to wait for the previous one.
  for (let at = list; at < list + part; at += 4) {
    const docid0 = load<u32>(at);
    const docid1 = load<u32>(at + part);
    const docid2 = load<u32>(at + 2 * part);
    const docid3 = load<u32>(at + 3 * part);
    if (max(max(docid0, docid1), max(docid2, docid3)) >> 6 >= <u32>words) {
      rest = list;
      break;
    }
    bitmapSet(bitmap, docid0);
    bitmapSet(bitmap, docid1);
    bitmapSet(bitmap, docid2);
    bitmapSet(bitmap, docid3);
  }
  for (; rest < end; rest += 4) {
    const docid = load<u32>(rest);
    if (docid >> 6 < <u32>words) bitmapSet(bitmap, docid);
  }
}

/**
 * Writes the docids from `from` on, ascending, at most `most`, as u32 to `out`; returns how many. To go on,
 * call again with the last one plus 1.
 */
export function bitmapToList(bitmap: usize, words: i32, from: i32, out: usize, most: i32): i32 {
  const start = out;
  const end = out + (<usize>most << 2);
  let word = <u32>from >> 6;
  if (word >= <u32>words) return 0;
  let bits = load<u64>(bitmap + (<usize>word << 3)) & (<u64>-1 << (from & 63));
  while (true) {
    const count = <usize>popcnt<u64>(bits);
    if (end - out >= WORD_LIST_BYTES) {
      writeDocids(bits, word << 6, out, out + (count << 2));
      out += count << 2;
    } else {
      for (; bits; bits &= bits - 1) {
        if (out == end) return most;
        store<u32>(out, (word << 6) + <u32>ctz<u64>(bits));
        out += 4;
      }
    }
    if (++word == <u32>words) return <i32>((out - start) >> 2);
    bits = load<u64>(bitmap + (<usize>word << 3));
  }
}

/**
 * Writes the docids of one word, four at a time up to `end`, without asking whether there are that many: in
 * sparse sets, the end of a loop over the bits would be mispredicted for each word.
 */
function writeDocids(bits: u64, first: u32, out: usize, end: usize): void {
  do {
    store<u32>(out, first + <u32>ctz<u64>(bits));
    bits &= bits - 1;
    store<u32>(out, first + <u32>ctz<u64>(bits), 4);
    bits &= bits - 1;
    store<u32>(out, first + <u32>ctz<u64>(bits), 8);
    bits &= bits - 1;
    store<u32>(out, first + <u32>ctz<u64>(bits), 12);
    bits &= bits - 1;
    out += 16;
  } while (out < end);
}

/**
 * For each of `count` equal stretches of the docids [from, to): the first docid in the set, if it is among
 * the first 64 of the stretch. Writes them as u32 to `out`; returns how many. The bitmap must have words for
 * all docids.
 */
export function bitmapSample(bitmap: usize, from: u32, to: u32, count: u32, out: usize): i32 {
  const start = out;
  let next = from;
  for (let i: u32 = 1; i <= count; i++) {
    const docid = next;
    next = from + <u32>((<u64>(to - from) * i) / count);
    const end = min(docid + 64, next);
    const found = firstIn(bitmap, docid, end);
    store<u32>(out, found);
    out += <usize>(found < end) << 2;
  }
  return <i32>((out - start) >> 2);
}

/** The first docid from `docid` on and before `end`, at most 64 further; `end` when there is none. */
function firstIn(bitmap: usize, docid: u32, end: u32): u32 {
  const bits = load<u64>(bitmap + (<usize>(docid >> 6) << 3)) >> (docid & 63);
  if (bits) return min(docid + <u32>ctz<u64>(bits), end);
  const next = (docid | 63) + 1;
  if (next >= end) return end;
  const more = load<u64>(bitmap + (<usize>(next >> 6) << 3));
  return more ? min(next + <u32>ctz<u64>(more), end) : end;
}
