// The files of a dump that is being imported, on the disk under numbers: their names come from another
// system, and here `Movies` and `movies` may be one name, or `con` none. Filled and read by import.ts.
import { missingFile } from "../../storage/failure.ts";
import { join, type ReadableFile, type Storage, type WritableFile } from "../../storage/storage.ts";

/** What the readers of the versions need of the files. */
export type DumpFiles = Pick<Storage, "exists" | "listFolders" | "open">;

export class UnpackedFiles implements DumpFiles {
  readonly #storage: Storage;
  readonly #folder: string;
  /** By the name in the dump: the number under which a file was written. */
  readonly #numbers = new Map<string, number>();

  /** `folder`: folder of the storage, which must exist. */
  constructor(storage: Storage, folder: string) {
    this.#storage = storage;
    this.#folder = folder;
  }

  create(name: string): WritableFile {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return this.#storage.create(this.#place(number));
  }

  /** Folders are only parts of names. */
  makeFolder(): void {}

  syncFolder(): void {
    this.#storage.syncFolder(this.#folder);
  }

  exists(name: string): boolean {
    return this.#numbers.has(name);
  }

  listFolders(folder: string): string[] {
    const start = join(folder, "");
    const inside = [...this.#numbers.keys()].filter((name) => name.startsWith(start));
    const paths = inside.map((name) => name.slice(start.length)).filter((path) => path.includes("/"));
    return [...new Set(paths.map((path) => path.slice(0, path.indexOf("/"))))].sort();
  }

  open(name: string): ReadableFile {
    const number = this.#numbers.get(name);
    if (number === undefined) throw missingFile("open", name);
    return this.#storage.open(this.#place(number));
  }

  #place(number: number): string {
    return join(this.#folder, String(number));
  }
}
