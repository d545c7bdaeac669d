// The names of the files in the folder of an index, and which of these files are no longer needed.
//
//   manifest-00000001.log        a manifest log; the highest number is the valid one
//   segment-00000001             a segment
//   segment-00000001-7.del       documents deleted in it, as of version 7
//   segment-edited.tmp           documents that a function has edited, while their batch runs
//   *.tmp, *.new                 a file that was being written when the process died
import type { ManifestState } from "./manifeststate.ts";

const NUMBER_DIGITS = 8;
const MANIFEST = /^manifest-(\d{8,})\.log$/;
const REMOVABLE = /^segment-\d{8,}(-\d+\.del)?$|^(segment|manifest)-.*\.(tmp|new)$/;

export function manifestName(number: number): string {
  return `manifest-${String(number).padStart(NUMBER_DIGITS, "0")}.log`;
}

export function isManifestName(name: string): boolean {
  return MANIFEST.test(name);
}

/** Only one at a time: an edit operation is alone in its batch. */
export const EDITED_DOCUMENTS_NAME = "segment-edited.tmp";

/** Highest number of a manifest log in a listing, or 0. */
export function newestManifest(listing: string[]): number {
  let newest = 0;
  for (const name of listing) newest = Math.max(newest, Number(MANIFEST.exec(name)?.[1] ?? 0));
  return newest;
}

/** `number`: ManifestState.nextSegment. */
export function segmentName(number: number): string {
  return `segment-${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

/**
 * Name for the tombstones of a segment. `version`: version of the manifest that will be the first to name
 * them.
 */
export function tombstonesName(segment: string, version: number): string {
  return `${segment}-${version}.del`;
}

/** Files that a state names. */
export function filesOf(state: ManifestState): string[] {
  return state.segments.flatMap(({ name, tombstones }) =>
    tombstones?.file ? [name, tombstones.file] : [name],
  );
}

/**
 * Files of a listing that may be removed: of a kind that this program makes, and neither named by the state
 * nor in `kept`. Other files are never touched.
 */
export function obsoleteFiles(state: ManifestState, listing: string[], kept: ReadonlySet<string>): string[] {
  const named = new Set(filesOf(state));
  const newest = newestManifest(listing);
  return listing.filter((name) => {
    if (named.has(name) || kept.has(name)) return false;
    const manifest = MANIFEST.exec(name);
    return manifest ? Number(manifest[1]) < newest : REMOVABLE.test(name);
  });
}
