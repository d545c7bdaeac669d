// Which segments of an index are worth merging: tiers of size, so that each document is rewritten a bounded number of times,
// and segments that are mostly deleted. Called by writer.ts after each commit.
import type { SegmentEntry } from "../../segment/manifeststate.ts";

/** A tier holds segments up to this many times larger than the one before. */
const TIER_FACTOR = 8;
const TIER_FIRST_BYTES = 64 * 1024;
/** So many segments of one tier are merged. */
const TIER_SEGMENTS_MAX = 4;
/** More than this are never merged at once. */
const MERGE_SEGMENTS_MAX = 10;
/** A larger segment is never merged with others. */
const SEGMENT_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** A segment is rewritten when this part of it is deleted. */
const DELETED_PART_MAX = 0.4;

/** Segments to merge into one, or null when all is well. Segments under other settings are never mixed. */
export function planMerge(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const eligible = segments.filter(({ bytes }) => bytes <= SEGMENT_BYTES_MAX);
  for (const hash of new Set(eligible.map(({ settingsHash }) => settingsHash))) {
    const plan = planTier(eligible.filter(({ settingsHash }) => settingsHash === hash));
    if (plan) return plan;
  }
  const hollow = segments.find((entry) => (entry.tombstones?.count ?? 0) > DELETED_PART_MAX * entry.documents);
  return hollow ? [hollow] : null;
}

/** The fullest low tier, with all smaller segments. */
function planTier(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const sorted = [...segments].sort((a, b) => liveBytes(a) - liveBytes(b));
  for (let tier = TIER_FIRST_BYTES; ; tier *= TIER_FACTOR) {
    const low = sorted.filter((entry) => liveBytes(entry) <= tier);
    if (low.length >= TIER_SEGMENTS_MAX) return low.slice(0, MERGE_SEGMENTS_MAX);
    if (low.length === sorted.length) return null;
  }
}

const liveBytes = ({ bytes, documents, tombstones }: SegmentEntry): number =>
  bytes * (1 - (tombstones?.count ?? 0) / documents);
