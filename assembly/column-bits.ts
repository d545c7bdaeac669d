// Arrays of numbers of a fixed width, 0 to 32 bits each, packed without gaps, low bits first: the codes,
// starts and places in columns. Number i has the bits from i * width on. Readers read up to 7 bytes beyond
// the array.
//
//   width 5      | 22211111 | 43333322 | ... |       bytes, high bit left; the digits tell which number

/** Number `index` of an array. */
export function bitsRead(array: usize, index: u32, width: u32): u32 {
  return <u32>bitsReadLong(array, index, width);
}

/**
 * The same for widths up to 56: together with the bits before it in its first byte, such a number fits into
 * eight bytes.
 */
export function bitsReadLong(array: usize, index: u32, width: u32): u64 {
  const bit = <u64>index * width;
  return (load<u64>(array + <usize>(bit >> 3)) >> (bit & 7)) & (((<u64>1) << width) - 1);
}

/** The largest number of a given width. */
export function bitsMask(width: u32): u32 {
  return <u32>(((<u64>1) << width) - 1);
}

/** Packs `count` numbers (u32), none above the mask of the width, to `out`; returns the bytes written. */
export function bitsWrite(numbers: usize, count: i32, width: u32, out: usize): i32 {
  let to = out;
  let pending: u64 = 0;
  let bits: u32 = 0;
  for (const end = numbers + (<usize>count << 2); numbers < end; numbers += 4) {
    pending |= (<u64>load<u32>(numbers)) << bits;
    bits += width;
    if (bits < 32) continue;
    store<u32>(to, <u32>pending);
    to += 4;
    pending >>= 32;
    bits -= 32;
  }
  for (; bits > 0; bits = bits > 8 ? bits - 8 : 0) {
    store<u8>(to++, <u32>pending);
    pending >>= 8;
  }
  return <i32>(to - out);
}
