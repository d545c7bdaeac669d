// Reads a whole data folder, compares every checksum in it, and checks what checksums cannot tell: that the
// parts of the structures fit together. Called by `tarsier check`. Nothing is changed, and no server may be
// running on the folder. Documents of waiting tasks have no checksums: tasks/catalogcheck.ts.
import { Core } from "../core/core.ts";
import { LOG_HEADER_BYTES } from "../storage/recordformat.ts";
import { join, type Storage } from "../storage/storage.ts";
import { attempt, type Finding } from "./finding.ts";
import { INDEXES_FOLDER, JOURNAL_KIND, JOURNAL_NAME, lostJournal } from "./journalfile.ts";
import { checkLog } from "./logcheck.ts";
import { isManifestName, manifestName, newestManifest } from "./manifestfiles.ts";
import { MANIFEST_KIND } from "./manifestreader.ts";
import { decodeState, type ManifestState, type SegmentEntry } from "./manifeststate.ts";
import { SegmentCheck } from "./segmentcheck.ts";
import { readTombstones } from "./tombstones.ts";

/** Everything that is wrong in a data folder, file by file. `storage`: rooted in that folder. */
export function* checkStorage(storage: Storage): Generator<Finding> {
  if (storage.exists(JOURNAL_NAME)) {
    yield* gathered((tell) => checkLog(storage, JOURNAL_NAME, JOURNAL_KIND, tell));
  }
  const lost = lostJournal(storage);
  if (lost) yield { section: "file", ...lost };
  const segments = new SegmentCheck(new Core(), storage);
  for (const name of storage.listFolders(INDEXES_FOLDER)) {
    yield* checkIndex(storage, join(INDEXES_FOLDER, name), segments);
  }
}

/**
 * Compares the checksums of all files that a state of an index names: quicker than a full check, which also
 * looks at whether the parts fit together.
 * @throws TarsierError `invalid_store_file`
 */
export function verifyState(
  storage: Storage,
  folder: string,
  { segments: entries }: ManifestState,
  segments: SegmentCheck,
): void {
  for (const { name, tombstones } of entries) {
    segments.checkBytes(join(folder, name));
    readTombstones(storage, folder, tombstones);
  }
}

/** Checks all manifests of an index, and the files that the newest state names. */
function* checkIndex(storage: Storage, folder: string, segments: SegmentCheck): Generator<Finding> {
  const listing = storage.list(folder);
  const newest = manifestName(newestManifest(listing));
  let state: ManifestState | null = null;
  for (const name of listing) {
    if (!isManifestName(name)) continue;
    const file = join(folder, name);
    const findings = gathered((tell) =>
      checkLog(storage, file, MANIFEST_KIND, tell, (payload) => {
        const found = decodeState(payload, file);
        if (name === newest) state = found;
      }),
    );
    yield* findings;
    if (name === newest && !state && findings.length === 0) {
      // A log is created with its first record: a log without one is damaged, not torn.
      const [expected, found] = ["a valid record", "none"];
      yield { file, offset: LOG_HEADER_BYTES, section: "record", expected, found };
    }
  }
  const { segments: entries } = (state ?? { segments: [] }) as Pick<ManifestState, "segments">;
  const live = new Set<number>();
  for (const entry of entries)
    yield* checkSegment(storage, folder, entry, segments, live, join(folder, newest));
}

/** `live`: documents in other segments; those of this segment are added. */
function* checkSegment(
  storage: Storage,
  folder: string,
  entry: SegmentEntry,
  segments: SegmentCheck,
  live: Set<number>,
  manifest: string,
): Generator<Finding> {
  let docids: Uint32Array | null = null;
  yield* gathered((tell) => {
    docids = segments.check(folder, entry, tell);
  });
  const place = entry.tombstones?.file ? join(folder, entry.tombstones.file) : manifest;
  let dead: Set<number> | null = null;
  yield* gathered((tell) => {
    const tombstones = attempt(
      () => readTombstones(storage, folder, entry.tombstones),
      tell,
      place,
      "tombstones",
    );
    if (tombstones) dead = new Set(tombstones.docids);
  });
  if (docids && dead) yield* checkDocids(docids, dead, live, entry.name, place, manifest);
}

/** Every deleted document is in the segment, and every live document is in one segment only. */
function* checkDocids(
  docids: Uint32Array,
  dead: ReadonlySet<number>,
  live: Set<number>,
  segment: string,
  place: string,
  manifest: string,
): Generator<Finding> {
  const held = new Set<number>(docids);
  const strange = [...dead].find((docid) => !held.has(docid));
  if (strange !== undefined) {
    const expected = `documents of ${segment}`;
    yield { file: place, offset: 0, section: "tombstones", expected, found: `document ${strange}` };
  }
  const twice = [...held].find((docid) => !dead.has(docid) && live.has(docid));
  if (twice !== undefined) {
    const found = `document ${twice} in ${segment} and another`;
    yield { file: manifest, offset: 0, section: "segments", expected: "each document once", found };
  }
  for (const docid of held) if (!dead.has(docid)) live.add(docid);
}

function gathered(run: (tell: (finding: Finding) => void) => void): Finding[] {
  const findings: Finding[] = [];
  run((finding) => findings.push(finding));
  return findings;
}
