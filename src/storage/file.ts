// A folder of the file system as a storage. Used by the server and by embedding programs on Node, Bun and
// Deno. Files are made for their owner alone, unless they are to be published: data folders and archives
// contain keys. Existing files keep their permissions.
import * as fs from "node:fs";
import * as path from "node:path";
import { AppendFile, type BareFile } from "./appendfile.ts";
import { isMissing, StorageError, storageError } from "./failure.ts";
import { checkName } from "./name.ts";
import { renamePatiently } from "./patientrename.ts";
import { folderOf, join, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

/** End of the names of unfinished files; leftovers of a crash are removed as obsolete. */
const TEMPORARY_SUFFIX = ".tmp";

/**
 * What systems answer where files cannot have two names: FAT and exFAT (on Windows EISDIR), network and other
 * mounted folders, and apps on Android (EACCES).
 */
const WITHOUT_LINKS = [
  "EPERM",
  "EACCES",
  "EISDIR",
  "EINVAL",
  "EMLINK",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EXDEV",
];

/** Permissions of new files and folders; the umask of the system applies to them. */
interface Modes {
  file: number;
  folder: number;
}

const PRIVATE: Modes = { file: 0o600, folder: 0o700 };
const PUBLISHED: Modes = { file: 0o666, folder: 0o777 };

interface FileStorageOptions {
  /** Whether others may read what is made. Default: false. */
  isPublished?: boolean;
}

export class FileStorage implements Storage {
  readonly readsAhead = true;
  readonly #root: string;
  readonly #durable: boolean;
  readonly #modes: Modes;
  /** Folders whose sync failed: another sync could claim success although names were lost. */
  readonly #poisoned = new Map<string, unknown>();

  /**
   * `root`: path of the folder to which names are relative; made by the first `makeFolder`. `durable` false:
   * syncs do nothing, and the system decides when bytes reach the disk; a crash of the process alone loses
   * nothing.
   */
  constructor(root: string, durable = true, { isPublished = false }: FileStorageOptions = {}) {
    this.#root = path.resolve(root);
    this.#durable = durable;
    this.#modes = isPublished ? PUBLISHED : PRIVATE;
  }

  list(folder: string): string[] {
    return this.#entries(folder)
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  }

  listFolders(folder: string): string[] {
    return this.#entries(folder)
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  }

  exists(name: string): boolean {
    return fs.existsSync(this.#path(name));
  }

  size(name: string): number {
    return attempt("read the size of", name, () => fs.statSync(this.#path(name)).size);
  }

  open(name: string): ReadableFile {
    return new OpenFile(
      name,
      attempt("open", name, () => fs.openSync(this.#path(name), "r")),
    );
  }

  create(name: string): WritableFile {
    const descriptor = attempt("create", name, () => fs.openSync(this.#path(name), "w", this.#modes.file));
    return new AppendFile(name, new Descriptor(descriptor, this.#durable), 0);
  }

  openToAppend(name: string): WritableFile {
    const { O_RDWR, O_CREAT } = fs.constants;
    const flags = O_RDWR | O_CREAT;
    const descriptor = attempt("open", name, () => fs.openSync(this.#path(name), flags, this.#modes.file));
    return new AppendFile(name, new Descriptor(descriptor, this.#durable), fs.fstatSync(descriptor).size);
  }

  createIfAbsent(name: string, bytes: Uint8Array): boolean {
    const temporary = `${name}-${globalThis.crypto.randomUUID()}${TEMPORARY_SUFFIX}`;
    try {
      const file = this.create(temporary);
      try {
        file.append(bytes);
        file.sync();
      } finally {
        file.close();
      }
      if (!giveFreeName(this.#path(temporary), this.#path(name))) return false;
    } catch (cause) {
      throw storageError("create", name, cause);
    } finally {
      fs.rmSync(this.#path(temporary), { force: true });
    }
    this.syncFolder(folderOf(name));
    return true;
  }

  rename(from: string, to: string): void {
    attempt("rename", from, () => renamePatiently(this.#path(from), this.#path(to)));
  }

  remove(name: string): void {
    attempt("remove", name, () => fs.rmSync(this.#path(name), { force: true }));
  }

  makeFolder(name: string): void {
    const made = attempt("make", name || this.#root, () => makeFolders(this.#path(name), this.#modes.folder));
    // Every folder that got a new entry: from the one around the outermost new folder down to the one around
    // the innermost.
    for (const folder of made)
      if (this.#durable) attempt("sync", name, () => syncDirectory(path.dirname(folder)));
  }

  removeFolder(name: string): void {
    attempt("remove", name, () => fs.rmSync(this.#path(name), { recursive: true, force: true }));
  }

  syncFolder(name: string): void {
    if (!this.#durable) return;
    if (this.#poisoned.has(name)) throw this.#poisoned.get(name);
    try {
      attempt("sync", name, () => syncDirectory(this.#path(name)));
    } catch (error) {
      if (!isMissing(error)) this.#poisoned.set(name, error);
      throw error;
    }
  }

  #path(name: string): string {
    checkName(name);
    return name === "" ? this.#root : join(this.#root, name);
  }

  #entries(folder: string): fs.Dirent[] {
    try {
      return fs
        .readdirSync(this.#path(folder), { withFileTypes: true })
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw storageError("list", folder, cause);
    }
  }
}

class OpenFile implements ReadableFile {
  readonly #name: string;
  readonly #descriptor: number;

  constructor(name: string, descriptor: number) {
    this.#name = name;
    this.#descriptor = descriptor;
  }

  get size(): number {
    return attempt("read the size of", this.#name, () => fs.fstatSync(this.#descriptor).size);
  }

  readInto(target: Uint8Array, offset: number): number {
    return attempt("read", this.#name, () => {
      for (let read = 0; ; ) {
        if (read === target.length) return read;
        const count = fs.readSync(this.#descriptor, target, read, target.length - read, offset + read);
        if (count === 0) return read;
        read += count;
      }
    });
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}

class Descriptor implements BareFile {
  readonly #descriptor: number;
  readonly #durable: boolean;

  constructor(descriptor: number, durable: boolean) {
    this.#descriptor = descriptor;
    this.#durable = durable;
  }

  write(pieces: Uint8Array[], offset: number): void {
    const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const written = pieces.length > 1 && total > 0 ? fs.writevSync(this.#descriptor, pieces, offset) : 0;
    if (written === total) return;
    const rest = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces).subarray(written);
    this.#writeOne(rest, offset + written);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#descriptor, size);
  }

  sync(): void {
    if (this.#durable) fs.fdatasyncSync(this.#descriptor);
  }

  syncLater(): Promise<void> {
    if (!this.#durable) return Promise.resolve();
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  #writeOne(bytes: Uint8Array, offset: number): void {
    for (let from = 0; from < bytes.length; ) {
      from += fs.writeSync(this.#descriptor, bytes, from, bytes.length - from, offset + from);
    }
  }
}

/**
 * Gives a complete file a name unless that is taken; false when it is. A hard link is the one call that does
 * both at once. Where there are none, a rename keeps the more important half: the name never belongs to a
 * part of the content, not even after a crash. Between the look and the rename only another process could
 * take the name, and the lock of a data folder keeps that away.
 */
function giveFreeName(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!WITHOUT_LINKS.includes(code)) throw cause;
  }
  if (fs.existsSync(to)) return false;
  renamePatiently(from, to);
  return true;
}

/**
 * Makes a folder and those around it, and returns the new ones, outermost first. Not with Node's `recursive`:
 * below a folder that accepts no new entries, such as /proc, that tries for ever.
 */
function makeFolders(folder: string, mode: number): string[] {
  const missing: string[] = [];
  for (let at = folder; !fs.existsSync(at); at = path.dirname(at)) {
    missing.unshift(at);
    if (path.dirname(at) === at) break;
  }
  return missing.filter((each) => makeOne(each, mode));
}

/** False when another process has made it meanwhile. */
function makeOne(folder: string, mode: number): boolean {
  try {
    fs.mkdirSync(folder, { mode });
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST" && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
    if (code !== "ENOENT") throw cause;
    const reason = `\`${path.dirname(folder)}\` takes no new folders`;
    throw new StorageError("make", folder, "ENOTSUP", reason);
  }
}

function syncDirectory(directory: string): void {
  // Windows cannot sync folders; its journal keeps names in order by itself.
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function attempt<Result>(action: string, name: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    // Only errors of system calls are failures of the disk; the others are faults of this program.
    throw (cause as NodeJS.ErrnoException).syscall === undefined ? cause : storageError(action, name, cause);
  }
}
