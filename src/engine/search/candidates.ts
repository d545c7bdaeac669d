// The part of a set of documents that lies in one segment. Called by sorts (valueorder.ts, geosort.ts) and
// facets (../facets/counts.ts).
import { firstAtLeast } from "../../core/ascending.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment } from "../reader.ts";
import { Documents } from "./documents.ts";

/** The documents of a set that may be live ones of a segment. */
export function candidatesOf(bitmaps: Bitmaps, open: OpenSegment, documents: Documents): Documents {
  const { segment, tombstones } = open;
  if (!tombstones && bitmaps.reader.segments.length === 1) return documents;
  if (documents.isShortList) return listedCandidates(bitmaps, open, documents);
  const { core, scratch } = bitmaps.reader.share;
  const living = livingOf(bitmaps, open, documents);
  const { firstDocid, lastDocid } = segment.meta;
  const most = Math.min(documents.count, lastDocid - firstDocid + 1);
  const docids = scratch.alloc(4 * most + 16);
  const count = core.exports.bitmapToList(living, bitmaps.words, firstDocid, docids, most);
  return Documents.ofList(bitmaps, docids, count);
}

/** Bitmap of a set of documents without those deleted in a segment; must not be written to. */
export function livingOf(bitmaps: Bitmaps, { tombstones }: OpenSegment, documents: Documents): number {
  if (!tombstones) return documents.bitmap;
  const living = bitmaps.create(documents.bitmap);
  bitmaps.andNot(living, tombstones);
  return living;
}

/** The same for few documents, without a bitmap of the whole index. */
function listedCandidates(bitmaps: Bitmaps, open: OpenSegment, documents: Documents): Documents {
  const { firstDocid, lastDocid } = open.segment.meta;
  const { docids, list } = documents;
  const from = firstAtLeast(docids, firstDocid);
  const to = firstAtLeast(docids, lastDocid + 1);
  if (!open.tombstones || from === to) return Documents.ofList(bitmaps, list + 4 * from, to - from);
  const living = docids.subarray(from, to).filter((docid) => bitmaps.reader.livesIn(open, docid));
  return Documents.ofDocids(bitmaps, living);
}
