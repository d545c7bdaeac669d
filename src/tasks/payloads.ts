// The payload files of waiting additions: `payloads/<random>.ndjson` in the storage. Written by the HTTP
// side, synced and taken over at registration, removed once their task ended. Of small ones the journal holds
// a copy instead of a sync, and their files are written again at start. What no waiting task names then is
// left over from requests that were never acknowledged, and is removed.
import { join, type Storage, type WritableFile } from "../storage/storage.ts";

/** A payload file that the caller writes before it registers the addition. */
export interface PayloadReservation {
  /** Name inside the storage. */
  readonly name: string;
  /** Open, empty. */
  readonly file: WritableFile;
}

export class Payloads {
  readonly #storage: Storage;
  #folderSync: Promise<void> | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
    storage.makeFolder(FOLDER);
  }

  reserve(): PayloadReservation {
    const name = join(FOLDER, `${globalThis.crypto.randomUUID()}.ndjson`);
    return { name, file: this.#storage.create(name) };
  }

  /** Makes a written payload durable and closes it. */
  async keep(payload: PayloadReservation): Promise<void> {
    try {
      await payload.file.syncLater();
      await this.#syncFolder();
    } catch (cause) {
      this.discard(payload);
      throw cause;
    }
    payload.file.close();
  }

  /** Closes a written payload and returns its bytes, which the caller makes durable elsewhere. */
  takeInline({ name, file }: PayloadReservation): Uint8Array {
    file.close();
    const input = this.#storage.open(name);
    try {
      const bytes = new Uint8Array(input.size);
      input.readInto(bytes, 0);
      return bytes;
    } finally {
      input.close();
    }
  }

  /** Writes the file of a payload that was taken inline; it need not survive a crash. */
  restore(name: string, bytes: Uint8Array): void {
    const file = this.#storage.create(name);
    file.append(bytes);
    file.close();
  }

  discard(payload: PayloadReservation): void {
    payload.file.close();
    this.remove(payload.name);
  }

  remove(name: string): void {
    this.#storage.remove(name);
  }

  /** `waiting`: names of the payloads that enqueued tasks still need. */
  removeOrphans(waiting: Set<string>): void {
    for (const file of this.#storage.list(FOLDER)) {
      const name = join(FOLDER, file);
      if (!waiting.has(name)) this.#storage.remove(name);
    }
  }

  /** Bytes of all payload files. */
  bytes(): number {
    return this.#storage.list(FOLDER).reduce((sum, file) => sum + this.#storage.size(join(FOLDER, file)), 0);
  }

  /** One sync of the folder serves every payload that was written before it starts. */
  #syncFolder(): Promise<void> {
    this.#folderSync ??= Promise.resolve().then(() => {
      this.#folderSync = null;
      this.#storage.syncFolder(FOLDER);
    });
    return this.#folderSync;
  }
}

const FOLDER = "payloads";
