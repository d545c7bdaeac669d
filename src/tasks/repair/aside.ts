// The folder inside a data folder that a repair moves damaged files to: nothing is deleted, because what this
// program cannot read somebody else may.
//
//   damaged-<date>/<the path that the file had>
import { piecesOf } from "../../storage/filepieces.ts";
import { baseOf, folderOf, join, type Storage } from "../../storage/storage.ts";

export class Aside {
  readonly #storage: Storage;
  readonly folder: string;

  constructor(storage: Storage, now: Date) {
    this.#storage = storage;
    this.folder = `${PREFIX}${now.toISOString().replace(/[:.]/g, "-")}`;
  }

  /** Whether a repair, this one or one before, was about to move a folder. */
  hasBegun(folder: string): boolean {
    const places = this.#storage.listFolders("").filter((name) => name.startsWith(PREFIX));
    return places.some((place) => {
      const [outer, inner] = [folderOf(folder), baseOf(folder)];
      return this.#storage.listFolders(join(place, outer)).includes(inner);
    });
  }

  /** Notes, for `hasBegun`, that a folder is moved next. Durable when it returns. */
  begin(folder: string): void {
    const target = join(this.folder, folder);
    this.#storage.makeFolder(target);
    this.#storage.syncFolder(folderOf(target));
  }

  /** The folder stays where it is after all. */
  cancel(folder: string): void {
    const target = join(this.folder, folder);
    if (this.#storage.exists(target)) this.#storage.removeFolder(target);
  }

  /** Durable when it returns. */
  moveFile(name: string): void {
    const target = join(this.folder, name);
    this.#storage.makeFolder(folderOf(target));
    this.#storage.rename(name, target);
    this.#storage.syncFolder(folderOf(target));
    this.#storage.syncFolder(folderOf(name));
  }

  /** The file stays where it is, until something takes its name. Durable when it returns. */
  copyFile(name: string): void {
    const target = join(this.folder, name);
    this.#storage.makeFolder(folderOf(target));
    const source = this.#storage.open(name);
    try {
      const copy = this.#storage.create(target);
      try {
        for (const piece of piecesOf(source, source.size)) copy.append(piece);
        copy.sync();
      } finally {
        copy.close();
      }
    } finally {
      source.close();
    }
    this.#storage.syncFolder(folderOf(target));
  }

  /** All files directly inside a folder, which is removed when it is empty then. */
  moveFolder(name: string): void {
    for (const file of this.#storage.list(name)) this.moveFile(join(name, file));
    if (this.#storage.listFolders(name).length === 0) this.#storage.removeFolder(name);
  }
}

const PREFIX = "damaged-";
