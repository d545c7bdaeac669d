// Searches a text for a part. Called by column-texts.ts (filters) and src/core/json.ts (names of fields).

/**
 * 1 when a text contains a part, else 0. At 16 places at a time it compares the first and the last byte of
 * the part (W. Muła, "SIMD-friendly algorithms for substring searching"); up to 16 bytes beyond the text are
 * read.
 */
export function textHolds(text: usize, bytes: i32, part: usize, length: i32): i32 {
  if (length > bytes) return 0;
  if (length == 0) return 1;
  const behind = <usize>(length - 1);
  const end = text + <usize>bytes - behind;
  const first = i8x16.splat(load<u8>(part));
  const last = i8x16.splat(load<u8>(part + behind));
  for (; text < end; text += 16) {
    const isFirst = i8x16.eq(v128.load(text), first);
    const isLast = i8x16.eq(v128.load(text + behind), last);
    let places = i8x16.bitmask(v128.and(isFirst, isLast));
    for (; places; places &= places - 1) {
      const place = text + <usize>ctz<i32>(places);
      if (place >= end) return 0;
      if (memory.compare(place, part, length) == 0) return 1;
    }
  }
  return 0;
}
