// Where a document lies in the blocks of a segment; their layout is drawn in src/segment/documentblocks.ts,
// which calls this.

/**
 * Number of the block that holds a document. `rows`: u32 ordinal of its first document and u32 offset of each
 * of `blocks` blocks, which are at least one.
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

/** Sum of the first `count` u32 lengths: where the document behind them begins. */
export function documentStart(lengths: usize, count: i32): u32 {
  let sum: u32 = 0;
  for (const end = lengths + ((<usize>count) << 2); lengths < end; lengths += 4) sum += load<u32>(lengths);
  return sum;
}
