// Compares the journal with the other files: which indexes there are, which state of each was acknowledged,
// and how long the documents of waiting tasks are. A journal that lost its last records looks merely torn,
// and only the other files show more. Changes nothing. Called by `tarsier check` (beside segment/check.ts),
// by a repair, and at each start.
import type { Finding } from "../segment/finding.ts";
import { INDEXES_FOLDER, JOURNAL_NAME } from "../segment/journalfile.ts";
import { isManifestName } from "../segment/manifestfiles.ts";
import { readManifest } from "../segment/manifestreader.ts";
import { DamageError } from "../storage/failure.ts";
import { join, type Storage, sizeIfAny } from "../storage/storage.ts";
import { readJournal } from "./journalreading.ts";
import type { State } from "./state.ts";

/** Files that are not as acknowledged. While the journal itself is damaged, nothing is said of the others. */
export function* checkCatalog(storage: Storage): Generator<Finding> {
  // A missing journal is reported by the check of the files.
  if (!storage.exists(JOURNAL_NAME)) return;
  const { state, isSound, misfit } = readJournal(storage);
  // Damage is reported by the check of the log; records that do not fit together are reported only here.
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
 * Folders of indexes that the journal does not name. The journal names a folder before it appears and until
 * it is gone, so the records that did must be lost.
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

/** Payloads of waiting tasks that are missing or too short. */
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
    // Damage inside the manifest is reported by the check of its log.
    if (!(error instanceof DamageError)) throw error;
    return /^version/.test(error.damage.expected) ? { section: "manifest", ...error.damage } : null;
  }
}
