// The documents of the current ranking bucket: their list, and a way from a docid to its index in it that is
// small enough for the fastest cache. Called by search/occurrences.ts and ranking-walk.ts.
//
//   marks   | u64 bits, a bit per docid of the bucket | ... |      zero between two buckets
//   firsts  | u32 index of the first document of that word | ... | undefined where the word is zero
import { listBehind } from "./lists";

/** Ascending docids, u32 each. */
export let bucket: usize = 0;
export let bucketCount: i32 = 0;
let marks: usize = 0;
let firsts: usize = 0;
let markWords: u32 = 0;
/** Whether the marks are a bitmap of the caller. */
let isBorrowed: bool = false;

/**
 * Sets the bucket: `count` ascending docids at `list`. `marksAt`: `words` u64, all zero before; `firstsAt`:
 * as many u32. Documents beyond the words are not found.
 */
export function rankingBegin(list: usize, count: i32, marksAt: usize, firstsAt: usize, words: i32): void {
  bucket = list;
  bucketCount = count;
  marks = marksAt;
  firsts = firstsAt;
  markWords = words;
  isBorrowed = false;
  for (let i = 0; i < count; i++, list += 4) {
    const docid = load<u32>(list);
    const word: usize = docid >> 6;
    if (<u32>word >= markWords) continue;
    const bits = load<u64>(marks + (word << 3));
    if (!bits) store<u32>(firsts + (word << 2), i);
    store<u64>(marks + (word << 3), bits | ((<u64>1) << (docid & 63)));
  }
}

/** Like rankingBegin, for a bucket that also is a bitmap of `words` words: for many documents. */
export function rankingBeginBitmap(
  list: usize,
  count: i32,
  bitmap: usize,
  firstsAt: usize,
  words: i32,
): void {
  bucket = list;
  bucketCount = count;
  marks = bitmap;
  firsts = firstsAt;
  markWords = words;
  isBorrowed = true;
  let before: u32 = 0;
  for (const end = bitmap + ((<usize>words) << 3); bitmap < end; bitmap += 8, firstsAt += 4) {
    store<u32>(firstsAt, before);
    before += <u32>popcnt<u64>(load<u64>(bitmap));
  }
}

/** Makes the marks of rankingBegin zero again. */
export function rankingEnd(): void {
  if (isBorrowed) return;
  for (let i = 0; i < bucketCount; i++) {
    const word = load<u32>(bucket + ((<usize>i) << 2)) >> 6;
    if (word < markWords) store<u64>(marks + ((<usize>word) << 3), 0);
  }
}

/** Last docid of a bucket that is not empty. */
export function lastDocid(): u32 {
  return load<u32>(bucket + ((<usize>(bucketCount - 1)) << 2));
}

/** First index in the bucket from `index` on whose docid is above `docid`. */
export function behind(index: i32, docid: u32): i32 {
  return listBehind(bucket, bucketCount, index, docid);
}

/** True when the `found` docids at `block` equal those of the bucket from index `next` on. */
export function isRun(block: usize, next: i32, found: i32): bool {
  const run = bucket + ((<usize>next) << 2);
  const bytes = (<usize>found) << 2;
  let at: usize = 0;
  for (; at + 16 <= bytes; at += 16) {
    if (v128.any_true(v128.xor(v128.load(run + at), v128.load(block + at)))) return false;
  }
  for (; at < bytes; at += 4) if (load<u32>(run + at) != load<u32>(block + at)) return false;
  return true;
}

export function isMarked(docid: u32): bool {
  const word = docid >> 6;
  if (word >= markWords) return false;
  return ((load<u64>(marks + ((<usize>word) << 3)) >> (docid & 63)) & 1) != 0;
}

/** Index in the bucket of a marked docid. */
export function indexOf(docid: u32): usize {
  const word: usize = docid >> 6;
  const before = load<u64>(marks + (word << 3)) & (((<u64>1) << (docid & 63)) - 1);
  return <usize>load<u32>(firsts + (word << 2)) + <usize>popcnt<u64>(before);
}
