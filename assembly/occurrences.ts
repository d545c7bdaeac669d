// Positions of a term: where it occurs in each document of its posting list (postings.ts), in the same order.
// Searches rank with them (proximity, attribute, position); merges copy the bytes of whole documents.
//
//   positions    | document | document | ... |
//   document     one varint after another, value = (number << 2) | (step << 1) | last
//                  step 0: an occurrence; number = its position minus the previous one in the same field
//                  step 1: the next occurrences are in a higher field; number = how much higher
//                  last 1: the document ends with this occurrence
//                a document starts at field 0, position 0; after a step the position is 0 again
//
//   example      field 0 at 3 and 5, field 2 at 1:   | 3<<2 | 2<<2 | 2<<2|2 | 1<<2|1 |
//
// `last` is in the first byte of its varint, so that the ends of documents can be counted 16 bytes at a time.
//
// A key = field << 16 | position is one occurrence as searches see it; the keys of a document ascend. Used by
// the files that walk over them, such as ranking-walk.ts and matching-near.ts, and by the check of segments.

/** Bits of a value. */
export const LAST: u32 = 1;
export const STEP: u32 = 2;
/** Place of the field in a key. */
export const FIELD_SHIFT: u32 = 16;

/** Address after the next `count` documents, or `end`. Reads up to 16 bytes beyond `end`. */
export function occurrencesSkip(at: usize, end: usize, count: i32): usize {
  let inside: u32 = 0;
  for (; count > 0 && at < end; at += 16) {
    const bytes = v128.load(at);
    const high: u32 = i8x16.bitmask(bytes);
    // The first byte of a varint follows a byte without the high bit.
    let lasts = i8x16.bitmask(i8x16.shl(bytes, 7)) & ~((high << 1) | inside) & 0xffff;
    const found = popcnt<i32>(lasts);
    if (found < count) {
      count -= found;
      inside = high >> 15;
      continue;
    }
    for (; count > 1; count--) lasts &= lasts - 1;
    at += <usize>ctz<u32>(lasts);
    while (load<u8>(at) > 127) at++;
    return min(at + 1, end);
  }
  return min(at, end);
}
