// Walks through the occurrences of terms in the documents of one ranking bucket. A rule visits every term
// that a part of the query stands for; each visit leaves a result per document: a smaller cost, keys, fields.
// Called by search/occurrences.ts; formats: postings.ts and occurrences.ts.
//
//   rankingBegin   ( rankingInto   rankingVisit... )...   rankingEnd
//
// The documents of the bucket are a list of ascending docids; results are arrays by the index in that list.
import { bitmapHas } from "./bitmap";
import { DOCUMENT_STARTS_BYTES, documentStarts } from "./document-ends";
import { FIELD_SHIFT, LAST, occurrencesSkip, STEP } from "./occurrences";
import {
  postingsBlock,
  postingsBlocks,
  postingsCount,
  postingsPositions,
  postingsSeek,
  postingsUpTo,
} from "./postings";
import { behind, bucket, bucketCount, indexOf, isMarked, isRun, lastDocid } from "./ranking-bucket";
import { LONG_BITS, varintEnd, varintOfTwo, varintRead } from "./varint";

const DAMAGED: i32 = -1;
/** Docids of one block. */
const DOCIDS: usize = memory.data(576, 16);

/** Place in the block; below, index in the bucket, of the documents to visit. */
const CHOSEN: usize = memory.data(1040, 16);
/** Where the occurrences of each document of the block begin. */
const STARTS: usize = memory.data(DOCUMENT_STARTS_BYTES, 16);
/** Lists of up to this many documents are read gap by gap; longer ones block by block. */
const SHORT_MAX: i32 = 32;
/**
 * Starts of a block are found together when more than DENSE_MIN documents, and at least one in this many, are
 * visited.
 */
const DENSE_RATIO: i32 = 16;
const DENSE_MIN: i32 = 8;
/**
 * The bucket's documents are looked up in a block when that has at least this many times as many; otherwise
 * the other way round.
 */
const SPARSE_RATIO: i32 = 8;

/** Results of a visit: see rankingInto. */
export const INTO_FIELD_COSTS: i32 = 0;
export const INTO_POSITION_COSTS: i32 = 1;
export const INTO_SPANS: i32 = 2;
export const INTO_CHAINS: i32 = 3;
export const INTO_PLACES: i32 = 4;

let mode: i32 = 0;
let target: usize = 0;
let table: usize = 0;
let tableCount: u32 = 0;
let room: usize = 0;
let roomEnd: usize = 0;

/**
 * What the next visits leave at `out`, per document:
 *   0  u16 cost, lowered to the smallest of `values` (u16 per field number, `count` of them, and as many
 *      more: the smallest from this field on)
 *   1  u16 cost, lowered to the smallest of `values` (u16 per place of a position, see placeOf)
 *   2  two u32: start and end of the document's keys, which go to `space`. For one term only
 *   3  u32: newest of the chained keys of all terms, which go to `space` as pairs of u32 key and u32 next
 *   4  u32: bits of the fields from number `values` on; 0 when no occurrence has the place `count`
 * `space` has room for `spaceBytes`.
 */
export function rankingInto(
  into: i32,
  out: usize,
  values: usize,
  count: i32,
  space: usize,
  spaceBytes: i32,
): void {
  mode = into;
  target = out;
  table = values;
  tableCount = count;
  room = space;
  roomEnd = space + <usize>spaceBytes;
}

/** Address after the data that the visits have written to `space`. */
export function rankingSpaceEnd(): usize {
  return room;
}

/**
 * Visits `count` terms whose posting lists, and whose positions, are stored one after another. `starts` and
 * `positionStarts`: count + 1 u32 offsets, the first of which belongs to `lists` or `positions`. Documents in
 * the bitmap `tombstones` and those not in the bitmap `filter` are left out; either bitmap is 0 or has
 * `words` words. Returns 0, -1 when a list is damaged.
 */
export function rankingVisit(
  lists: usize,
  starts: usize,
  positions: usize,
  positionStarts: usize,
  count: i32,
  tombstones: usize,
  filter: usize,
  words: i32,
): i32 {
  const base = load<u32>(starts);
  const positionsBase = load<u32>(positionStarts);
  for (let i = 0; i < count; i++, starts += 4, positionStarts += 4) {
    const start = load<u32>(starts);
    const positionsStart = load<u32>(positionStarts);
    const list = lists + <usize>(start - base);
    const length = <i32>(load<u32>(starts, 4) - start);
    const at = positions + <usize>(positionsStart - positionsBase);
    const end = at + <usize>(load<u32>(positionStarts, 4) - positionsStart);
    const documents = postingsCount(list, length);
    if (documents < 0) return DAMAGED;
    if (documents <= SHORT_MAX) visitShort(varintEnd, documents, at, end, tombstones, filter, words);
    else if (visitTerm(list, length, at, end, tombstones, filter, words) < 0) return DAMAGED;
  }
  return 0;
}

