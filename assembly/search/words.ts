// Documents of words and of neighbouring words, by their posting lists in all segments. Words of the query
// itself are looked for in all fields of the search, derived ones only where typos are tolerated. Called by
// phrases.ts, items.ts, splits.ts, occurrences.ts, proximity.ts and leaders.ts.
import { bitmapAndNot, bitmapOr } from "../bitmap";
import { lists, numeric, starts } from "../env";
import { matchFields, matchNear, matchRange } from "../matching";
import { postingsCount, postingsIntoBitmap } from "../postings";
import { alloc, allocRecord, allocSum, arenaMark, arenaRelease } from "./arena";
import {
  bitmapWords,
  derivedFields,
  fieldCount,
  fieldFlags,
  isByAttribute,
  newBitmap,
  ownFields,
  segmentCount,
  skipsNumbers,
  tolerantFields,
  tombstonesOf,
} from "./context";
import { MISSING, Part, Ranges } from "./records";

/** Kinds of lists of a term. */
const POSTINGS: i32 = 0;
const POSITIONS: i32 = 1;
/** Kernels write so much behind what they decode. */
const DECODE_SLACK: usize = 1024;

/** Bitmaps of neighbours, newest first. */
@unmanaged
class Near {
  next: Near;
  a: Ranges;
  b: Ranges;
  most: i32;
  documents: usize;
}

let nears: usize = 0;

/** Forgets the neighbours of the search before. */
export function wordsBegin(): void {
  nears = 0;
}

export function partOf(ranges: Ranges, segment: i32): Part {
  const first = changetype<usize>(ranges) + offsetof<Ranges>();
  return changetype<Part>(first + <usize>segment * offsetof<Part>());
}

/** New words, without terms in any segment. */
export function newRanges(): Ranges {
  return changetype<Ranges>(allocRecord(offsetof<Ranges>() + <usize>segmentCount * offsetof<Part>()));
}

/** Documents of a word of the query: a bitmap that nobody writes to. */
export function wordDocuments(ranges: Ranges): usize {
  if (!ranges.documents) {
    ranges.documents = newBitmap();
    addDocuments(ranges.documents, ranges, false);
  }
  return ranges.documents;
}

/** Adds the documents of all words of some ranges, in the fields that count for them. */
export function addDocuments(target: usize, ranges: Ranges, isDerived: bool): void {
  addIn(target, ranges, isDerived ? derivedFields : ownFields, isDerived && skipsNumbers, 0);
}

/** The same for some fields (0: all); `among`: bitmap of documents, 0: all. */
function addIn(target: usize, ranges: Ranges, fields: usize, asksNumbers: bool, among: usize): void {
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(ranges, segment);
    if (part.from >= part.to) continue;
    loadPostings(part, segment);
    if (fields) loadPositions(part, segment);
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : target;
    if (!fields && !asksNumbers) {
      matchRange(part.postings, part.postingsStarts, part.to - part.from, own, bitmapWords);
    } else {
      for (let term: u32 = 0; term < part.to - part.from; term++) {
        if (asksNumbers && numeric(segment, part.from + term)) continue;
        if (fields) addFields(own, part, term, fields, among);
        else postingsIntoBitmap(termPostings(part, term), termPostingsBytes(part, term), own, bitmapWords);
      }
    }
    if (tombstones) uniteLiving(target, own, tombstones);
    arenaRelease(mark);
  }
}

/** Those documents of a word, of some, that hold it in one field: a new bitmap. */
export function wordDocumentsIn(ranges: Ranges, field: i32, among: usize): usize {
  const found = newBitmap();
  const bits = allocRecord((<usize>fieldCount >> 3) + 8);
  const bit = 1 << (field & 7);
  store<u8>(bits + (<usize>field >> 3), <u8>bit);
  addIn(found, ranges, bits, false, among);
  return found;
}

/** Documents of a term of a segment that holds it where typos are tolerated; deleted ones, too. */
export function tolerantDocuments(ranges: Ranges, segment: i32): usize {
  const found = newBitmap();
  const part = partOf(ranges, segment);
  loadPostings(part, segment);
  loadPositions(part, segment);
  addFields(found, part, 0, tolerantFields, 0);
  return found;
}

/**
 * Documents where word b follows word a at a distance of at most `most`, or, by attribute, where a field of
 * the search holds both: a bitmap that nobody writes to.
 */
