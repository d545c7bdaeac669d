// The private folder of a page, in memory, with what may be strange about it: no room, files that are listed
// in any order, contents that a crash loses.
import { OpfsStorage } from "../../src/storage/opfs.ts";
import type { SyncFile } from "../../src/storage/opfsnames.ts";

export class FakeFolder {
  readonly name = "fake";
  /** What a write returns that is not done in full. */
  readonly #lack: (written: number) => number;
  /** Bytes by which files still can grow. */
  room = Number.POSITIVE_INFINITY;
  /** Files that can still be made. */
  more = Number.POSITIVE_INFINITY;
  /** Why no others can. */
  refusal = "QuotaExceededError";
  /** Names of the files that are open. */
  readonly opened = new Set<string>();
  /** Like that of a private window: a file that cannot become larger stays as it is without a word. */
  isPrivate = false;
  readonly #files = new Map<string, SyncFile>();
  /** What of each file survives a crash. */
  readonly #durable = new Map<string, Uint8Array>();

  constructor(lack = (written: number) => written) {
    this.#lack = lack;
  }

  /** The newest first. */
  keys(): IterableIterator<string> {
    return [...this.#files.keys()].reverse().values();
  }

  /** The folder as it is after a crash. */
  crashed(): FakeFolder {
    const after = new FakeFolder(this.#lack);
    for (const name of this.#files.keys())
      after.#files.set(name, after.#newFile(name, this.#durable.get(name)));
    return after;
  }

  /** Changes a byte of a file. */
  damage(name: string, at: number): void {
    const byte = new Uint8Array(1);
    this.opened.add(name);
    this.#files.get(name)!.read(byte, { at });
    this.#files.get(name)!.write(
      byte.map((value) => value ^ 1),
      { at },
    );
    this.opened.delete(name);
  }

  /** Replaces what is in a file. */
  replace(name: string, content: Uint8Array): void {
    this.#files.set(name, this.#newFile(name, content));
  }

  /** Loses a file. */
  lose(name: string): void {
    this.#files.delete(name);
  }

  async getFileHandle(name: string) {
    if (!this.#files.has(name) && --this.more < 0) throw new DOMException("no more", this.refusal);
    const file = this.#files.get(name) ?? this.#newFile(name);
    this.#files.set(name, file);
    const createSyncAccessHandle = async () => {
      this.opened.add(name);
      return file;
    };
    return { createSyncAccessHandle };
  }

  /** Its space stays when it becomes smaller. */
  #newFile(name: string, content?: Uint8Array): SyncFile {
    let held = Buffer.from(content ?? []);
    let space = held.length;
    const take = (size: number) => {
      this.room -= Math.max(0, size - space);
      space = Math.max(space, size);
    };
    return {
      read: (target, { at }) => held.copy(target, 0, Math.min(at, held.length)),
      write: (given, { at }) => {
        const written = given.subarray(0, space - at + this.room);
        take(at + written.length);
        held = Buffer.concat([held.subarray(0, at), written, held.subarray(at + written.length)]);
        return written.length === given.length ? given.length : this.#lack(written.length);
      },
      truncate: (size) => {
        if (size > space + this.room) {
          if (this.isPrivate) return;
          throw new DOMException("full", "QuotaExceededError");
        }
        take(size);
        held = Buffer.concat([held], size);
      },
      getSize: () => {
        if (!this.opened.has(name)) throw new DOMException("closed", "InvalidStateError");
        return held.length;
      },
      flush: () => {
        this.#durable.set(name, Uint8Array.from(held));
      },
      close: () => this.opened.delete(name),
    };
  }
}

/** Slots are made when the thread is free. */
export const moreSlots = () => new Promise((resolve) => setTimeout(resolve, 20));

export const open = (folder: FakeFolder) => OpfsStorage.open(folder as unknown as FileSystemDirectoryHandle);
