// Finds a document in the blocks of a segment; their layout is drawn in src/segment/documentblocks.ts, which
// calls this.

/**
 * Number of the block that contains a document. `rows`: for each of `blocks` blocks, of which there is at
 * least one, the u32 ordinal of its first document and its u32 offset.
 */
export function documentBlock(rows: usize, blocks: i32, ordinal: u32): i32 {
  let low = 0;
  let high = blocks;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u32>(rows + ((<usize>middle) << 3)) <= ordinal) low = middle;
    else high = middle;
  }
  return low;
}

/** Sum of the first `count` u32 lengths, which is where the next document begins. */
export function documentStart(lengths: usize, count: i32): u32 {
  let sum: u32 = 0;
  for (const end = lengths + ((<usize>count) << 2); lengths < end; lengths += 4) sum += load<u32>(lengths);
  return sum;
}
