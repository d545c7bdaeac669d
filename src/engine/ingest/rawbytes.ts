// Bytes of the live documents in some segments. Used for every new state: batchdocuments.ts, mergecommit.ts.
import type { SegmentEntry } from "../../segment/manifeststate.ts";

/** Before compression. Deleted documents are assumed to be as large as the others of their segment. */
export function rawBytesOf(segments: readonly SegmentEntry[]): number {
  return segments.reduce((sum, { documents, rawDocumentBytes, tombstones }) => {
    return sum + Math.round(rawDocumentBytes * (1 - (tombstones?.count ?? 0) / documents));
  }, 0);
}
