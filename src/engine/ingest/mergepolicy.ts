// Which segments of an index are worth merging. Called by writer.ts after each commit.
//
// Segments fall into tiers by the size of what lives in them, each tier 16 times as large as the one before:
//
//   tier     0            1          2           3          4
//            | <= 256 KiB | <= 4 MiB | <= 64 MiB | <= 1 GiB | larger
//
// When a tier holds 4 segments they become one, and all smaller ones go with them: an index has at most 3
// segments a tier, about 6 together. A segment comes to a tier with a sixteenth of its size or more and
// grows by three others each time, so that a document is rewritten about 3 times a tier; in tier 0, where it
// may be more often, little is rewritten. So the cost of a batch does not grow with the index.
//
// Every segment costs each search something. So an index at rest is merged further, where its smaller
// segments are a good part of what is rewritten: five times as much at most as is in these.
import type { SegmentEntry } from "../../segment/manifeststate.ts";

const TIER_FACTOR = 16;
const TIER_FIRST_BYTES = 256 * 1024;
/** So many segments of one tier are merged. */
const TIER_SEGMENTS_MAX = 4;
/** More than this are never merged at once. */
const MERGE_SEGMENTS_MAX = 16;
/** A merge never makes a larger segment: sections are bounded (segment/format.ts). */
const MERGED_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** At rest, a merge takes a moment and no more: about a second for 128 MiB. */
const RESTING_BYTES_MAX = 512 * 1024 * 1024;
/** At rest, smaller segments are this part of the largest one that is rewritten with them, or more. */
const RESTING_PART_MIN = 1 / 4;
/** A segment is rewritten when this part of it is deleted. */
const DELETED_PART_MAX = 0.4;

/** How far an index is merged: as it needs, further while it is at rest, or as far as may be. */
export type MergeReach = "usual" | "rest" | "whole";
type Plan = (segments: readonly SegmentEntry[]) => SegmentEntry[] | null;

/** What finds the next merge, by its reach. Segments under other settings are never mixed. */
export const planMerges: Readonly<Record<MergeReach, Plan>> = {
  usual: planMerge,
  rest: planMergeAtRest,
  whole: planCompaction,
};

/** Segments to merge into one, or null when all is well. */
function planMerge(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const plan = firstPlan(segments, planTier);
  if (plan) return plan;
  const hollow = segments.find(
    (entry) => (entry.tombstones?.count ?? 0) > DELETED_PART_MAX * entry.documents,
  );
  return hollow ? [hollow] : null;
}

/** The same for an index that nobody has written to for a while (mergeschedule.ts). */
function planMergeAtRest(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  return planMerge(segments) ?? firstPlan(segments, planResting);
}

/** The next merge on the way to as few segments as may be, without deleted documents; null at its end. */
function planCompaction(segments: readonly SegmentEntry[]): SegmentEntry[] | null {
  const plan = firstPlan(segments, (alike) => {
    const smallest = bounded([...alike].sort((a, b) => livingBytes(a) - livingBytes(b)));
    return smallest.length > 1 ? smallest : null;
  });
  if (plan) return plan;
  const hollow = segments.find(({ tombstones }) => (tombstones?.count ?? 0) > 0);
  return hollow ? [hollow] : null;
}

/** A plan for the segments under one of the settings. */
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
 * The lowest full tier, with all smaller segments; from one at its bound as many as make no segment too
 * large.
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

/** As many of the smallest ones as are worth it. */
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

/** The first segments that together make none that is too large. */
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
