// Compares documents of a ranking bucket with the whole query: in which fields they begin with it, and where
// such a field has no further words. Masks: a u32 for each document, with a bit for each of 32 fields. Called
// by search/exactness.ts.
import { bitmapHas } from "./bitmap";
import { postingsBlock, postingsBlocks, postingsCount, postingsSeek } from "./postings";

/** Room for one block of docids, with slack after it. */
const DOCIDS: usize = memory.data(576, 16);

/**
 * In each of `count` u32 masks, keeps the bits of `allowed` that the other mask has, too; returns the bits
 * that are left in any mask.
 */
export function rankingIntersect(masks: usize, others: usize, count: i32, allowed: u32): u32 {
  let all: u32 = 0;
  for (const end = masks + ((<usize>count) << 2); masks < end; masks += 4, others += 4) {
    const mask = load<u32>(masks) & load<u32>(others) & allowed;
    store<u32>(masks, mask);
    all |= mask;
  }
  return all;
}

/** Lowers the costs of documents with a non-empty mask to 1. */
export function rankingBeginnings(masks: usize, count: i32, costs: usize): void {
  for (let i = 0; i < count; i++, masks += 4, costs += 2) {
    if (load<u32>(masks) && load<u16>(costs) > 1) store<u16>(costs, 1);
  }
}

/**
 * Lowers to 0 the costs of documents that have bit `bit` in their mask and are in a posting list, except
 * those in `tombstones` (a bitmap, or 0). Only blocks that may contain one of them are unpacked.
 */
export function rankingWhole(
  list: usize,
  masks: usize,
  count: i32,
  bit: i32,
  postings: usize,
  length: i32,
  tombstones: usize,
  words: i32,
  costs: usize,
): void {
  const blocks = postingsBlocks(postingsCount(postings, length));
  let block = -1;
  let at: usize = 0;
  let end: usize = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    if (!((load<u32>(masks + (i << 2)) >> bit) & 1)) continue;
    const docid = load<u32>(list + (i << 2));
    if (at == end || load<u32>(end - 4) < docid) {
      // The tail has been passed.
      if (block == blocks) return;
      block = postingsSeek(postings, length, block + 1, docid);
      const found = block < 0 ? -1 : postingsBlock(postings, length, block, DOCIDS);
      if (found < 1) return;
      at = DOCIDS;
      end = DOCIDS + (<usize>found << 2);
    }
    while (at < end && load<u32>(at) < docid) at += 4;
    if (at == end || load<u32>(at) != docid) continue;
    if (!tombstones || !bitmapHas(tombstones, words, docid)) store<u16>(costs + (i << 1), 0);
  }
}
