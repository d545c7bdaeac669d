// Writes a sorted inverter out: posting lists and positions (formats: postings.ts, occurrences.ts) in chunks
// that the host appends to a segment, and the terms into its dictionary.
//
// The slices of a term are copied one after another into the output for positions; then the docids are taken
// out of them, so that only the occurrences stay.
import { dictionaryWriterAdd } from "./dictionary-writer";
import { inverterSorted, inverterTerm, inverterTermLength } from "./inverter-sort";
import {
  Inverter,
  SLICE_BYTES_FIRST,
  SLICE_BYTES_MAX,
  SLICE_LINK_BYTES,
  TERM_DF,
  TERM_END,
  TERM_LENGTH,
  TERM_NEXT,
  termBytes,
} from "./inverter-terms";
import { PACK_BLOCK_LEN } from "./pack";
import { postingsBlocks } from "./postings";
import { postingsWriteBlock, postingsWriteHead, postingsWriteTail } from "./postings-writer";
import { varintEnd, varintRead } from "./varint";

const DOCIDS: usize = memory.data(512, 16);

/** Second result of encodeTerm: bytes of the positions. */
let positionsBytes: i32 = 0;

/**
 * Encodes terms, in their order, from number `from` on until an output is full. For each it writes u32 bytes
 * of the posting list and u32 bytes of the positions to `lengthsOut`, which has room for `lengthsMost` terms.
 * Returns the number of terms done: 0 when not even one fits. Nothing is written beyond the capacities.
 */
export function inverterEncode(
  inverter: usize,
  from: i32,
  postingsOut: usize,
  postingsCapacity: i32,
  positionsOut: usize,
  positionsCapacity: i32,
  lengthsOut: usize,
  lengthsMost: i32,
): i32 {
  const most = min(lengthsMost, <i32>changetype<Inverter>(inverter).sorted - from);
  for (let done = 0; done < most; done++, lengthsOut += 8) {
    const term = inverterSorted(inverter, from + done);
    const bytes = encodeTerm(term, postingsOut, postingsCapacity, positionsOut, positionsCapacity);
    if (!bytes) return done;
    store<i32>(lengthsOut, bytes);
    store<i32>(lengthsOut, positionsBytes, 4);
    postingsOut += bytes;
    postingsCapacity -= bytes;
    positionsOut += positionsBytes;
    positionsCapacity -= positionsBytes;
  }
  return max(most, 0);
}

/**
 * Adds all terms, in their order, to a dictionary. Returns 0, or the negative number that the writer
 * returned.
 */
export function inverterWriteDictionary(inverter: usize, writer: usize): i32 {
  const count = <i32>changetype<Inverter>(inverter).sorted;
  for (let index = 0; index < count; index++) {
    const term = inverterTerm(inverter, index);
    const error = dictionaryWriterAdd(writer, term, inverterTermLength(inverter, index));
    if (error < 0) return error;
  }
  return 0;
}

/** Returns the bytes of the posting list, 0 when the list or the positions do not fit. */
function encodeTerm(term: usize, out: usize, capacity: i32, positionsOut: usize, positionsRoom: i32): i32 {
  const df = load<i32>(term, TERM_DF);
  if (!gatherSlices(term, positionsOut, positionsRoom) || !postingsWriteHead(df, out, capacity)) return 0;
  let blocks = postingsBlocks(df);
  let docid: u32 = -1;
  let pending = DOCIDS;
  let from = positionsOut;
  let to = positionsOut;
  for (let left = df; left > 0; left--) {
    docid += varintRead(from) + 1;
    from = varintEnd;
    store<u32>(pending, docid);
    pending += 4;
    let first: u32 = 0;
    while (!(first & 1)) {
      first = load<u8>(from++);
      store<u8>(to++, first);
      for (let byte = first; byte > 127; ) {
        byte = load<u8>(from++);
        store<u8>(to++, byte);
      }
    }
    if (blocks == 0 || pending != DOCIDS + (PACK_BLOCK_LEN << 2)) continue;
    if (!postingsWriteBlock(DOCIDS, <u32>(to - positionsOut))) return 0;
    pending = DOCIDS;
    blocks--;
  }
  positionsBytes = <i32>(to - positionsOut);
  return postingsWriteTail(DOCIDS, <i32>((pending - DOCIDS) >> 2));
}

/** Copies all slices of a term to `out`; false when they do not fit. */
function gatherSlices(term: usize, out: usize, capacity: i32): bool {
  const limit = out + <usize>capacity;
  const lastEnd = <usize>load<u32>(term, TERM_END);
  let slice = term + termBytes(load<u32>(term, TERM_LENGTH)) - SLICE_BYTES_FIRST;
  let bytes = SLICE_BYTES_FIRST;
  while (true) {
    const end = slice + bytes - SLICE_LINK_BYTES;
    const isLast = end == lastEnd;
    const filled = (isLast ? <usize>load<u32>(term, TERM_NEXT) : end) - slice;
    if (filled > limit - out) return false;
    copySlice(out, slice, filled, limit);
    if (isLast) return true;
    out += filled;
    slice = <usize>load<u32>(end);
    bytes = min(bytes << 1, SLICE_BYTES_MAX);
  }
}

/**
 * Most slices are short and memory.copy is a slow call: so whole vectors are copied if there is room after
 * them.
 */
function copySlice(out: usize, slice: usize, bytes: usize, limit: usize): void {
  if (bytes > 64 || bytes + 16 > limit - out) memory.copy(out, slice, bytes);
  else for (let at: usize = 0; at < bytes; at += 16) v128.store(out + at, v128.load(slice + at));
}
