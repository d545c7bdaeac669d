// Documents of words, by their posting lists in all segments. Words of the query itself are looked for in all
// fields of the search, derived ones only where typos are tolerated. Called by phrases.ts, items.ts,
// forms.ts, proximity.ts, leaders.ts and the host.
import { numeric } from "../env";
import { matchFields, matchFieldsBegin } from "../field-matching";
import { matchRange } from "../matching";
import { postingsIntoBitmap } from "../postings";
import { arenaMark, arenaRelease } from "./arena";
import { newBitmap, uniteLiving } from "./bitmaps";
import { bitmapWords, segmentCount, tombstonesOf } from "./context";
import { derivedFields, fieldCount, ownFields, skipsNumbers, tolerantFields } from "./fields";
import {
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

/** Adds those documents of the bitmap `among` that have some of the words in one of some fields. */
export function addDocumentsIn(target: usize, ranges: Ranges, fields: usize, among: usize): void {
  addIn(target, ranges, fields, false, among);
}

/** Documents of a term of a segment that holds it where typos are tolerated; deleted ones, too. */
export function tolerantDocuments(ranges: Ranges, segment: i32): usize {
  const found = newBitmap();
  const part = partOf(ranges, segment);
  loadPart(part, segment);
  matchFieldsBegin(tolerantFields, fieldCount);
  addFields(found, part, 0, 0);
  return found;
}

/** `fields`: bits of those that count, 0: all. `among`: bitmap of the documents that count, 0: all. */
function addIn(target: usize, ranges: Ranges, fields: usize, asksNumbers: bool, among: usize): void {
  if (fields) matchFieldsBegin(fields, fieldCount);
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
        if (fields) addFields(own, part, term, among);
        else postingsIntoBitmap(termPostings(part, term), termPostingsBytes(part, term), own, bitmapWords);
      }
    }
    if (tombstones) uniteLiving(target, own, tombstones);
    arenaRelease(mark);
  }
}

function addFields(bitmap: usize, part: Part, term: u32, among: usize): void {
  matchFields(
    termPostings(part, term),
    termPostingsBytes(part, term),
    termPositions(part, term),
    termPositionsBytes(part, term),
    among,
    bitmap,
    bitmapWords,
  );
}
