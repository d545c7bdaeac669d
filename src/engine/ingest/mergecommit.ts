// The end of a merge: its segment replaces its sources, whatever batches have done to them meanwhile. Called
// by writer.ts.
import { segmentName } from "../../segment/manifestfiles.ts";
import type { ManifestState, NextState, SegmentEntry } from "../../segment/manifeststate.ts";
import type { MergeJob } from "../../segment/merge.ts";
import { spoolOf } from "../../segment/spool.ts";
import { readTombstones, Tombstones, writeTombstones } from "../../segment/tombstones.ts";
import type { Storage } from "../../storage/storage.ts";
import { rawBytesOf } from "./rawbytes.ts";

/** Name for the file of a merge while it is written. */
export const mergeName = (entries: readonly SegmentEntry[]): string =>
  `segment-merge-${entries[0].name.slice("segment-".length)}.tmp`;

/**
 * Files that must stay while a merge runs: those it reads, tombstones as of its start, and those it writes.
 */
export function filesOfMerge({ name, entries }: MergeJob): string[] {
  const read = entries.flatMap((entry) =>
    entry.tombstones?.file ? [entry.name, entry.tombstones.file] : [entry.name],
  );
  return [name, spoolOf(name), ...read];
}

/**
 * Gives the merged segment (null: no document was left) its name and returns the state with it; documents
 * deleted in the sources meanwhile are deleted in it too. Null when a source no longer exists: then the merge
 * was in vain.
 */
export function stateAfterMerge(
  storage: Storage,
  state: ManifestState,
  job: MergeJob,
  merged: SegmentEntry | null,
): NextState | null {
  const { folder } = job;
  const before = new Map(job.entries.map((entry) => [entry.name, entry]));
  const sources = state.segments.filter(({ name }) => before.has(name));
  if (sources.length < before.size) return null;
  const segments = state.segments.filter(({ name }) => !before.has(name));
  const deleted = sources.flatMap(({ name, tombstones }) => {
    const known = readTombstones(storage, folder, before.get(name)!.tombstones);
    return [...readTombstones(storage, folder, tombstones).docids].filter((docid) => !known.has(docid));
  });
  if (merged && deleted.length < merged.documents) {
    const name = segmentName(state.nextSegment);
    storage.rename(`${folder}/${job.name}`, `${folder}/${name}`);
    const tombstones = writeTombstones(storage, folder, name, state.version + 1, Tombstones.of(deleted));
    segments.push({ ...merged, name, tombstones });
  }
  return { ...state, segments, nextSegment: state.nextSegment + 1, rawDocumentBytes: rawBytesOf(segments) };
}