/** Visits a list without blocks: its gaps begin at `gap`. */
function visitShort(
  gap: usize,
  documents: i32,
  at: usize,
  end: usize,
  tombstones: usize,
  filter: usize,
  words: i32,
): void {
  const last = lastDocid();
  let docid: u32 = u32.MAX_VALUE;
  let passed = 0;
  for (let i = 0; i < documents; i++) {
    let value: u32 = load<u16>(gap);
    if ((value & LONG_BITS) == LONG_BITS) {
      value = varintRead(gap);
      gap = varintEnd;
    } else {
      const more = (value >> 7) & 1;
      value = varintOfTwo(value, more);
      gap += 1 + <usize>more;
    }
    docid += value + 1;
    if (docid > last) return;
    if (!isMarked(docid) || !counts(docid, tombstones, filter, words)) {
      passed++;
      continue;
    }
    if (passed) at = occurrencesSkip(at, end, passed);
    passed = 0;
    at = visitDocument(at, end, indexOf(docid), false);
  }
}

function visitTerm(
  list: usize,
  length: i32,
  positions: usize,
  end: usize,
  tombstones: usize,
  filter: usize,
  words: i32,
): i32 {
  const blocks = postingsBlocks(postingsCount(list, length));
  let next = 0;
  for (let block = 0; next < bucketCount; block++) {
    if (blocks > 0) block = postingsSeek(list, length, block, load<u32>(bucket + ((<usize>next) << 2)));
    const found = blocks
      ? postingsBlock(list, length, block, DOCIDS)
      : postingsUpTo(list, length, lastDocid(), DOCIDS);
    // None left: either all documents of the list come after the bucket, or all its blocks are done.
    if (found <= 0) return found;
    const at = min(positions + <usize>postingsPositions(list, block), end);
    const after = behind(next, load<u32>(DOCIDS + ((<usize>(found - 1)) << 2)));
    let chosen = found;
    if (after - next == found && !(tombstones | filter) && isRun(DOCIDS, next, found)) chooseAll(next, found);
    else if ((after - next) * SPARSE_RATIO < found) {
      chosen = seekDocuments(next, after, found, tombstones, filter, words);
    } else chosen = chooseDocuments(found, tombstones, filter, words);
    if (chosen) visitBlock(chosen, found, at, end);
    if (block >= blocks) break;
    next = after;
  }
  return 0;
}

/** Visits the chosen ones among the `found` documents of a block. */
function visitBlock(chosen: i32, found: i32, at: usize, end: usize): void {
  if (chosen * DENSE_RATIO >= found && found > DENSE_MIN) {
    documentStarts(at, end, found, STARTS);
    if (mode == INTO_FIELD_COSTS) lowerAllByField(chosen, end);
    else if (mode == INTO_POSITION_COSTS) lowerAllByPosition(chosen, end);
    else {
      for (let i: usize = 0; i < <usize>chosen; i++) {
        visitDocument(startOf(i), end, <usize>load<u32>(CHOSEN + (i << 3), 4), true);
      }
    }
    return;
  }
  let next: u32 = 0;
  for (let i: usize = 0; i < <usize>chosen; i++) {
    const place = load<u32>(CHOSEN + (i << 3));
    if (place > next) at = occurrencesSkip(at, end, place - next);
    at = visitDocument(at, end, <usize>load<u32>(CHOSEN + (i << 3), 4), false);
    next = place + 1;
  }
}

/** Where the occurrences of chosen document `i` begin, in a block whose starts have been found. */
function startOf(i: usize): usize {
  return <usize>load<u32>(STARTS + ((<usize>load<u32>(CHOSEN + (i << 3))) << 2));
}

