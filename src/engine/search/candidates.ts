// The part of a set of documents that lies in one segment. Called by what reads columns: sorts
// (valueorder.ts) and facets (../facets/counts.ts).
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import type { Documents } from "./documents.ts";

/** Those of some documents that may live in a segment, ascending. */
export function candidatesOf(
  bitmaps: Bitmaps,
  open: OpenSegment,
  documents: Documents,
): { docids: number; count: number } {
  const { segment, tombstones } = open;
  if (!tombstones && bitmaps.reader.segments.length === 1)
    return { docids: documents.list, count: documents.count };
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
