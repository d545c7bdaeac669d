// The folder inside a data folder that a repair moves damaged files to: nothing is deleted, because another
// program may be able to read what this one cannot.
//
//   damaged-<date>/<the path that the file had>
//   damaged-<date>/indexes/<folder>/replaced-by     the folder of the index that was built from this one
import { isManifestName } from "../../segment/manifestfiles.ts";
import { piecesOf } from "../../storage/filepieces.ts";
import { folderOf, join, type Storage } from "../../storage/storage.ts";

export class Aside {
  readonly #storage: Storage;
  readonly folder: string;

  constructor(storage: Storage, now: Date) {
    this.#storage = storage;
    this.folder = `${PREFIX}${now.toISOString().replace(/[:.]/g, "-")}`;
  }

  /** Notes which folder will replace the one that is moved next. Durable when it returns. */
  begin(folder: string, newer: string): void {
    const target = join(this.folder, folder);
    this.#storage.makeFolder(target);
    const note = this.#storage.create(join(target, NOTE));
    try {
      note.append(Buffer.from(newer));
      note.sync();
    } finally {
      note.close();
    }
    this.#storage.syncFolder(target);
    this.#storage.syncFolder(folderOf(target));
  }

  /** Folders that were to replace this one, by this repair or earlier ones, whether or not they did. */
  replacements(folder: string): string[] {
    const places = this.#storage.listFolders("").filter((name) => name.startsWith(PREFIX));
    const folders = places.map((place) => join(place, folder));
    const noted = folders.filter((place) => this.#storage.list(place).includes(NOTE));
    return noted.map((place) => this.#textOf(join(place, NOTE)));
  }

  /** Durable when it returns. */
  moveFile(name: string): void {
    const target = join(this.folder, name);
    this.#storage.makeFolder(folderOf(target));
    this.#storage.rename(name, target);
    this.#storage.syncFolder(folderOf(target));
    this.#storage.syncFolder(folderOf(name));
  }

  /** Copies the file, which stays in place until another takes its name. Durable when it returns. */
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

  /**
   * Moves all files directly inside a folder, and removes the folder if it is then empty. Manifests come
   * last: by them the next repair recognises a folder that was moved in part.
   */
  moveFolder(name: string): void {
    const files = this.#storage.list(name);
    const ordered = [...files.filter((file) => !isManifestName(file)), ...files.filter(isManifestName)];
    for (const file of ordered) this.moveFile(join(name, file));
    if (this.#storage.listFolders(name).length === 0) this.#storage.removeFolder(name);
  }

  #textOf(name: string): string {
    const file = this.#storage.open(name);
    try {
      const bytes = new Uint8Array(file.size);
      file.readInto(bytes, 0);
      return new TextDecoder().decode(bytes);
    } finally {
      file.close();
    }
  }
}

const PREFIX = "damaged-";
/** File in a folder that is moved because another one replaces it: holds the name of that one. */
const NOTE = "replaced-by";