/** lowerByField for all chosen documents: in most of them the first occurrence decides. */
function lowerAllByField(chosen: i32, end: usize): void {
  const costs = target;
  const values = table;
  const count = tableCount;
  const minima = values + ((<usize>count) << 1);
  for (let i: usize = 0; i < <usize>chosen; i++) {
    const start = startOf(i);
    const out = costs + ((<usize>load<u32>(CHOSEN + (i << 3), 4)) << 1);
    const first: u32 = load<u8>(start);
    const field: u32 = first & STEP ? first >> 2 : 0;
    if ((first < 128 || !(first & STEP)) && field < count) {
      const cost: u32 = load<u16>(values + ((<usize>field) << 1));
      if (cost <= <u32>load<u16>(minima + ((<usize>field) << 1))) {
        store<u16>(out, min(cost, <u32>load<u16>(out)));
        continue;
      }
    }
    lowerByField(start, end, out, true);
  }
}

/** lowerByPosition for all chosen documents: most have a single occurrence. */
function lowerAllByPosition(chosen: i32, end: usize): void {
  const costs = target;
  const values = table;
  for (let i: usize = 0; i < <usize>chosen; i++) {
    const start = startOf(i);
    const out = costs + ((<usize>load<u32>(CHOSEN + (i << 3), 4)) << 1);
    let only: u32 = load<u8>(start);
    if ((only & (128 | STEP)) == STEP) only = load<u8>(start, 1);
    if ((only & (128 | STEP | LAST)) == LAST) {
      const cost: u32 = load<u16>(values + ((<usize>placeOf(only >> 2)) << 1));
      store<u16>(out, min(cost, <u32>load<u16>(out)));
    } else lowerByPosition(start, end, out);
  }
}

/** Writes the place in the block and the index of each document of the bucket to CHOSEN; returns how many. */
function chooseDocuments(found: i32, tombstones: usize, filter: usize, words: i32): i32 {
  let out = CHOSEN;
  // First the places, without a branch; then the indexes of those that stay.
  for (let place = 0; place < found; place++) {
    const docid = load<u32>(DOCIDS + ((<usize>place) << 2));
    store<u32>(out, place);
    store<u32>(out, docid, 4);
    out += <usize>isMarked(docid) << 3;
  }
  const end = out;
  out = CHOSEN;
  for (let at = CHOSEN; at < end; at += 8) {
    const docid = load<u32>(at, 4);
    if ((tombstones | filter) != 0 && !counts(docid, tombstones, filter, words)) continue;
    store<u32>(out, load<u32>(at));
    store<u32>(out, <u32>indexOf(docid), 4);
    out += 8;
  }
  return <i32>((out - CHOSEN) >> 3);
}

/** Like chooseDocuments, for a block whose documents are all in the bucket. */
function chooseAll(next: i32, found: i32): void {
  for (let place: usize = 0; place < <usize>found; place++) {
    store<u32>(CHOSEN + (place << 3), <u32>place);
    store<u32>(CHOSEN + (place << 3), <u32>next + <u32>place, 4);
  }
}

/** Like chooseDocuments, when few documents of the bucket can be in the block: those from `next` on. */
function seekDocuments(
  next: i32,
  after: i32,
  found: i32,
  tombstones: usize,
  filter: usize,
  words: i32,
): i32 {
  let out = CHOSEN;
  let low = DOCIDS;
  const last = DOCIDS + ((<usize>(found - 1)) << 2);
  for (; next < after; next++) {
    const docid = load<u32>(bucket + ((<usize>next) << 2));
    for (let high = last; low < high; ) {
      const middle = low + (((high - low) >> 3) << 2);
      if (load<u32>(middle) < docid) low = middle + 4;
      else high = middle;
    }
    if (load<u32>(low) != docid || !counts(docid, tombstones, filter, words)) continue;
    store<u32>(out, <u32>((low - DOCIDS) >> 2));
    store<u32>(out, next, 4);
    out += 8;
  }
  return <i32>((out - CHOSEN) >> 3);
}

function counts(docid: u32, tombstones: usize, filter: usize, words: i32): bool {
  if (tombstones && bitmapHas(tombstones, words, docid)) return false;
  return !filter || bitmapHas(filter, words, docid) != 0;
}

/**
 * Reads the occurrences at `at` for document `index` of the bucket; returns the address after them, or an
 * earlier one when `brief`: then reading may stop as soon as the result cannot change.
 */
function visitDocument(at: usize, end: usize, index: usize, brief: bool): usize {
  if (mode == INTO_FIELD_COSTS) return lowerByField(at, end, target + (index << 1), brief);
  if (mode == INTO_POSITION_COSTS) return lowerByPosition(at, end, target + (index << 1));
  if (mode == INTO_PLACES) return findPlaces(at, end, target + (index << 2));
  if (mode == INTO_SPANS) return collectKeys(at, end, target + (index << 3), false);
  return collectKeys(at, end, target + (index << 2), true);
}

