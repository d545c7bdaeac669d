// Runs snapshotCreation tasks: the data folder as one archive, which replaces the one before.
//
//   VERSION, journal.log, payloads/<file of each addition that waits>, indexes/<folder>/<files of one state>
//
// The scheduler runs no other batch meanwhile, but merges go on and writes are accepted. So each index is
// copied as one state of its manifest: segments never change, and an open file stays readable when a merge
// removes it. The journal is written anew, without these tasks and any later ones.
import { JOURNAL_KIND, JOURNAL_NAME } from "../segment/journalfile.ts";
import { filesOf, manifestName } from "../segment/manifestfiles.ts";
import { MANIFEST_KIND, readManifest } from "../segment/manifestreader.ts";
import { encodeState, type ManifestState } from "../segment/manifeststate.ts";
import { type ArchiveWriter, writeArchive } from "../storage/archivewriter.ts";
import { isMissing } from "../storage/failure.ts";
import { encodeLog, encodeLogPieces } from "../storage/recordformat.ts";
import { join, type ReadableFile, type Storage } from "../storage/storage.ts";
import { type BatchContext, type Executor, refuseAborted, refuseDamaged, succeeded } from "./execution.ts";
import type { OutgoingWrite } from "./outgoing.ts";
import { type JournalRecord, packRecord } from "./records.ts";
import type { State } from "./state.ts";
import type { Task } from "./task.ts";
import { VERSION_NAME } from "./versionfile.ts";

interface SnapshotOptions {
  /** That of the data folder. */
  storage: Storage;
  /** That of the snapshot folder. */
  snapshots: Storage;
  /** Name of the archive: `<name of the data folder>.snapshot`. */
  name: string;
  /** That of this program. */
  version: string;
}

/**
 * Stored documents and posting lists are already packed: compressing them again takes long and gains little.
 */
const COMPRESSION_LEVEL = 0;
/** A merge may remove files of a state before they are opened; the state is then read again, this often. */
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
  // All of it as of now: the steps below may take long.
  const records = state.snapshot();
  const payloads = waitingPayloads(state, running);
  const indexes = state.catalog.uids().map((uid) => ({ uid, ...state.catalog.get(uid)! }));
  // A damaged index is refused: the snapshot before may be its last sound copy.
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
 * Leaves out folders that wait for removal, which are not copied, and writes for other servers, which a copy
 * must not send a second time: their tasks tell that, and do not go on waiting.
 */
function* keptRecords(
  records: Iterable<JournalRecord>,
  running: ReadonlySet<number>,
): Generator<JournalRecord> {
  const unsent: OutgoingWrite[] = [];
  for (const record of records) {
    if (record.type === "outgoing") unsent.push(record.write);
    const isRunning = record.type === "task" && running.has(record.task.uid);
    if (isRunning || record.type === "drop" || record.type === "outgoing") continue;
    yield record;
  }
  for (const { taskUid, waiting } of unsent)
    for (const remote of waiting)
      yield { type: "delivery", taskUid, remote, outcome: { error: NOT_SENT }, isFinal: true };
}

const NOT_SENT = "not sent when the snapshot was taken from which this server was restored";

function* packed(records: Iterable<JournalRecord>): Generator<Uint8Array> {
  for (const record of records) yield packRecord(record);
}

/** Names of the payload files of waiting tasks; small payloads are in the journal. */
function waitingPayloads({ tasks }: State, running: ReadonlySet<number>): string[] {
  const names: string[] = [];
  for (const [uid, { payload }] of tasks.waitingAdditions())
    if (payload !== null && !running.has(uid)) names.push(payload);
  return names;
}

/** Copies one state of an index, with a manifest of only that state. */
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

/** A state, with all its files open. */
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
