// Decides which segments of an index are worth merging. Called by writer.ts after each commit.
//
// Segments fall into tiers by the size of their live documents, each tier 16 times as large as the one
// before:
//
//   tier     0            1          2           3          4
//            | <= 256 KiB | <= 4 MiB | <= 64 MiB | <= 1 GiB | larger
//
// When a tier holds 4 segments, they and all smaller ones are merged into one: so an index has at most 3
// segments per tier, about 6 in total. A segment enters a tier with at least a sixteenth of the tier's size
// and grows by three others each time, so a document is rewritten about 3 times per tier; in tier 0 it may be
// more often, but there is little to rewrite. So the cost of a batch does not grow with the index.
//
// Each segment makes every search a little slower. So an index at rest is merged further as long as its
// smaller segments are a good part of what is rewritten: at most five times their bytes are.
import type { SegmentEntry } from "../../segment/manifeststate.ts";

const TIER_FACTOR = 16;
const TIER_FIRST_BYTES = 256 * 1024;
/** Number of segments in one tier that causes a merge. */
const TIER_SEGMENTS_MAX = 4;
/** Most segments merged at once. */
const MERGE_SEGMENTS_MAX = 16;
/** Largest segment that a merge may make: sections are bounded (segment/format.ts). */
const MERGED_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Bound of a merge at rest, which should be short: 128 MiB take about a second. */
const RESTING_BYTES_MAX = 512 * 1024 * 1024;
/**
 * At rest, the smaller segments must be at least this part of the largest one that is rewritten with them.
 */
const RESTING_PART_MIN = 1 / 4;
/** A segment is rewritten when more than this part of it is deleted. */
const DELETED_PART_MAX = 0.4;

/** How far an index is merged: as far as it needs, further while it is at rest, or as far as possible. */
export type MergeReach = "usual" | "rest" | "whole";
type Plan = (segments: readonly SegmentEntry[]) => SegmentEntry[] | null;

/** Finds the next merge, by its reach. Segments made under different settings are never mixed. */
export const planMerges: Readonly<Record<MergeReach, Plan>> = {
  usual: planMerge,
  rest: planMergeAtRest,
  whole: planCompaction,
};

/** Segments to merge into one, or null when no merge is needed. */
function planMerge(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const plan = firstPlan(segments, planTier);
  if (plan) return plan;
  const hollow = segments.find(
    (entry) => (entry.tombstones?.count ?? 0) > DELETED_PART_MAX * entry.documents,
  );
  return hollow ? [hollow] : null;
}

/** The same for an index that was not written to for a while (mergeschedule.ts). */
function planMergeAtRest(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  return planMerge(segments) ?? firstPlan(segments, planResting);
}

/** The next merge on the way to as few segments as possible, without deleted documents; null when done. */
function planCompaction(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const plan = firstPlan(segments, (alike) => {
    const smallest = bounded([...alike].sort((a, b) => livingBytes(a) - livingBytes(b)));
    return smallest.length > 1 ? smallest : null;
  });
  if (plan) return plan;
  const hollow = segments.find(({ tombstones }) => (tombstones?.count ?? 0) > 0);
  return hollow ? [hollow] : null;
}

/** The first plan found for the segments that were made under the same settings. */
function firstPlan(
  segments: readonly SegmentEntry[],
  planOf: (alike: SegmentEntry[]) => SegmentEntry[] | null,
): SegmentEntry[] | null {
  for (const hash of new Set(segments.map(({ settingsHash }) => settingsHash))) {
    const plan = planOf(segments.filter(({ settingsHash }) => settingsHash === hash));
    if (plan) return plan;
  }
  return null;
}

/**
 * The lowest full tier with all smaller segments, or as many of these, smallest first, as stay within the
 * bounds.
 */
function planTier(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const sorted = segments.filter((entry) => livingBytes(entry) <= MERGED_BYTES_MAX);
  sorted.sort((a, b) => livingBytes(a) - livingBytes(b));
  let inTier = 0;
  for (let i = 0; i < sorted.length; i++) {
    inTier = i > 0 && tierOf(sorted[i]) === tierOf(sorted[i - 1]) ? inTier + 1 : 1;
    const isLast = i + 1 === sorted.length || tierOf(sorted[i + 1]) !== tierOf(sorted[i]);
    if (isLast && inTier >= TIER_SEGMENTS_MAX) {
      const plan = bounded(sorted.slice(0, i + 1));
      const smaller = i + 1 - inTier;
      if (plan.length >= smaller + 2) return plan;
    }
  }
  return null;
}

/** As many of the smallest segments as are worth merging. */
function planResting(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const plan = bounded(
    [...segments].sort((a, b) => livingBytes(a) - livingBytes(b)),
    RESTING_BYTES_MAX,
  );
  for (; plan.length > 1; plan.pop()) {
    const smaller = plan.slice(0, -1).reduce((bytes, entry) => bytes + livingBytes(entry), 0);
    if (smaller >= RESTING_PART_MIN * livingBytes(plan.at(-1)!)) return plan;
  }
  return null;
}

/** The first segments, as many as together stay within the bounds of a merge. */
function bounded(segments: readonly SegmentEntry[], bytesMax = MERGED_BYTES_MAX): SegmentEntry[] {
  let count = 0;
  for (let bytes = 0; count < Math.min(segments.length, MERGE_SEGMENTS_MAX); count++) {
    bytes += livingBytes(segments[count]);
    if (bytes > bytesMax) break;
  }
  return segments.slice(0, count);
}

function tierOf(entry: SegmentEntry): number {
  return Math.max(0, Math.ceil(Math.log(livingBytes(entry) / TIER_FIRST_BYTES) / Math.log(TIER_FACTOR)));
}

const livingBytes = ({ bytes, documents, tombstones }: SegmentEntry): number =>
  bytes * (1 - (tombstones?.count ?? 0) / documents);
