// A storage in memory with little room: what would take more than is free is refused, as on a full disk.
import { storageError } from "../../src/storage/failure.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { join, type WritableFile } from "../../src/storage/storage.ts";

export class SmallDisk extends MemoryStorage {
  /** Bytes that all files may take together. */
  #capacity = Number.POSITIVE_INFINITY;

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

  #limited(name: string, file: WritableFile): WritableFile {
    const append = file.append.bind(file);
    file.append = (bytes) => {
      const added = Array.isArray(bytes) ? bytes.reduce((sum, { length }) => sum + length, 0) : bytes.length;
      if (this.#used() + added > this.#capacity) throw storageError("write to", name, { code: "ENOSPC" });
      append(bytes);
    };
    return file;
  }

  #used(folder = ""): number {
    const files = this.list(folder).map((name) => this.size(join(folder, name)));
    const inside = this.listFolders(folder).map((name) => this.#used(join(folder, name)));
    return [...files, ...inside].reduce((sum, bytes) => sum + bytes, 0);
  }
}