function lowerByField(at: usize, end: usize, out: usize, brief: bool): usize {
  let best: u32 = load<u16>(out);
  let field: u32 = 0;
  let known: u32 = u32.MAX_VALUE;
  const minima = table + ((<usize>tableCount) << 1);
  while (at < end) {
    let value: u32 = load<u16>(at);
    if ((value & LONG_BITS) == LONG_BITS) {
      value = varintRead(at);
      at = varintEnd;
    } else {
      const more = (value >> 7) & 1;
      value = varintOfTwo(value, more);
      at += 1 + <usize>more;
    }
    if (value & STEP) {
      field += value >> 2;
      continue;
    }
    if (field != known && field < tableCount) {
      best = min(best, <u32>load<u16>(table + ((<usize>field) << 1)));
      if (brief && best <= <u32>load<u16>(minima + ((<usize>field) << 1))) break;
    }
    known = field;
    if (value & LAST) break;
  }
  store<u16>(out, best);
  return at;
}

function lowerByPosition(at: usize, end: usize, out: usize): usize {
  let best: u32 = load<u16>(out);
  let position: u32 = 0;
  while (at < end) {
    let value: u32 = load<u16>(at);
    if ((value & LONG_BITS) == LONG_BITS) {
      value = varintRead(at);
      at = varintEnd;
    } else {
      const more = (value >> 7) & 1;
      value = varintOfTwo(value, more);
      at += 1 + <usize>more;
    }
    if (value & STEP) {
      position = 0;
      continue;
    }
    position += value >> 2;
    best = min(best, <u32>load<u16>(table + ((<usize>placeOf(position)) << 1)));
    if (value & LAST) break;
  }
  store<u16>(out, best);
  return at;
}

/**
 * Places 0 to 28 of positions: 0 to 15 are the positions themselves, 16 stands for 16 to 23, and then there
 * is one place up to each power of two from 32 on.
 */
export function placeOf(position: u32): u32 {
  if (position < 16) return position;
  return position < 24 ? 16 : 44 - clz<u32>(position - 1);
}

/** Number of places. */
export const PLACES_LEN: u32 = 29;

/** The largest position of a place, which stands for the whole place. */
export function positionOfPlace(place: u32): u32 {
  if (place < 16) return place;
  return place == 16 ? 24 : min<u32>(1 << (place - 12), 65535);
}

function findPlaces(at: usize, end: usize, out: usize): usize {
  let field: u32 = 0;
  let position: u32 = 0;
  let fields: u32 = 0;
  let placed = false;
  while (at < end) {
    const value = varintRead(at);
    at = varintEnd;
    if (value & STEP) {
      field += value >> 2;
      position = 0;
      continue;
    }
    position += value >> 2;
    const bit = field - <u32>table;
    if (bit < 32) fields |= 1 << bit;
    if (placeOf(position) == tableCount) placed = true;
    if (value & LAST) break;
  }
  store<u32>(out, placed ? fields : 0);
  return at;
}

/**
 * Collects the keys of a document: one after another as the span at `out`, or each linked to the previous
 * one, with the newest at `out`. There is a copy of this loop for either kind: deciding inside it would cost
 * a twentieth of the search for frequent pairs.
 */
@inline
function collectKeys(at: usize, end: usize, out: usize, isChain: bool): usize {
  let next = room;
  let newest: u32 = isChain ? load<u32>(out) : 0;
  let key: u32 = 0;
  if (!isChain) store<u32>(out, <u32>next);
  while (at < end) {
    let value: u32 = load<u16>(at);
    if ((value & LONG_BITS) == LONG_BITS) {
      value = varintRead(at);
      at = varintEnd;
    } else {
      const more = (value >> 7) & 1;
      value = varintOfTwo(value, more);
      at += 1 + <usize>more;
    }
    if (value & STEP) {
      key = ((key >> FIELD_SHIFT) + (value >> 2)) << FIELD_SHIFT;
      continue;
    }
    key += value >> 2;
    if (next + 8 <= roomEnd) {
      store<u32>(next, key);
      if (isChain) {
        store<u32>(next, newest, 4);
        newest = <u32>next;
      }
      next += isChain ? 8 : 4;
    }
    if (value & LAST) break;
  }
  if (isChain) store<u32>(out, newest);
  else store<u32>(out, <u32>next, 4);
  room = next;
  return at;
}
