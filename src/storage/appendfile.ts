// The rules of a growing file, written once for all storages: appends are whole or not at all, and a failed
// sync ends the life of the file. A storage supplies the bare operations.
//
// Why a failed sync is final: the system may drop the pages that it could not write and then report success
// for the next sync, so nothing appended later could honestly be acknowledged
// (https://wiki.postgresql.org/wiki/Fsync_Errors).
import { StorageError, storageError } from "./failure.ts";
import type { WritableFile } from "./storage.ts";

/** What a storage must be able to do with an open file. Each may throw the system's own errors. */
export interface BareFile {
  /** Writes all pieces at `offset`; may have written a part when it throws. */
  write(pieces: Uint8Array[], offset: number): void;
  /** Makes room for a file of `size` bytes; where it is missing the storage has no such operation. */
  reserve?(size: number): void;
  truncate(size: number): void;
  sync(): void;
  syncLater(): Promise<void>;
  close(): void;
}

export class AppendFile implements WritableFile {
  readonly #name: string;
  readonly #bare: BareFile;
  #size: number;
  #poison: StorageError | null = null;

  constructor(name: string, bare: BareFile, size: number) {
    this.#name = name;
    this.#bare = bare;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array | Uint8Array[]): void {
    this.#refusePoisoned("write to");
    const pieces = Array.isArray(bytes) ? bytes : [bytes];
    try {
      this.#bare.write(pieces, this.#size);
    } catch (cause) {
      this.#rollBack();
      throw storageError("write to", this.#name, cause);
    }
    for (const piece of pieces) this.#size += piece.length;
  }

  reserve(bytes: number): void {
    this.#bare.reserve?.(this.#size + bytes);
  }

  truncate(size: number): void {
    this.#refusePoisoned("truncate");
    try {
      this.#bare.truncate(size);
    } catch (cause) {
      throw storageError("truncate", this.#name, cause);
    }
    this.#size = size;
  }

  sync(): void {
    this.#refusePoisoned("sync");
    try {
      this.#bare.sync();
    } catch (cause) {
      throw this.#poisonBy(storageError("sync", this.#name, cause));
    }
  }

  async syncLater(): Promise<void> {
    this.#refusePoisoned("sync");
    try {
      await this.#bare.syncLater();
    } catch (cause) {
      throw this.#poisonBy(storageError("sync", this.#name, cause));
    }
    // Another sync may have failed meanwhile and used up the only report of lost pages.
    this.#refusePoisoned("sync");
  }

  close(): void {
    this.#bare.close();
  }

  /** Removes what a failed write left behind: the next record must not follow half of another one. */
  #rollBack(): void {
    try {
      this.#bare.truncate(this.#size);
    } catch (cause) {
      this.#poisonBy(storageError("truncate", this.#name, cause));
    }
  }

  #poisonBy(error: StorageError): StorageError {
    this.#poison ??= error;
    return error;
  }

  #refusePoisoned(action: string): void {
    if (!this.#poison) return;
    const reason = `it takes no more writes until a restart, after a failure: ${this.#poison.message}`;
    throw new StorageError(action, this.#name, "EPOISONED", reason);
  }
}
