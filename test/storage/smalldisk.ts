// A storage in memory with little room: what would take more than is free is refused, as on a full disk.
import { storageError } from "../../src/storage/failure.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { join, type WritableFile } from "../../src/storage/storage.ts";

export class SmallDisk extends MemoryStorage {
  /** Bytes that all files may take together. */
  #capacity = Number.POSITIVE_INFINITY;
  readonly #keepsRoom: boolean;
  /** Sizes that files may have whatever is free; below, names of the files that were opened. */
  readonly #rooms = new Map<string, number>();
  readonly #names = new Map<WritableFile, string>();

  /** `keepsRoom`: room that is reserved for a file is kept for it, as in browsers. */
  constructor({ keepsRoom = false } = {}) {
    super();
    this.#keepsRoom = keepsRoom;
  }

  /** Leaves room for so many bytes more. */
  leaveFree(bytes: number): void {
    this.#capacity = this.#used() + bytes;
  }

  override create(name: string): WritableFile {
    return this.#limited(name, super.create(name));
  }

  override openToAppend(name: string): WritableFile {
    return this.#limited(name, super.openToAppend(name));
  }

  /** Open files go along, and so does their room. */
  override rename(from: string, to: string): void {
    super.rename(from, to);
    for (const [file, name] of this.#names) if (name === from) this.#names.set(file, to);
    const room = this.#rooms.get(from);
    this.#rooms.delete(to);
    this.#rooms.delete(from);
    if (room !== undefined) this.#rooms.set(to, room);
  }

  #limited(created: string, file: WritableFile): WritableFile {
    this.#names.set(file, created);
    const append = file.append.bind(file);
    file.append = (bytes) => {
      const added = Array.isArray(bytes) ? bytes.reduce((sum, { length }) => sum + length, 0) : bytes.length;
      this.#checkRoom("write to", this.#names.get(file)!, file.size + added);
      append(bytes);
    };
    file.reserve = (bytes) => {
      if (!this.#keepsRoom) return;
      const name = this.#names.get(file)!;
      this.#checkRoom("make room for", name, file.size + bytes);
      this.#rooms.set(name, file.size + bytes);
    };
    return file;
  }

  /** Whether the file may have this size. */
  #checkRoom(action: string, name: string, size: number): void {
    const added = Math.max(0, size - this.#taken(name));
    if (this.#used() + added > this.#capacity) throw storageError(action, name, { code: "ENOSPC" });
  }

  #taken(name: string): number {
    return Math.max(this.size(name), this.#rooms.get(name) ?? 0);
  }

  #used(folder = ""): number {
    const files = this.list(folder).map((name) => this.#taken(join(folder, name)));
    const inside = this.listFolders(folder).map((name) => this.#used(join(folder, name)));
    return [...files, ...inside].reduce((sum, bytes) => sum + bytes, 0);
  }
}
