// A storage in the memory of this process: for embedded indexes that are not kept, for tests, and as the
// state that the crash tests reopen. Behaves like a file system: open files outlive their names.
import { AppendFile, type BareFile } from "./appendfile.ts";
import { missingFile, storageError } from "./failure.ts";
import { checkName, namesInside } from "./name.ts";
import { folderOf, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

const FIRST_BYTES = 256;

export class MemoryStorage implements Storage {
  readonly readsAhead = false;
  readonly #files = new Map<string, Content>();
  readonly #folders = new Set<string>([""]);

  list(folder: string): string[] {
    return namesInside(folder, this.#files.keys());
  }

  listFolders(folder: string): string[] {
    return namesInside(folder, this.#folders);
  }

  exists(name: string): boolean {
    checkName(name);
    return this.#files.has(name) || this.#folders.has(name);
  }

  size(name: string): number {
    return this.#content("read the size of", name).size;
  }

  open(name: string): ReadableFile {
    return new OpenContent(this.#content("open", name));
  }

  create(name: string): WritableFile {
    const content = this.#contentOrNew("create", name);
    content.truncate(0);
    return new AppendFile(name, content, 0);
  }

  openToAppend(name: string): WritableFile {
    const content = this.#contentOrNew("open", name);
    return new AppendFile(name, content, content.size);
  }

  createIfAbsent(name: string, bytes: Uint8Array): boolean {
    if (this.exists(name)) return false;
    this.#contentOrNew("create", name).write([bytes], 0);
    return true;
  }

  rename(from: string, to: string): void {
    const content = this.#content("rename", from);
    this.#checkFolder("rename", to);
    this.#files.delete(from);
    this.#files.set(to, content);
  }

  remove(name: string): void {
    checkName(name);
    this.#files.delete(name);
  }

  makeFolder(name: string): void {
    checkName(name);
    for (let folder = name; folder !== ""; folder = folderOf(folder)) this.#folders.add(folder);
  }

  removeFolder(name: string): void {
    checkName(name);
    for (const names of [this.#files, this.#folders]) {
      for (const inside of names.keys()) if (inside.startsWith(`${name}/`)) names.delete(inside);
    }
    this.#folders.delete(name);
  }

  syncFolder(name: string): void {
    if (!this.#folders.has(name)) throw missingFile("sync", name);
  }

  #content(action: string, name: string): Content {
    checkName(name);
    const content = this.#files.get(name);
    if (!content) throw missingFile(action, name);
    return content;
  }

  #contentOrNew(action: string, name: string): Content {
    this.#checkFolder(action, name);
    const content = this.#files.get(name) ?? new Content();
    this.#files.set(name, content);
    return content;
  }

  #checkFolder(action: string, name: string): void {
    checkName(name);
    if (!this.#folders.has(folderOf(name))) throw missingFile(action, name);
    if (this.#folders.has(name)) throw storageError(action, name, { code: "EISDIR" });
  }
}

/** The bytes of one file, in an array that grows by doubling. */
class Content implements BareFile {
  bytes = new Uint8Array(FIRST_BYTES);
  size = 0;

  write(pieces: Uint8Array[], offset: number): void {
    let end = offset;
    for (const piece of pieces) end += piece.length;
    if (end > this.bytes.length) this.#grow(end);
    let at = offset;
    for (const piece of pieces) {
      this.bytes.set(piece, at);
      at += piece.length;
    }
    this.size = Math.max(this.size, end);
  }

  truncate(size: number): void {
    if (size > this.bytes.length) this.#grow(size);
    this.bytes.fill(0, size, Math.max(size, this.size));
    this.size = size;
  }

  sync(): void {}

  async syncLater(): Promise<void> {}

  close(): void {}

  #grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, this.bytes.length * 2));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

class OpenContent implements ReadableFile {
  readonly #content: Content;

  constructor(content: Content) {
    this.#content = content;
  }

  get size(): number {
    return this.#content.size;
  }

  readInto(target: Uint8Array, offset: number): number {
    const { bytes, size } = this.#content;
    const found = bytes.subarray(Math.min(offset, size), Math.min(offset + target.length, size));
    target.set(found);
    return found.length;
  }

  close(): void {}
}
