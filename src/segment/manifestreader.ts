// The manifest of an index as threads that only read see it: the newest state, read on from where the last
// look ended. At any moment in between, the writer may append, or begin a new log and remove the old one.
import { damagedFile, isMissing } from "../storage/failure.ts";
import { RecordReader } from "../storage/recordreader.ts";
import { join, type ReadableFile, type Storage } from "../storage/storage.ts";
import { manifestName, newestManifest } from "./manifestfiles.ts";
import { decodeState, emptyState, type ManifestState, versionOf } from "./manifeststate.ts";

/** Kind of the record log. */
export const MANIFEST_KIND = "MANI";

/**
 * A log that no longer exists when it is to be opened has a successor: that may happen this often in one
 * look.
 */
const ATTEMPTS_MAX = 10;

/**
 * The newest state of the index in a folder; the empty one when there is no manifest.
 * @throws TarsierError `invalid_store_file` when the manifest is damaged, or older than `atLeastVersion`
 */
export function readManifest(storage: Storage, folder: string, atLeastVersion: number): ManifestState {
  const reader = new ManifestReader(storage, folder);
  try {
    return reader.read(atLeastVersion);
  } finally {
    reader.close();
  }
}

export class ManifestReader {
  readonly #storage: Storage;
  readonly #folder: string;
  #number = 0;
  #file: ReadableFile | null = null;
  #records: RecordReader | null = null;
  #state: ManifestState | null = null;

  constructor(storage: Storage, folder: string) {
    this.#storage = storage;
    this.#folder = folder;
  }

  /**
   * A state of at least this version: the last one seen if it is new enough, otherwise a newer one. Throws
   * like readManifest.
   */
  read(atLeastVersion: number): ManifestState {
    const known = this.#state && this.#state.version >= atLeastVersion;
    if (!known) this.#advance();
    while ((!this.#state || this.#state.version < atLeastVersion) && this.#openNewest()) this.#advance();
    const state = this.#state ?? emptyState();
    if (state.version < atLeastVersion) {
      const file = join(this.#folder, manifestName(this.#number));
      throw damagedFile({
        file,
        offset: this.#records?.offset ?? 0,
        expected: `version ${atLeastVersion}`,
        found: this.#file === null ? "no manifest" : `version ${state.version}`,
      });
    }
    return state;
  }

  /** Is there a newer state than this version? Then `read` will find it. */
  hasNewer(version: number): boolean {
    try {
      return this.read(version + 1).version > version;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#records = null;
  }

  /** Opens the log with the highest number, if it is newer than the open one. */
  #openNewest(): boolean {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const number = newestManifest(this.#storage.list(this.#folder));
      if (number <= this.#number) return false;
      const name = join(this.#folder, manifestName(number));
      try {
        const file = this.#storage.open(name);
        this.close();
        this.#file = file;
        this.#number = number;
        this.#records = RecordReader.open(file, name, MANIFEST_KIND);
        return true;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return false;
  }

  /** Reads on to the end of the open log. */
  #advance(): void {
    const records = this.#records;
    if (!records) return;
    const file = join(this.#folder, manifestName(this.#number));
    const begun = records.offset;
    let last: Uint8Array | null = null;
    for (let payload = records.next(); payload; payload = records.next()) {
      const expected = (last ? versionOf(last, file) : (this.#state?.version ?? NaN)) + 1;
      const found = versionOf(payload, file);
      if (found < expected || (found > expected && last)) {
        throw damagedFile({
          file,
          offset: begun,
          expected: `version ${expected}`,
          found: `version ${found}`,
        });
      }
      last = payload;
    }
    if (last) this.#state = decodeState(last, file, this.#state?.settings);
    // A log is created with its first record: a log without one is damaged, not torn.
    else if (!this.#state)
      throw damagedFile({ file, offset: begun, expected: "a valid record", found: "none" });
  }
}