export function nearDocuments(a: Ranges, b: Ranges, most: i32): usize {
  if (isByAttribute) most = 0;
  for (let near = changetype<Near>(nears); near; near = near.next) {
    if (near.most == most && areSame(a, b, near.a, near.b)) return near.documents;
  }
  const documents = newBitmap();
  const near = changetype<Near>(allocRecord(offsetof<Near>()));
  near.next = changetype<Near>(nears);
  near.a = a;
  near.b = b;
  near.most = most;
  near.documents = documents;
  nears = changetype<usize>(near);
  if (changetype<usize>(a) == MISSING || changetype<usize>(b) == MISSING) return documents;
  for (let segment = 0; segment < segmentCount; segment++) {
    const left = partOf(a, segment);
    const right = partOf(b, segment);
    if (left.from >= left.to || right.from >= right.to) continue;
    loadPart(left, segment);
    loadPart(right, segment);
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : documents;
    addNear(own, left, right, most);
    if (tombstones) uniteLiving(documents, own, tombstones);
    arenaRelease(mark);
  }
  return documents;
}

/** Number of documents of the one term of a part. */
export function partDocuments(part: Part, segment: i32): i32 {
  loadPostings(part, segment);
  return max(0, postingsCount(part.postings, termPostingsBytes(part, 0)));
}

export function loadPart(part: Part, segment: i32): void {
  loadPostings(part, segment);
  loadPositions(part, segment);
}

/** Bytes of the positions of all terms of a part. */
export function partPositionsBytes(part: Part): usize {
  const last = part.positionsStarts + ((<usize>(part.to - part.from)) << 2);
  return <usize>(load<u32>(last) - load<u32>(part.positionsStarts));
}

function loadPostings(part: Part, segment: i32): void {
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
 * Address of the lists of a part. `own`: room for the starts of one term: address and length come there, and
 * with 0 in place of the address they are its starts.
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

function termPostings(part: Part, term: u32): usize {
  const at = part.postingsStarts + ((<usize>term) << 2);
  return part.postings + <usize>(load<u32>(at) - load<u32>(part.postingsStarts));
}

function termPostingsBytes(part: Part, term: u32): i32 {
  const at = part.postingsStarts + ((<usize>term) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

function termPositions(part: Part, term: u32): usize {
  const at = part.positionsStarts + ((<usize>term) << 2);
  return part.positions + <usize>(load<u32>(at) - load<u32>(part.positionsStarts));
}

function termPositionsBytes(part: Part, term: u32): i32 {
  const at = part.positionsStarts + ((<usize>term) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

function addFields(bitmap: usize, part: Part, term: u32, fields: usize, among: usize): void {
  const list = termPostings(part, term);
  const length = termPostingsBytes(part, term);
  const mark = arenaMark();
  const room = alloc(((<usize>max(0, postingsCount(list, length))) << 2) + DECODE_SLACK);
  const positions = termPositions(part, term);
  const bytes = termPositionsBytes(part, term);
  matchFields(list, length, positions, bytes, fields, fieldCount, among, room, bitmap);
  arenaRelease(mark);
}

function addNear(bitmap: usize, a: Part, b: Part, most: i32): void {
  const left = termPostings(a, 0);
  const leftBytes = termPostingsBytes(a, 0);
  const right = termPostings(b, 0);
  const rightBytes = termPostingsBytes(b, 0);
  const documents = max(0, postingsCount(left, leftBytes)) + max(0, postingsCount(right, rightBytes));
  const keys = <u64>termPositionsBytes(a, 0) + <u64>termPositionsBytes(b, 0);
  const mark = arenaMark();
  const room = allocSum(12 * <u64>documents + 4 * <u64>keys + 2 * DECODE_SLACK);
  matchNear(
    left,
    leftBytes,
    termPositions(a, 0),
    termPositionsBytes(a, 0),
    right,
    rightBytes,
    termPositions(b, 0),
    termPositionsBytes(b, 0),
    most,
    isByAttribute ? fieldFlags : 0,
    fieldCount,
    room,
    bitmap,
  );
  arenaRelease(mark);
}

/** Adds what was found in a segment, without what was deleted there. */
export function uniteLiving(target: usize, own: usize, tombstones: usize): void {
  bitmapAndNot(own, tombstones, bitmapWords);
  bitmapOr(target, own, bitmapWords);
}

/** Do the words of both pairs meet in the same terms of the same segments? */
function areSame(a: Ranges, b: Ranges, otherA: Ranges, otherB: Ranges): bool {
  if (a == otherA && b == otherB) return true;
  if (isMissing(a) || isMissing(b) || isMissing(otherA) || isMissing(otherB)) return false;
  for (let segment = 0; segment < segmentCount; segment++) {
    const place = meeting(a, b, segment);
    if (place != meeting(otherA, otherB, segment)) return false;
  }
  return true;
}

function isMissing(ranges: Ranges): bool {
  return changetype<usize>(ranges) == MISSING;
}

/** Both terms of a segment as one number, or the largest one where one is missing. */
function meeting(a: Ranges, b: Ranges, segment: i32): u64 {
  const left = partOf(a, segment);
  const right = partOf(b, segment);
  if (left.from >= left.to || right.from >= right.to) return u64.MAX_VALUE;
  return ((<u64>left.from) << 32) | <u64>right.from;
}
