// What a merge of posting lists and positions reads (exports/postings.ts). Formats: assembly/postings.ts and
// assembly/occurrences.ts; merges: assembly/postings-merge.ts.
import type { Core } from "./core.ts";

/** One term of one segment, as `postingsMerge` reads it. All members except lengths are addresses. */
export interface MergeSource {
  list: number;
  length: number;
  positions: number;
  positionsLength: number;
  /** Bitmap of deleted docids, or 0. */
  tombstones: number;
  /** Docids from here on are live. */
  tombstoneBits: number;
}

export const MERGE_SOURCE_BYTES = 24;
export const MERGE_RESULT_BYTES = 12;

/** Writes source number `index` of a merge into the array at `sources`. */
export function writeMergeSource(core: Core, sources: number, index: number, source: MergeSource): void {
  const at = (sources + index * MERGE_SOURCE_BYTES) >>> 2;
  core.u32[at] = source.list;
  core.u32[at + 1] = source.length;
  core.u32[at + 2] = source.positions;
  core.u32[at + 3] = source.positionsLength;
  core.u32[at + 4] = source.tombstones;
  core.u32[at + 5] = source.tombstoneBits;
}
