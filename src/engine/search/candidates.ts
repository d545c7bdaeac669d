// The part of a set of documents that lies in one segment. Called by what reads columns: sorts
// (columnsort.ts) and facets (../facets/counts.ts).
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "./bitmaps.ts";
import type { Documents } from "./documents.ts";

/** Those of some documents that may live in a segment, ascending. */
export function candidatesOf(
  bitmaps: Bitmaps,
  { segment, tombstones }: OpenSegment,
  documents: Documents,
): { docids: number; count: number } {
  if (!tombstones && bitmaps.reader.segments.length === 1)
    return { docids: documents.list, count: documents.count };
  const { core, scratch } = bitmaps.reader.share;
  const { exports } = core;
  const own = bitmaps.create(documents.bitmap);
  if (tombstones) exports.bitmapAndNot(own, tombstones, bitmaps.words);
  const { firstDocid, lastDocid } = segment.meta;
  const most = Math.min(documents.count, lastDocid - firstDocid + 1);
  const docids = scratch.alloc(4 * most + 16);
  const count = exports.bitmapToList(own, bitmaps.words, firstDocid, docids, most);
  return { docids, count };
}
