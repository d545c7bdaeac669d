// A log that is being written to replace another one (RecordLog.replaceLater). It is written beside the
// old log and gets its name when it is complete and synced; until then the old log is the valid one.
import { decodeHeader, encodeHeader, encodeRecord, LOG_HEADER_BYTES } from "./recordformat.ts";
import { folderOf, type Storage, type WritableFile } from "./storage.ts";

/** Records are gathered up to this size, then written and, in the background, synced. */
const SLICE_BYTES = 256 * 1024;

/** Name under which the replacement of a log is written. */
export function replacementOf(name: string): string {
  return `${name}.new`;
}

/** Called for each record with its place in the new log. */
export type OnPlaced = (payload: Uint8Array, place: number) => void;

export class LogReplacement {
  readonly file: WritableFile;
  readonly salt: number;
  readonly #storage: Storage;
  readonly #name: string;
  /** Size of the file, including gathered records. */
  #size = LOG_HEADER_BYTES;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** `name`: name of the log to replace. */
  constructor(storage: Storage, name: string, kind: string) {
    const header = encodeHeader(kind);
    this.salt = decodeHeader(header, name, kind);
    this.#storage = storage;
    this.#name = name;
    this.file = storage.create(replacementOf(name));
    this.#pending.push(header);
  }

  /**
   * Adds records, and reports the place of each. Before the new log gets its final name it is synced: so
   * nothing counts as unsynced.
   */
  add(records: Iterable<Uint8Array>, onPlaced: OnPlaced): void {
    for (const record of records) onPlaced(record, this.#addOne(record));
  }

  /** The same slice by slice, syncing each slice without blocking the thread. */
  async addLater(records: Iterable<Uint8Array>, onPlaced: OnPlaced): Promise<void> {
    for (const record of records) {
      onPlaced(record, this.#addOne(record));
      if (this.#pendingBytes === 0) await this.file.syncLater();
    }
    this.#flush();
    await this.file.syncLater();
  }

  /** Writes and syncs the rest. After this the new log is complete, while the old one is still in place. */
  finish(): void {
    this.#flush();
    this.file.sync();
  }

  /** Gives the new log the name of the old one. After an error the name may belong to either. */
  takeName(): void {
    this.#storage.rename(replacementOf(this.#name), this.#name);
  }

  /** Makes the new name durable. */
  syncName(): void {
    this.#storage.syncFolder(folderOf(this.#name));
  }

  /** Removes what was written. */
  abandon(): void {
    try {
      this.file.close();
    } catch {
      // It may be the second failure of one disk: the caller has the first.
    }
    try {
      this.#storage.remove(replacementOf(this.#name));
    } catch {
      // The caller has a better error to report; leftovers are removed when the log is opened again.
    }
  }

  #addOne(record: Uint8Array): number {
    const place = this.#size;
    const bytes = encodeRecord(record, this.salt, 0);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#size += bytes.length;
    if (this.#pendingBytes >= SLICE_BYTES) this.#flush();
    return place;
  }

  #flush(): void {
    this.file.append(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
