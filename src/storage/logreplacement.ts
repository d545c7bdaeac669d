// A log in the making that is to take the place of another one (RecordLog.replaceWith and replaceLater). It
// is written beside the old log and gets its name when it is whole and synced; until then the old log is the
// valid one.
import { decodeHeader, encodeHeader, encodeRecord, LOG_HEADER_BYTES } from "./recordformat.ts";
import { folderOf, type Storage, type WritableFile } from "./storage.ts";

/** Records are gathered until they fill this much, then written and, in the background, synced. */
const SLICE_BYTES = 256 * 1024;

/** Name under which the replacement of a log is written. */
export function replacementOf(name: string): string {
  return `${name}.new`;
}

/** Told of each record, and where the new log has it. */
export type OnPlaced = (payload: Uint8Array, place: number) => void;

export class LogReplacement {
  readonly file: WritableFile;
  readonly salt: number;
  readonly #storage: Storage;
  readonly #name: string;
  /** Of the file, with what is gathered. */
  #size = LOG_HEADER_BYTES;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** `name`: of the log to be replaced. */
  constructor(storage: Storage, name: string, kind: string) {
    const header = encodeHeader(kind);
    this.salt = decodeHeader(header, name, kind);
    this.#storage = storage;
    this.#name = name;
    this.file = storage.create(replacementOf(name));
    this.#pending.push(header);
  }

  /**
   * Adds records, and tells the place of each. What is written under the final name was synced before: so
   * nothing counts as unsynced.
   */
  add(records: Iterable<Uint8Array>, onPlaced: OnPlaced): void {
    for (const record of records) onPlaced(record, this.#addOne(record));
  }

  /** The same slice by slice, each of them synced without blocking the thread. */
  async addLater(records: Iterable<Uint8Array>, onPlaced: OnPlaced): Promise<void> {
    for (const record of records) {
      onPlaced(record, this.#addOne(record));
      if (this.#pendingBytes === 0) await this.file.syncLater();
    }
    this.#flush();
    await this.file.syncLater();
  }

  /** Writes and syncs what is missing. The new log is whole after this, the old one still in place. */
  finish(): void {
    this.#flush();
    this.file.sync();
  }

  /** Gives the new log the name of the old one. After an error either may have it. */
  takeName(): void {
    this.#storage.rename(replacementOf(this.#name), this.#name);
    this.#storage.syncFolder(folderOf(this.#name));
  }

  /** Removes what was written. */
  abandon(): void {
    this.file.close();
    try {
      this.#storage.remove(replacementOf(this.#name));
    } catch {
      // The caller has a better error to tell; what stays is removed when the log is opened again.
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
