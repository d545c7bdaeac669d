// Documents of words, by their posting lists in all segments. Words of the query itself are looked for in all
// fields of the search, derived ones only where typos are tolerated. Called by phrases.ts, items.ts,
// forms.ts, proximity.ts, leaders.ts and the host.
import { numeric } from "../env";
import { matchFields, matchRange } from "../matching";
import { postingsCount, postingsIntoBitmap } from "../postings";
import { alloc, allocRecord, arenaMark, arenaRelease } from "./arena";
import { newBitmap, uniteLiving } from "./bitmaps";
import { bitmapWords, segmentCount, tombstonesOf } from "./context";
import { derivedFields, fieldCount, ownFields, skipsNumbers, tolerantFields } from "./fields";
import {
  DECODE_SLACK,
  loadPart,
  loadPostings,
  partOf,
  termPositions,
  termPositionsBytes,
  termPostings,
  termPostingsBytes,
} from "./parts";
import { Part, Ranges } from "./records";

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

/** Those documents of a word, of some, that hold it in one field: a new bitmap. */
export function wordDocumentsIn(ranges: Ranges, field: i32, among: usize): usize {
  const found = newBitmap();
  const bits = allocRecord(((<usize>fieldCount) >> 3) + 8);
  const bit = 1 << (field & 7);
  store<u8>(bits + ((<usize>field) >> 3), <u8>bit);
  addIn(found, ranges, bits, false, among);
  return found;
}

/** Documents of a term of a segment that holds it where typos are tolerated; deleted ones, too. */
export function tolerantDocuments(ranges: Ranges, segment: i32): usize {
  const found = newBitmap();
  const part = partOf(ranges, segment);
  loadPart(part, segment);
  addFields(found, part, 0, tolerantFields, 0);
  return found;
}

/** `fields`: bits of those that count, 0: all. `among`: bitmap of the documents that count, 0: all. */
function addIn(target: usize, ranges: Ranges, fields: usize, asksNumbers: bool, among: usize): void {
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(ranges, segment);
    if (part.from >= part.to) continue;
    if (fields) loadPart(part, segment);
    else loadPostings(part, segment);
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
