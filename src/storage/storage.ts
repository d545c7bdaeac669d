// Where bytes are stored: the interface that segments, manifests and journals are written against.
// Implementations: file.ts (a folder of the file system), memory.ts, opfs.ts (a browser's private files),
// bundle.ts (files behind a URL) and overlay.ts (one over another); the tests have one that fails and crashes
// on demand.
//
// Names are relative, their parts joined by "/"; "" is the root folder. Everything is synchronous because
// workers use it; only WritableFile.syncLater lets the main thread go on while the disk works.
//
// What survives a power loss: the bytes of a file up to its last sync; its name, or the absence of it, after
// a `syncFolder` of the folder around it. `makeFolder` and `createIfAbsent` are durable when they return.
//
// Every failure is a StorageError (failure.ts) that names the file.

export interface Storage {
  /** Does a long read cost little more than a short one? Then neighbouring bytes are read, too. */
  readonly readsAhead: boolean;
  /** Names of the files directly inside a folder, sorted; none when the folder is missing. */
  list(folder: string): string[];
  /** Names of the folders directly inside a folder, sorted; none when it is missing. */
  listFolders(folder: string): string[];
  /** Is there a file or a folder of this name? */
  exists(name: string): boolean;
  /** Bytes of a file. */
  size(name: string): number;
  /** Opens a file for reading. An open file stays readable after it is removed. */
  open(name: string): ReadableFile;
  /** Creates an empty file, or empties an existing one. The folder must exist. */
  create(name: string): WritableFile;
  /** Opens a file to continue at its end; it is created when missing. */
  openToAppend(name: string): WritableFile;
  /**
   * Creates a file with these bytes, whole and durable, unless the name is taken. Returns whether it did; of
   * several callers at most one gets `true` (where files cannot have two names: of those in one process).
   * After an error the file may exist or not, but never in part.
   */
  createIfAbsent(name: string, bytes: Uint8Array): boolean;
  /**
   * Renames a file in one step, replacing any existing file of that name, which must not be open: Windows
   * refuses to replace one that is.
   */
  rename(from: string, to: string): void;
  /** Removes a file; does nothing when it is missing. */
  remove(name: string): void;
  /** Makes a folder and any missing ones around it. Durable on return. */
  makeFolder(name: string): void;
  /** Removes a folder with everything in it; does nothing when it is missing. */
  removeFolder(name: string): void;
  /** Makes the creations, renames and removals directly inside a folder durable. */
  syncFolder(name: string): void;
}

export interface ReadableFile {
  /** Current size of the file in bytes. */
  readonly size: number;
  /**
   * Fills the target with bytes from `offset` on. Returns the bytes read: fewer than asked for only at the
   * end of the file.
   */
  readInto(target: Uint8Array, offset: number): number;
  close(): void;
}

/** A file that grows at its end. Once a sync fails it is poisoned: every later write and sync fails too. */
export interface WritableFile {
  readonly size: number;
  /** Writes at the end: either everything, or nothing and an error. */
  append(bytes: Uint8Array | Uint8Array[]): void;
  /**
   * Sees to it that so many bytes can be appended whatever becomes of the free space, where the storage can
   * do that; elsewhere it does nothing.
   * @throws StorageError `no_space_left_on_device`
   */
  reserve(bytes: number): void;
  /** Cuts the file to `size` bytes. */
  truncate(size: number): void;
  /** Makes everything written so far durable. */
  sync(): void;
  /** The same without blocking the thread; covers what was written before the call. */
  syncLater(): Promise<void>;
  /** Does not sync. */
  close(): void;
}

/** Bytes of a file; null when it does not exist. */
export function sizeIfAny(storage: Storage, name: string): number | null {
  return storage.exists(name) ? storage.size(name) : null;
}

/** Joins a folder and a name inside it. */
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
