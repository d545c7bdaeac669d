// Runs snapshotCreation tasks: the data folder as one archive, in the place of the one before.
//
//   VERSION, journal.log, payloads/<file of each addition that waits>, indexes/<folder>/<files of one state>
//
// The scheduler runs no other batch meanwhile, but merges go on and writes are accepted. So each index is
// copied as one state of its manifest: segments never change, and an open file stays readable when a merge
// removes it. The journal is written anew, without these tasks and without those that come later.
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { filesOf, manifestName } from "../segment/manifestfiles.ts";
import { MANIFEST_KIND, readManifest } from "../segment/manifestreader.ts";
import { encodeState, type ManifestState } from "../segment/manifeststate.ts";
import { type ArchiveWriter, writeArchive } from "../storage/archivewriter.ts";
import { isMissing } from "../storage/failure.ts";
import { encodeLog, encodeLogPieces } from "../storage/recordformat.ts";
import { join, type ReadableFile, type Storage } from "../storage/storage.ts";
import { type BatchContext, type Executor, refuseAborted, refuseDamaged, succeeded } from "./execution.ts";
import { type JournalRecord, packRecord } from "./records.ts";
import type { State } from "./state.ts";
import type { Task } from "./task.ts";
import { VERSION_NAME } from "./versionfile.ts";

interface SnapshotOptions {
  /** Of the data folder. */
  storage: Storage;
  /** Of the snapshot folder. */
  snapshots: Storage;
  /** Of the archive: `<name of the data folder>.snapshot`. */
  name: string;
  /** Of this program. */
  version: string;
}

/**
 * Stored documents and posting lists are packed already: squeezing them again takes long and gains little.
 */
const COMPRESSION_LEVEL = 0;
/** Merges may replace files of a state before they are open: so often it is read again. */
const ATTEMPTS_MAX = 20;

/** All waiting tasks are done by one snapshot. */
export function snapshotExecutor(options: SnapshotOptions): Executor {
  return async (tasks, context) => {
    const { snapshots, name } = options;
    snapshots.makeFolder("");
    const archiveOptions = {
      name,
      temporaryName: `${name}.tmp`,
      level: COMPRESSION_LEVEL,
      interrupt: () => refuseAborted(context),
    };
    await writeArchive(snapshots, archiveOptions, (archive) =>
      writeSnapshot(options, archive, tasks, context),
    );
    return { ends: tasks.map((task) => succeeded(task)) };
  };
}

async function writeSnapshot(
  { storage, version }: SnapshotOptions,
  archive: ArchiveWriter,
  tasks: Task[],
  context: BatchContext,
): Promise<void> {
  const { state, progress } = context;
  const enter = (finished: number, inner: { currentStep: string; finished: number; total: number }[] = []) =>
    progress.enter("processing tasks", [
      { currentStep: STEPS[finished], finished, total: STEPS.length },
      ...inner,
    ]);
  enter(0);
  const running = new Set(tasks.map(({ uid }) => uid));
  // Of now, all of it: what follows may take its time.
  const records = state.snapshot();
  const payloads = waitingPayloads(state, running);
  const indexes = state.catalog.uids().map((uid) => ({ uid, ...state.catalog.get(uid)! }));
  // The snapshot before it may be the last sound copy.
  for (const { uid, folder } of indexes) refuseDamaged(uid, folder, context);
  await archive.add(VERSION_NAME, version);
  enter(1);
  const kept = keptRecords(records, running);
  await archive.addPieces(JOURNAL_NAME, encodeLogPieces(JOURNAL_KIND, packed(kept)));
  enter(2);
  for (const name of payloads) await addFile(archive, name, storage.open(name));
  for (const [place, { uid, folder, description }] of indexes.entries()) {
    enter(3, [{ currentStep: uid, finished: place, total: indexes.length }]);
    await addIndex(archive, storage, folder, description.version);
  }
  enter(4);
}

const STEPS = [
  "start the snapshot creation",
  "snapshot the index scheduler",
  "snapshot the update files",
  "snapshot the indexes",
  "create the tarball",
];

/**
 * Without the folders that wait for their removal: they are not copied. What waits for other servers is not
 * sent a second time by a copy.
 */
function* keptRecords(
  records: Iterable<JournalRecord>,
  running: ReadonlySet<number>,
): Generator<JournalRecord> {
  for (const record of records) {
    const isRunning = record.type === "task" && running.has(record.task.uid);
    if (isRunning || record.type === "drop" || record.type === "outgoing") continue;
    yield record;
  }
}

function* packed(records: Iterable<JournalRecord>): Generator<Uint8Array> {
  for (const record of records) yield packRecord(record);
}

/** Names of the files that tasks wait with; small ones are in the journal. */
function waitingPayloads({ tasks }: State, running: ReadonlySet<number>): string[] {
  const names: string[] = [];
  for (const [uid, { payload }] of tasks.waitingAdditions())
    if (payload !== null && !running.has(uid)) names.push(payload);
  return names;
}

/** Copies one state of an index, with a manifest that holds just that. */
async function addIndex(
  archive: ArchiveWriter,
  storage: Storage,
  folder: string,
  version: number,
): Promise<void> {
  const { state, files } = openState(storage, folder, version);
  try {
    if (state.version === 0) return;
    const manifest = encodeLog(MANIFEST_KIND, encodeState(state, state.version));
    await archive.add(join(folder, manifestName(1)), manifest);
    for (const [name, file] of files) await archive.addFile(join(folder, name), file);
  } finally {
    for (const file of files.values()) file.close();
  }
}

/** A state and all its files, open. */
function openState(
  storage: Storage,
  folder: string,
  version: number,
): { state: ManifestState; files: Map<string, ReadableFile> } {
  for (let attempt = 1; ; attempt++) {
    const state = readManifest(storage, folder, version);
    const files = new Map<string, ReadableFile>();
    try {
      for (const name of filesOf(state)) files.set(name, storage.open(join(folder, name)));
      return { state, files };
    } catch (error) {
      for (const file of files.values()) file.close();
      if (attempt === ATTEMPTS_MAX || !isMissing(error)) throw error;
    }
  }
}

async function addFile(archive: ArchiveWriter, name: string, file: ReadableFile): Promise<void> {
  try {
    await archive.addFile(name, file);
  } finally {
    file.close();
  }
}
