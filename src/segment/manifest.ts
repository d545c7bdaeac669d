// The manifest of an index as its one writer sees it: the newest state, and commits. Readers use
// manifestreader.ts.
//
// A commit appends the whole next state to the log manifest-<n>.log and syncs it. When the log has grown past
// its bound, the next state begins manifest-<n+1>.log instead, which appears whole and durable in one step:
// there is no moment without a valid manifest. The last record of the log with the highest number is the
// state.
import { messageOf, TarsierError } from "../errors.ts";
import { StorageError } from "../storage/failure.ts";
import { RecordLog } from "../storage/recordlog.ts";
import { join, type Storage } from "../storage/storage.ts";
import { filesOf, manifestName, newestManifest, obsoleteFiles } from "./manifestfiles.ts";
import { MANIFEST_KIND, readManifest } from "./manifestreader.ts";
import {
  contradictionIn,
  decodeState,
  encodeState,
  type ManifestState,
  type NextState,
} from "./manifeststate.ts";

/** A log is continued in a new file when it is larger than this, and larger than a few of its records. */
const LOG_BYTES_MAX = 1024 * 1024;
const LOG_RECORDS_MIN = 8;

export class ManifestLog {
  /**
   * Opens the manifest in a folder for writing. If there is none, the state is empty and the first commit
   * makes it. `logBytesMax`: size from which a log is continued in a new file. `atLeastVersion`: version that
   * was acknowledged to others, so that an older state means a damaged log, not a torn one.
   * @throws TarsierError `invalid_store_file` when it is damaged; then nothing is changed
   */
  static open(
    storage: Storage,
    folder: string,
    logBytesMax = LOG_BYTES_MAX,
    atLeastVersion = 0,
  ): ManifestLog {
    // Read before the log is opened for writing: opening cuts off a torn end, which may be all of a damaged
    // log.
    const state = readManifest(storage, folder, atLeastVersion);
    return new ManifestLog(storage, folder, state, logBytesMax);
  }

  readonly #storage: Storage;
  readonly #folder: string;
  readonly #logBytesMax: number;
  #state: ManifestState;
  #number: number;
  #log: RecordLog | null;
  /** Files that a commit no longer names, and when. */
  readonly #dropped = new Map<string, number>();
  #failure: unknown = null;

  private constructor(storage: Storage, folder: string, state: ManifestState, logBytesMax: number) {
    this.#storage = storage;
    this.#folder = folder;
    this.#state = state;
    this.#logBytesMax = logBytesMax;
    this.#number = newestManifest(storage.list(folder));
    this.#log = this.#number === 0 ? null : openLog(storage, folder, this.#number);
  }

  /** The state made by the last commit. Must not be modified: a commit takes a new one. */
  get state(): ManifestState {
    return this.#state;
  }

  /**
   * Makes `next` the state, durably, with the next version. The files it names must be written and synced;
   * their names are made durable here. After an error the old state holds.
   * @throws TarsierError `commit_in_doubt` after a failed sync: the next opening finds the old state or this
   * one, and until then the log takes no more commits and allows no file to be removed
   */
  commit(next: NextState): ManifestState {
    this.refuseFailed();
    const name = this.#name(this.#number);
    const payload = encodeState(next, this.#state.version + 1);
    const state = checkEncoding(next, payload, name);
    const before = filesOf(this.#state);
    const after = filesOf(state);
    this.#makeNamesDurable(without(after, before));
    const bytesMax = Math.max(this.#logBytesMax, LOG_RECORDS_MIN * payload.length);
    if (this.#log && this.#log.size + payload.length <= bytesMax) {
      this.#log.append(payload);
      this.#syncLog(this.#log);
    } else {
      this.#beginLog(payload);
    }
    for (const file of without(before, after)) this.#dropped.set(file, Date.now());
    this.#state = state;
    return state;
  }

  /**
   * Files of the folder that may be removed: neither named by the state, nor dropped from it less than
   * `graceMs` ago, when readers may be about to open them. `writing`: files of running batches and merges,
   * which must be kept, too.
   */
  obsoleteFiles(graceMs: number, writing: Iterable<string> = []): string[] {
    if (this.#failure) return [];
    const since = Date.now() - graceMs;
    for (const [file, droppedAt] of this.#dropped) if (droppedAt <= since) this.#dropped.delete(file);
    return obsoleteFiles(
      this.#state,
      this.#storage.list(this.#folder),
      new Set([...this.#dropped.keys(), ...writing]),
    );
  }

  /** Could the state on disk turn out to be what a failed commit, or another process, wrote? */
  get isInDoubt(): boolean {
    return this.#failure !== null;
  }

  /**
   * Throws when no further commit can succeed. A file written now could be one that the state on disk names.
   */
  refuseFailed(): void {
    if (this.#failure) throw this.#failure;
  }

  close(): void {
    this.#failure ??= new Error(`the manifest of ${this.#folder} is closed`);
    this.#log?.close();
    this.#log = null;
  }

  #name(number: number): string {
    return join(this.#folder, manifestName(number));
  }

  /**
   * A commit must not be on disk before the files that it names: they must exist, and their names be durable.
   */
  #makeNamesDurable(files: string[]): void {
    for (const file of files) this.#storage.size(join(this.#folder, file));
    if (files.length === 0) return;
    try {
      this.#storage.syncFolder(this.#folder);
    } catch (error) {
      throw this.#doubt(error);
    }
  }

  #syncLog(log: RecordLog): void {
    try {
      log.sync();
    } catch (error) {
      throw this.#doubt(error);
    }
  }

  #doubt(cause: unknown): Error {
    const error = new TarsierError("commit_in_doubt", { reason: messageOf(cause) });
    this.#failure = error;
    return error;
  }

  #beginLog(payload: Uint8Array): void {
    const name = this.#name(this.#number + 1);
    if (this.#number === 0) this.#storage.makeFolder(this.#folder);
    try {
      if (!RecordLog.createIfAbsent(this.#storage, name, MANIFEST_KIND, payload)) {
        throw new StorageError("create", name, "EEXIST", "another process writes this index");
      }
      const log = openLog(this.#storage, this.#folder, this.#number + 1);
      this.#log?.close();
      this.#log = log;
      this.#number++;
    } catch (error) {
      // Readers may see the new log, and it may survive a crash: only a new opening can tell.
      if (!this.#storage.exists(name)) throw error;
      if (!(error instanceof StorageError) || error.systemCode !== "EEXIST") throw this.#doubt(error);
      this.#failure = error;
      throw error;
    }
  }
}

function openLog(storage: Storage, folder: string, number: number): RecordLog {
  return RecordLog.open(storage, join(folder, manifestName(number)), MANIFEST_KIND, () => {});
}

function without(names: string[], others: string[]): string[] {
  const excluded = new Set(others);
  return names.filter((name) => !excluded.has(name));
}

/** The state as it will be read back. Throws when that differs from the given one. */
function checkEncoding(next: NextState, payload: Uint8Array, file: string): ManifestState {
  const contradiction = contradictionIn(next);
  if (contradiction) throw new Error(`refused to commit a manifest: ${contradiction}`);
  const state = decodeState(payload, file);
  // Nothing has been written yet: the index stays as it is.
  if (Buffer.compare(encodeState(state, state.version), payload) !== 0)
    throw new Error("refused to commit a manifest: it would be read as another");
  return state;
}
