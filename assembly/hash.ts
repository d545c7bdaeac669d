// The 64-bit hash and the comparison of short byte strings: names of fields, paths, document ids. The hash is
// part of the file format (the ids section of a segment keeps its halves), so it must never change. Texts are
// read 8 bytes at a time, up to 7 bytes beyond their end.

const SPREAD: u64 = 0x9e3779b97f4a7c15;
const FINISH_1: u64 = 0xff51afd7ed558ccd;
const FINISH_2: u64 = 0xc4ceb9fe1a85ec53;

/** Hash of a text; its last step is the finaliser of MurmurHash3 (Austin Appleby), so all bits are usable. */
export function textHash(text: usize, length: i32): u64 {
  let hash: u64 = <u64>length * SPREAD;
  for (; length >= 8; length -= 8, text += 8) hash = spread(hash ^ load<u64>(text));
  if (length > 0) hash = spread(hash ^ head(text, length));
  hash = (hash ^ (hash >> 33)) * FINISH_1;
  hash = (hash ^ (hash >> 33)) * FINISH_2;
  return hash ^ (hash >> 33);
}

/** True when `length` bytes at both places are the same. */
export function textEquals(one: usize, other: usize, length: i32): bool {
  for (; length >= 8; length -= 8, one += 8, other += 8) if (load<u64>(one) != load<u64>(other)) return false;
  return length <= 0 || head(one, length) == head(other, length);
}

/** Maps the upper half of a hash to 0 .. buckets - 1 without a division. */
export function hashBucket(hash: u64, buckets: u32): u32 {
  return <u32>(((hash >> 32) * <u64>buckets) >> 32);
}

function spread(hash: u64): u64 {
  const product = hash * SPREAD;
  return product ^ (product >> 32);
}

/** The 1 to 7 bytes at `text` as a number. */
function head(text: usize, length: i32): u64 {
  return load<u64>(text) & (((<u64>1) << (length << 3)) - 1);
}
