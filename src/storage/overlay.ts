// A storage on top of another one, which is left unchanged: what is written is kept in memory and hides what
// is below. Lets an instance run on a bundle (bundle.ts), which cannot be written to. Used by
// src/browser/opening.ts.
import { missingFile } from "./failure.ts";
import { MemoryStorage } from "./memory.ts";
import { checkName } from "./name.ts";
import { folderOf, join, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

export class OverlayStorage implements Storage {
  readonly readsAhead = false;
  readonly #base: Storage;
  readonly #above = new MemoryStorage();
  /** Names of files and folders that are in the base, but were removed or replaced. */
  readonly #hidden = new Set<string>();
  /** Files of the base that are open: their readers see what is appended to the copy. */
  readonly #opened = new Map<string, { file: ReadableFile }>();

  constructor(base: Storage) {
    this.#base = base;
  }

  list(folder: string): string[] {
    return this.#merged(folder, this.#base.list(folder), this.#above.list(folder));
  }

  listFolders(folder: string): string[] {
    return this.#merged(folder, this.#base.listFolders(folder), this.#above.listFolders(folder));
  }

  exists(name: string): boolean {
    return this.#above.exists(name) || this.#isBelow(name);
  }

  size(name: string): number {
    return this.#holder(name).size(name);
  }

  open(name: string): ReadableFile {
    if (!this.#isBelow(name)) return this.#above.open(name);
    const place = this.#opened.get(name) ?? { file: this.#base.open(name) };
    this.#opened.set(name, place);
    return {
      get size() {
        return place.file.size;
      },
      readInto: (target, offset) => place.file.readInto(target, offset),
      close: () => {},
    };
  }

  create(name: string): WritableFile {
    this.#lift("create", folderOf(name));
    const file = this.#above.create(name);
    this.#hidden.add(name);
    return file;
  }

  openToAppend(name: string): WritableFile {
    this.#lift("open", folderOf(name));
    this.#copy(name);
    const file = this.#above.openToAppend(name);
    const place = this.#opened.get(name);
    if (place) place.file = this.#above.open(name);
    this.#opened.delete(name);
    return file;
  }

  createIfAbsent(name: string, bytes: Uint8Array): boolean {
    if (this.exists(name)) return false;
    this.#lift("create", folderOf(name));
    return this.#above.createIfAbsent(name, bytes);
  }

  rename(from: string, to: string): void {
    if (!this.exists(from)) throw missingFile("rename", from);
    this.#lift("rename", folderOf(from));
    this.#lift("rename", folderOf(to));
    this.#copy(from);
    for (const name of [from, to]) this.#opened.delete(name);
    this.#above.rename(from, to);
    this.#hidden.add(to);
  }

  remove(name: string): void {
    this.#above.remove(name);
    this.#opened.delete(name);
    if (this.#base.exists(name)) this.#hidden.add(name);
  }

  makeFolder(name: string): void {
    this.#above.makeFolder(name);
  }

  removeFolder(name: string): void {
    this.#above.removeFolder(name);
    this.#hide(name);
  }

  syncFolder(name: string): void {
    if (!this.exists(name)) throw missingFile("sync", name);
  }

  #merged(folder: string, below: string[], above: string[]): string[] {
    const kept = below.filter((name) => !this.#hidden.has(join(folder, name)));
    return [...new Set([...kept, ...above])].sort();
  }

  #isBelow(name: string): boolean {
    return !this.#hidden.has(name) && this.#base.exists(name);
  }

  #holder(name: string): Storage {
    return this.#isBelow(name) ? this.#base : this.#above;
  }

  /** Makes a folder of the base writable. */
  #lift(action: string, folder: string): void {
    if (this.#above.exists(folder)) return;
    if (!this.#isBelow(folder)) throw missingFile(action, folder);
    this.#above.makeFolder(folder);
  }

  /** Copies a file of the base, with its bytes. */
  #copy(name: string): void {
    checkName(name);
    if (!this.#isBelow(name)) return;
    const from = this.#base.open(name);
    const bytes = new Uint8Array(from.size);
    from.readInto(bytes, 0);
    from.close();
    this.#above.createIfAbsent(name, bytes);
    this.#hidden.add(name);
  }

  /** Hides a folder of the base with everything in it. */
  #hide(folder: string): void {
    if (!this.#base.exists(folder)) return;
    this.#hidden.add(folder);
    for (const name of this.#base.list(folder)) this.#hidden.add(join(folder, name));
    for (const name of this.#base.listFolders(folder)) this.#hide(join(folder, name));
  }
}
