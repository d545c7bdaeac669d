// The lists of the terms of a word in one segment: read from the file when first needed, then remembered in
// the word's part for that segment. Used throughout this folder.
import { lists, starts } from "../env";
import { postingsCount } from "../postings";
import { alloc, allocRecord } from "./arena";
import { segmentCount } from "./context";
import { Part, Ranges } from "./records";

/** Kinds of lists of a term. */
export const POSTINGS: i32 = 0;
const POSITIONS: i32 = 1;

export function partOf(ranges: Ranges, segment: i32): Part {
  const first = changetype<usize>(ranges) + offsetof<Ranges>();
  return changetype<Part>(first + <usize>segment * offsetof<Part>());
}

/** A new word without terms in any segment. */
export function newRanges(): Ranges {
  return changetype<Ranges>(allocRecord(offsetof<Ranges>() + <usize>segmentCount * offsetof<Part>()));
}

/** Number of documents of the only term of a part. */
export function partDocuments(part: Part, segment: i32): i32 {
  loadPostings(part, segment);
  return max(0, postingsCount(part.postings, termPostingsBytes(part, 0)));
}

export function loadPart(part: Part, segment: i32): void {
  loadPostings(part, segment);
  loadPositions(part, segment);
}

export function loadPostings(part: Part, segment: i32): void {
  if (part.postingsStarts) return;
  const own = changetype<usize>(part) + offsetof<Part>("own0");
  part.postings = loadLists(part, segment, POSTINGS, own);
  part.postingsStarts = startsFound;
}

function loadPositions(part: Part, segment: i32): void {
  if (part.positionsStarts) return;
  const own = changetype<usize>(part) + offsetof<Part>("own2");
  part.positions = loadLists(part, segment, POSITIONS, own);
  part.positionsStarts = startsFound;
}

/** Second result of loadLists. */
let startsFound: usize = 0;

/**
 * Address of the lists of a part. `own`: room for the starts of a single term: its address and length are
 * written there, and with the address replaced by 0 they are its starts.
 */
function loadLists(part: Part, segment: i32, kind: i32, own: usize): usize {
  lists(segment, kind, part.from, part.to, own);
  const pointer = load<u32>(own);
  store<u32>(own, 0);
  startsFound = own;
  if (part.to - part.from == 1) return pointer;
  const all = alloc((<usize>(part.to - part.from + 1)) << 2);
  starts(segment, kind, part.from, part.to, all);
  startsFound = all;
  return pointer;
}

/** Bytes of the positions of all terms of a part. */
export function partPositionsBytes(part: Part): usize {
  const last = part.positionsStarts + ((<usize>(part.to - part.from)) << 2);
  return <usize>(load<u32>(last) - load<u32>(part.positionsStarts));
}

export function termPostings(part: Part, term: u32): usize {
  const at = part.postingsStarts + ((<usize>term) << 2);
  return part.postings + <usize>(load<u32>(at) - load<u32>(part.postingsStarts));
}

export function termPostingsBytes(part: Part, term: u32): i32 {
  const at = part.postingsStarts + ((<usize>term) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

export function termPositions(part: Part, term: u32): usize {
  const at = part.positionsStarts + ((<usize>term) << 2);
  return part.positions + <usize>(load<u32>(at) - load<u32>(part.positionsStarts));
}

export function termPositionsBytes(part: Part, term: u32): i32 {
  const at = part.positionsStarts + ((<usize>term) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}
