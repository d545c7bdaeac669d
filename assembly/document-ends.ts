// Finds the ends of documents' occurrences, looking at 16 bytes at a time (format: occurrences.ts). Called by
// ranking-walk.ts, matching-side.ts and field-matching.ts, which walk over the bytes of a block of documents.
import { PACK_BLOCK_LEN } from "./pack";

/**
 * Whether a varint continues in the next 16 bytes; below, whether it is the last one of its document (1 or
 * 0).
 */
let inside: u32 = 0;
let lastCarry: u32 = 0;

/** Begins a walk, at the first byte of a document. */
export function endsBegin(): void {
  inside = 0;
  lastCarry = 0;
}

/** For the next 16 bytes, those at `at`: a bit for each byte that is the last one of a document. */
export function documentEnds(at: usize): u32 {
  const bytes = v128.load(at);
  const high: u32 = i8x16.bitmask(bytes);
  // The first byte of a varint follows a byte without the high bit.
  const lasts = <u32>i8x16.bitmask(i8x16.shl(bytes, 7)) & ~((high << 1) | inside);
  // The carry of the sum runs along a varint, from its first byte to its last.
  const sum = high + lasts + lastCarry;
  inside = high >> 15;
  lastCarry = sum >> 16;
  return sum & ~high & 0xffff;
}

/** Room for the starts of a block: a step of 16 bytes may find up to 15 too many. */
export const DOCUMENT_STARTS_BYTES: i32 = (PACK_BLOCK_LEN + 15) << 2;

/** Writes to `starts` the addresses of the next `count` documents' occurrences, at most a block. */
export function documentStarts(at: usize, end: usize, count: i32, starts: usize): void {
  const stop = starts + ((<usize>count) << 2);
  let out = starts + 4;
  store<u32>(starts, <u32>at);
  endsBegin();
  for (; out < stop && at < end; at += 16) {
    for (let ends = documentEnds(at); ends; ends &= ends - 1, out += 4) {
      store<u32>(out, <u32>(at + <usize>ctz<u32>(ends) + 1));
    }
  }
  for (; out < stop; out += 4) store<u32>(out, <u32>end);
}
