// The part of a set of documents that lies in one segment. Called by what reads columns: sorts
// (valueorder.ts) and facets (../facets/counts.ts).
import { firstAtLeast } from "../../core/ascending.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { Documents } from "./documents.ts";

/** Ascending docids: their address, and how many they are. */
interface DocidList {
  docids: number;
  count: number;
}

/** Those of some documents that may live in a segment. */
export function candidatesOf(bitmaps: Bitmaps, open: OpenSegment, documents: Documents): DocidList {
  const { segment, tombstones } = open;
  if (!tombstones && bitmaps.reader.segments.length === 1)
    return { docids: documents.list, count: documents.count };
  if (documents.isShortList) return listedCandidates(bitmaps, open, documents);
  const { core, scratch } = bitmaps.reader.share;
  const living = livingOf(bitmaps, open, documents);
  const { firstDocid, lastDocid } = segment.meta;
  const most = Math.min(documents.count, lastDocid - firstDocid + 1);
  const docids = scratch.alloc(4 * most + 16);
  const count = core.exports.bitmapToList(living, bitmaps.words, firstDocid, docids, most);
  return { docids, count };
}

/** Bitmap of documents without those that are deleted in a segment, not to be written to. */
export function livingOf(bitmaps: Bitmaps, { tombstones }: OpenSegment, documents: Documents): number {
  if (!tombstones) return documents.bitmap;
  const living = bitmaps.create(documents.bitmap);
  bitmaps.andNot(living, tombstones);
  return living;
}

/** The same, of few documents, without a bitmap of the whole index. */
function listedCandidates(bitmaps: Bitmaps, open: OpenSegment, documents: Documents): DocidList {
  const { firstDocid, lastDocid } = open.segment.meta;
  const { docids, list } = documents;
  const from = firstAtLeast(docids, firstDocid);
  const to = firstAtLeast(docids, lastDocid + 1);
  if (!open.tombstones || from === to) return { docids: list + 4 * from, count: to - from };
  const living = docids.subarray(from, to).filter((docid) => bitmaps.reader.livesIn(open, docid));
  return { docids: Documents.ofDocids(bitmaps, living).list, count: living.length };
}
