// The payloads of waiting additions. Small ones are kept in the journal, with their tasks, and cost no file
// and no sync of their own. The others are files, `payloads/<random>.ndjson` in the storage: written by the
// HTTP side, synced and taken over at registration, and removed when their task has ended. Files that no
// waiting task names at start come from requests that were never acknowledged, and are removed.
import { PAYLOAD_INLINE_BYTES_MAX } from "../limits.ts";
import { BytesFile } from "../storage/bytesfile.ts";
import { isFull } from "../storage/failure.ts";
import { join, type ReadableFile, type Storage, type WritableFile } from "../storage/storage.ts";
import type { State } from "./state.ts";

export const PAYLOADS_FOLDER = "payloads";

/** A payload that the caller writes before it registers the addition. */
export class PayloadDraft {
  readonly #create: () => { name: string; file: WritableFile };
  /** Content of a small payload. */
  #pieces: Uint8Array[] = [];
  #inlineBytes = 0;
  #stored: { name: string; file: WritableFile } | null = null;

  /** `create`: makes the file of a payload that has become too large to be small. */
  constructor(create: () => { name: string; file: WritableFile }) {
    this.#create = create;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#stored?.file.size ?? this.#inlineBytes;
  }

  /** File of a payload that is not small; null for a small one. */
  get stored(): { readonly name: string; readonly file: WritableFile } | null {
    return this.#stored;
  }

  /** Takes a copy of the bytes. */
  append(bytes: Uint8Array): void {
    if (this.#stored === null && this.#inlineBytes + bytes.length <= PAYLOAD_INLINE_BYTES_MAX) {
      this.#pieces.push(bytes.slice());
      this.#inlineBytes += bytes.length;
      return;
    }
    if (this.#stored === null) {
      this.#stored = this.#create();
      if (this.#pieces.length > 0) this.#stored.file.append(this.#pieces);
      this.#pieces = [];
    }
    this.#stored.file.append(bytes);
  }

  /** The content of a small payload. */
  inline(): Uint8Array {
    return this.#pieces.length === 1 ? this.#pieces[0] : new Uint8Array(Buffer.concat(this.#pieces));
  }
}

export class Payloads {
  readonly #storage: Storage;
  #folderSync: Promise<void> | null = null;
  /** The error of a sync that failed: what the disk says of later syncs cannot be trusted until a restart. */
  #failure: unknown = null;

  constructor(storage: Storage) {
    this.#storage = storage;
    storage.makeFolder(PAYLOADS_FOLDER);
  }

  draft(): PayloadDraft {
    return new PayloadDraft(() => {
      const name = join(PAYLOADS_FOLDER, `${globalThis.crypto.randomUUID()}.ndjson`);
      return { name, file: this.#storage.create(name) };
    });
  }

  /** Opens a payload that was kept, from its bytes or its file. */
  open(inline: Uint8Array | null, name: string | null): ReadableFile {
    return inline === null ? this.#storage.open(name!) : new BytesFile(inline);
  }

  /**
   * Makes a written payload durable and closes it; a small one is returned, and the journal makes it durable.
   */
  async keep(draft: PayloadDraft): Promise<Uint8Array | null> {
    if (draft.stored === null) return draft.inline();
    try {
      await draft.stored.file.syncLater();
      await this.#syncFolder();
    } catch (cause) {
      // With a full disk only this file is lost, and nothing is in doubt.
      if (!isFull(cause)) this.#failure ??= cause;
      this.discard(draft);
      throw cause;
    }
    draft.stored.file.close();
    return null;
  }

  /** Throws if nothing may be acknowledged any more. */
  refuseFailed(): void {
    if (this.#failure) throw this.#failure;
  }

  discard({ stored }: PayloadDraft): void {
    if (stored === null) return;
    stored.file.close();
    this.remove(stored.name);
  }

  remove(name: string): void {
    this.#storage.remove(name);
  }

  /** Bytes of all payload files. */
  bytes(): number {
    return this.#storage
      .list(PAYLOADS_FOLDER)
      .reduce((sum, file) => sum + this.#storage.size(join(PAYLOADS_FOLDER, file)), 0);
  }

  /** One sync of the folder serves every payload that was written before it starts. */
  #syncFolder(): Promise<void> {
    this.#folderSync ??= Promise.resolve().then(() => {
      this.#folderSync = null;
      this.#storage.syncFolder(PAYLOADS_FOLDER);
    });
    return this.#folderSync;
  }
}

/** Payload files that no waiting task, and no write for another server, names. */
export function orphanedPayloads(storage: Storage, { tasks, outgoing }: State): string[] {
  const named = new Set<string>();
  for (const { payload } of outgoing) if (payload !== null) named.add(payload);
  for (const [, { payload }] of tasks.waitingAdditions()) if (payload !== null) named.add(payload);
  const files = storage.list(PAYLOADS_FOLDER).map((name) => join(PAYLOADS_FOLDER, name));
  return files.filter((name) => !named.has(name));
}
