// Where bytes live: the interface that segments, manifests and journals are written against. Implementations:
// file.ts (a folder of the file system), memory.ts, opfs.ts (a browser's private files), bundle.ts (files
// behind a URL) and overlay.ts (one over another); the tests have one that fails and crashes on demand.
//
// Names are relative, their parts joined by "/"; "" is the root folder. Everything is synchronous because
// workers use it; only WritableFile.syncLater lets the main thread go on while the disk works.
//
// What survives a power loss: the bytes of a file up to its last sync; its name, or the absence of it, after
// a `syncFolder` of the folder around it. `makeFolder` and `createIfAbsent` are durable when they return.
//
// Every failure is a StorageError (failure.ts) that names the file.

export interface Storage {
  /** Does a long read cost little more than a short one? Then what lies around is read, too. */
  readonly readsAhead: boolean;
  /** Names of the files directly inside a folder, sorted; none when the folder is missing. */
  list(folder: string): string[];
  /** Names of the folders directly inside a folder, sorted; none when it is missing. */
  listFolders(folder: string): string[];
  /** Is there a file or a folder of this name? */
  exists(name: string): boolean;
  /** Bytes of a file. */
  size(name: string): number;
  /** Opens a file for reading. An open file stays readable after it was removed or replaced. */
  open(name: string): ReadableFile;
  /** A new empty file, or an existing one emptied. The folder must exist. */
  create(name: string): WritableFile;
  /** An existing file, to be continued at its end; created when missing. */
  openToAppend(name: string): WritableFile;
  /**
   * Creates a file with these bytes, whole and durable, unless the name is taken. Returns whether it did. Of
   * several callers at most one gets `true`. After an error the file may exist or not, but never in part.
   */
  createIfAbsent(name: string, bytes: Uint8Array): boolean;
  /** Gives a file another name, in one step, replacing what had that name. */
  rename(from: string, to: string): void;
  /** Removes a file; nothing happens when it is missing. */
  remove(name: string): void;
  /** Makes a folder and those around it, as far as they are missing. Durable when it returns. */
  makeFolder(name: string): void;
  /** Removes a folder with everything in it; nothing happens when it is missing. */
  removeFolder(name: string): void;
  /** Makes the creations, renames and removals directly inside a folder durable. */
  syncFolder(name: string): void;
}

export interface ReadableFile {
  /** Bytes of the file, now. */
  readonly size: number;
  /**
   * Fills the target from `offset` on. Returns the bytes read: fewer than asked only at the end of the file.
   */
  readInto(target: Uint8Array, offset: number): number;
  close(): void;
}

/** A file that grows at its end. Once a sync fails it is poisoned: every later write and sync fails too. */
export interface WritableFile {
  readonly size: number;
  /** Writes at the end: all of it, or nothing and an error. */
  append(bytes: Uint8Array | Uint8Array[]): void;
  /** Cuts the file to `size` bytes. */
  truncate(size: number): void;
  /** Makes everything written so far durable. */
  sync(): void;
  /** The same without blocking the thread; covers what was written before the call. */
  syncLater(): Promise<void>;
  /** Does not sync. */
  close(): void;
}

/** Bytes of a file, null when there is none. */
export function sizeIfAny(storage: Storage, name: string): number | null {
  return storage.exists(name) ? storage.size(name) : null;
}

/** Pairs a folder with a name inside it. */
export function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folder around a name. */
export function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

/** The last part of a name. */
export function baseOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
