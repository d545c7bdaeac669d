// What the journal knows of other files that they do not tell themselves, and they of the journal: which
// indexes there are, which state of each was acknowledged, and how long the documents are that wait. A log
// that lost its last records looks like a torn one, and only the others know better. Nothing is changed.
// Called by `tarsier check`, beside segment/check.ts, by a repair, and at each start.
import type { Finding } from "../segment/finding.ts";
import { INDEXES_FOLDER, JOURNAL_NAME } from "../segment/journalfile.ts";
import { isManifestName } from "../segment/manifestfiles.ts";
import { readManifest } from "../segment/manifestreader.ts";
import { DamageError } from "../storage/failure.ts";
import { join, type Storage, sizeIfAny } from "../storage/storage.ts";
import { readJournal } from "./journalreading.ts";
import type { State } from "./state.ts";

/** Files that are not what was acknowledged. None of the others while the journal itself is damaged. */
export function* checkCatalog(storage: Storage): Generator<Finding> {
  // That it is missing is told by the check of the files.
  if (!storage.exists(JOURNAL_NAME)) return;
  const { state, isSound, misfit } = readJournal(storage);
  // Damage is told by the check of the log; that its records do not fit together is told by nobody else.
  if (!isSound) return;
  if (misfit) {
    yield misfit;
    return;
  }
  for (const folder of unnamedFolders(storage, state)) yield unnamedFinding(folder);
  yield* olderThanAcknowledged(storage, state);
  yield* lostPayloads(storage, state);
}

/**
 * Folders of indexes that the journal does not name. It names each before it appears and until it is gone:
 * the records that did are lost.
 */
export function unnamedFolders(
  storage: Storage,
  { catalog, drops }: Pick<State, "catalog" | "drops">,
): string[] {
  const named = new Set([...catalog.changes().map(({ entry }) => entry!.folder), ...drops]);
  return storage
    .listFolders(INDEXES_FOLDER)
    .map((name) => join(INDEXES_FOLDER, name))
    .filter((folder) => !named.has(folder) && storage.list(folder).some(isManifestName));
}

export function unnamedFinding(folder: string): Finding {
  const expected = `a record that names the folder \`${folder}\``;
  return { file: JOURNAL_NAME, offset: 0, section: "records", expected, found: "none" };
}

/** Indexes whose manifest is older than what was acknowledged. */
export function* olderThanAcknowledged(storage: Storage, state: State): Generator<Finding> {
  for (const uid of state.catalog.uids()) {
    const { folder, description } = state.catalog.get(uid)!;
    const finding = olderThan(storage, folder, description.version);
    if (finding) yield finding;
  }
}

/** Documents of waiting tasks that are missing, or of which a part is. */
export function* lostPayloads(storage: Storage, { tasks }: State): Generator<Finding> {
  for (const [uid, { payload: file, payloadBytes }] of tasks.waitingAdditions()) {
    if (file === null) continue;
    const size = sizeIfAny(storage, file);
    if (size === payloadBytes) continue;
    const expected = `the ${payloadBytes} bytes of the documents of task ${uid}`;
    yield { file, offset: 0, section: "file", expected, found: size === null ? "no file" : `${size} bytes` };
  }
}

function olderThan(storage: Storage, folder: string, version: number): Finding | null {
  try {
    readManifest(storage, folder, version);
    return null;
  } catch (error) {
    // Damage inside of the manifest is told by the check of its log.
    if (!(error instanceof DamageError)) throw error;
    return /^version/.test(error.damage.expected) ? { section: "manifest", ...error.damage } : null;
  }
}
