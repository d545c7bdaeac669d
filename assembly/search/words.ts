// Finds the documents of words, by their posting lists in all segments. Words of the query itself are
// searched in all fields of the search, derived ones only where typos are tolerated. Used throughout this
// folder.
import { numeric } from "../env";
import { matchFields, matchFieldsBegin } from "../field-matching";
import { postingsIntoBitmap, postingsUnite } from "../postings";
import { arenaMark, arenaRelease } from "./arena";
import { copyBitmap, newBitmap, uniteLiving } from "./bitmaps";
import { bitmapWords, segmentCount, tombstonesOf } from "./context";
import { derivedFields, fieldCount, ownFields, skipsNumbers, tolerantFields } from "./fields";
import { isFrequent, keepDocuments, keptDocuments } from "./kept-words";
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

/** Documents of a word of the query; the bitmap must not be written to. */
export function wordDocuments(ranges: Ranges): usize {
  if (!ranges.documents) ranges.documents = ownFields ? findWord(ranges) : keptOrFound(ranges);
  return ranges.documents;
}

function keptOrFound(word: Ranges): usize {
  const kept = keptDocuments(word);
  if (kept) return kept;
  const found = findWord(word);
  if (isFrequent(word)) keepDocuments(word, found);
  return found;
}

function findWord(word: Ranges): usize {
  const documents = newBitmap();
  addDocuments(documents, word, false);
  return documents;
}

/** Adds the documents of all words in some ranges, in the fields that count for them. */
export function addDocuments(target: usize, ranges: Ranges, isDerived: bool): void {
  const fields = isDerived ? derivedFields : ownFields;
  addIn(target, ranges, fields, isDerived && skipsNumbers, 0, changetype<Ranges>(0));
}

/**
 * A new bitmap of the documents of a word of the query and of words that begin with it (`prefix` covers
 * both).
 */
export function prefixDocuments(word: Ranges, prefix: Ranges): usize {
  const documents = copyBitmap(wordDocuments(word));
  addIn(documents, prefix, ownFields, false, 0, word);
  return documents;
}

/** Adds those documents of the bitmap `among` that contain one of the words in one of some fields. */
export function addDocumentsIn(target: usize, ranges: Ranges, fields: usize, among: usize): void {
  addIn(target, ranges, fields, false, among, changetype<Ranges>(0));
}

/** Documents that contain a term of a segment at a place where typos are tolerated, deleted ones included. */
export function tolerantDocuments(ranges: Ranges, segment: i32): usize {
  const found = newBitmap();
  const part = partOf(ranges, segment);
  loadPart(part, segment);
  matchFieldsBegin(tolerantFields, fieldCount);
  addFields(found, part, 0, 0);
  return found;
}

/**
 * `fields`: bits of the fields that count, 0: all. `among`: bitmap of the documents that count, 0: all.
 * `without`: a word that is left out where it is the first one of the ranges, or null.
 */
function addIn(
  target: usize,
  ranges: Ranges,
  fields: usize,
  asksNumbers: bool,
  among: usize,
  without: Ranges,
): void {
  if (fields) matchFieldsBegin(fields, fieldCount);
  for (let segment = 0; segment < segmentCount; segment++) {
    const part = partOf(ranges, segment);
    if (part.from >= part.to) continue;
    if (fields) loadPart(part, segment);
    else loadPostings(part, segment);
    const tombstones = tombstonesOf(segment);
    const mark = arenaMark();
    const own = tombstones ? newBitmap() : target;
    const first = without && partOf(without, segment).to == part.from + 1 ? 1 : 0;
    if (!fields && !asksNumbers) {
      const starts = part.postingsStarts + ((<usize>first) << 2);
      postingsUnite(termPostings(part, first), starts, part.to - part.from - first, own, bitmapWords);
    } else {
      for (let term: u32 = first; term < part.to - part.from; term++) {
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
