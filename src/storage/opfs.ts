// A folder of a browser's private file system (OPFS) as a storage. Only code in a dedicated worker may use
// it. Opened by src/browser/opening.ts.
//
// The browser opens files only asynchronously, but open files are read, written and flushed synchronously. So
// every file is opened at the start and stays open: a slot. The names of the slots are kept in memory and in
// two files of their own (opfsnames.ts); a rename changes nothing else. Slots without a name wait for the
// next file that is created, and new ones are made whenever the thread is free.
//
// A slot that lost its name is only reused when the names on disk no longer mention it: so a crash leaves one
// consistent state of all names, whose files contain what was flushed.
//
// Where the browser grants no more space, no new slots can be made: then a folder is opened with those that
// it has, so that it can be read. And what Chromium has reserved for a file that grew, twice its size at
// worst, it keeps until the file is closed: a large file that lost its name is closed, and opened again as a
// spare slot.
//
// The slots are opened for this worker alone, so they keep other tabs away from the folder as well.
import { TarsierError } from "../errors.ts";
import { AppendFile, type BareFile } from "./appendfile.ts";
import { isFull, missingFile, storageError } from "./failure.ts";
import { checkName, namesInside } from "./name.ts";
import { NameTable, type SyncFile, writeAll } from "./opfsnames.ts";
import { folderOf, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

/** Files that can be created before the thread gets a chance to make more. */
const SPARE_SLOTS = 64;
/** Chromium reserves as much for every file that is written; more for those that are larger. */
const RESERVED_BYTES_MIN = 1024 * 1024;
/** Room for a file that must be able to grow is made in steps of this size. */
const ROOM_BYTES = 256 * 1024;
/** A page that was just closed or reloaded still holds its files for a moment. */
const OPEN_RETRY_MS = 50;
const OPEN_MS_MAX = 3_000;
/** Names of the errors for a file that is open elsewhere; the second is WebKit's. */
const IN_USE = ["NoModificationAllowedError", "InvalidStateError"];

const SLOT_NAME = /^file-(\d+)$/;
const NAMES = ["names-0", "names-1"] as const;

/** What only workers have is missing in lib.dom, which declares the interfaces of windows. */
interface SyncFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<SyncFile>;
}

interface Slot {
  readonly number: number;
  readonly file: SyncFile;
  name: string | null;
  /** Number of open files that use it. */
  users: number;
}

export class OpfsStorage implements Storage {
  readonly readsAhead = true;
  readonly #folder: FileSystemDirectoryHandle;
  readonly #names: NameTable;
  readonly #folders: Set<string>;
  readonly #files = new Map<string, Slot>();
  /** Slots that are empty, and not mentioned by the names on disk. */
  readonly #spare: Slot[] = [];
  /** Slots without a name that the names on disk may still mention. */
  #parting: Slot[] = [];
  #nextNumber = 1;
  /** Numbers of empty files that are closed. */
  readonly #shut: number[] = [];
  /** Why spare slots could not be made; null: they were, the last time. */
  #lack: unknown = null;
  /** Whether names have changed since they were written. */
  #changed = false;
  #making: Promise<void> | null = null;
  #closed = false;

  /**
   * Opens all files of the folder.
   * @throws TarsierError `folder_in_use` when another tab or worker has it open
   */
  static async open(folder: FileSystemDirectoryHandle): Promise<OpfsStorage> {
    const deadline = performance.now() + OPEN_MS_MAX;
    const [first, second] = [
      await openSlot(folder, NAMES[0], deadline),
      await openSlot(folder, NAMES[1], deadline),
    ];
    const names = new NameTable(first, second);
    const numbers: number[] = [];
    for await (const name of folder.keys()) {
      const [, number] = SLOT_NAME.exec(name) ?? [];
      if (number !== undefined) numbers.push(Number(number));
    }
    const slots = await Promise.all(
      numbers.map(async (number) => {
        const file = await openSlot(folder, slotName(number), deadline);
        return { number, file, name: null, users: 0 };
      }),
    );
    const storage = new OpfsStorage(folder, names, slots);
    await storage.#makeSpares().catch((error) => {
      if (!isFull(error)) throw error;
    });
    return storage;
  }

  private constructor(folder: FileSystemDirectoryHandle, names: NameTable, slots: Slot[]) {
    this.#folder = folder;
    this.#names = names;
    const { folders, files } = names.read();
    this.#folders = new Set(["", ...folders]);
    const byNumber = new Map(slots.map((slot) => [slot.number, slot]));
    for (const [name, number] of Object.entries(files)) {
      const slot = byNumber.get(number);
      // A reader of the missing file will report it.
      if (!slot) continue;
      slot.name = name;
      this.#files.set(name, slot);
    }
    for (const slot of slots) {
      this.#nextNumber = Math.max(this.#nextNumber, slot.number + 1);
      if (slot.name === null) this.#keepSpare(slot, 0);
    }
  }

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
    return this.#slot("read the size of", name).file.getSize();
  }

  open(name: string): ReadableFile {
    const slot = this.#slot("open", name);
    return new OpenSlot(name, slot.file, this.#use(slot));
  }

  create(name: string): WritableFile {
    const slot = this.#slotOrNew("create", name);
    attempt("create", name, () => slot.file.truncate(0));
    return new AppendFile(name, new GrowingSlot(name, slot.file, this.#use(slot)), 0);
  }

  openToAppend(name: string): WritableFile {
    const slot = this.#slotOrNew("open", name);
    return new AppendFile(name, new GrowingSlot(name, slot.file, this.#use(slot)), slot.file.getSize());
  }

  createIfAbsent(name: string, bytes: Uint8Array): boolean {
    if (this.exists(name)) return false;
    const slot = this.#slotOrNew("create", name);
    try {
      attempt("create", name, () => {
        writeAll(slot.file, bytes, 0);
        slot.file.flush();
      });
    } catch (error) {
      this.remove(name);
      throw error;
    }
    this.#writeNames();
    return true;
  }

  rename(from: string, to: string): void {
    const slot = this.#slot("rename", from);
    this.#checkFolder("rename", to);
    if (from === to) return;
    if (!this.#files.has(to)) this.#announce("rename", to);
    this.remove(to);
    this.#files.delete(from);
    this.#files.set(to, slot);
    slot.name = to;
    this.#changed = true;
  }

  remove(name: string): void {
    checkName(name);
    const slot = this.#files.get(name);
    if (!slot) return;
    this.#files.delete(name);
    slot.name = null;
    this.#changed = true;
    if (slot.users === 0) this.#parting.push(slot);
  }

  makeFolder(name: string): void {
    checkName(name);
    if (this.#folders.has(name)) return;
    const missing: string[] = [];
    for (let folder = name; !this.#folders.has(folder); folder = folderOf(folder)) missing.push(folder);
    // All of them before any is made: no folder is there without the one that it lies in.
    for (const folder of missing) this.#announce("make", folder);
    for (const folder of missing) this.#folders.add(folder);
    this.#changed = true;
    this.#writeNames();
  }

  removeFolder(name: string): void {
    checkName(name);
    for (const file of [...this.#files.keys()]) if (file.startsWith(`${name}/`)) this.remove(file);
    for (const folder of this.#folders) {
      if (folder !== name && !folder.startsWith(`${name}/`)) continue;
      this.#folders.delete(folder);
      this.#changed = true;
    }
  }

  syncFolder(name: string): void {
    checkName(name);
    if (!this.#folders.has(name)) throw missingFile("sync", name);
    this.#writeNames();
  }

  /** Closes all files; names that were not synced are lost. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#making;
    for (const slot of [...this.#files.values(), ...this.#spare, ...this.#parting]) slot.file.close();
    this.#names.close();
  }

  #slot(action: string, name: string): Slot {
    checkName(name);
    const slot = this.#files.get(name);
    if (!slot) throw missingFile(action, name);
    return slot;
  }

  #slotOrNew(action: string, name: string): Slot {
    this.#checkFolder(action, name);
    const known = this.#files.get(name);
    if (known) return known;
    this.#announce(action, name);
    if (this.#spare.length === 0 && this.#parting.length > 0) this.#writeNames();
    const slot = this.#spare.pop();
    if (this.#spare.length < SPARE_SLOTS / 2 && !this.#closed) {
      // Whatever prevents this is reported when no spare slot is found.
      this.#making ??= this.#makeSpares().then(
        () => this.#endMaking(),
        () => this.#endMaking(),
      );
    }
    if (!slot) throw storageError(action, name, { code: isFull(this.#lack) ? "ENOSPC" : "EMFILE" });
    slot.name = name;
    this.#files.set(name, slot);
    this.#changed = true;
    return slot;
  }

  /** Uses a slot; returns the function that releases it. */
  #use(slot: Slot): () => void {
    slot.users++;
    return () => {
      slot.users--;
      if (slot.users !== 0 || slot.name !== null) return;
      this.#parting.push(slot);
      // The names on disk, which are those in memory, do not mention it: nobody may write them again soon.
      if (!this.#changed && !this.#closed) this.#keepParting();
    };
  }

  #checkFolder(action: string, name: string): void {
    checkName(name);
    if (!this.#folders.has(folderOf(name))) throw missingFile(action, name);
    if (this.#folders.has(name)) throw storageError(action, name, { code: "EISDIR", message: "a folder" });
  }

  #announce(action: string, name: string): void {
    attempt(action, name, () => this.#names.announce(name));
  }

  #writeNames(): void {
    if (!this.#changed) return;
    const files: Record<string, number> = {};
    for (const [name, { number }] of this.#files) files[name] = number;
    attempt("write the names of files in", "", () =>
      this.#names.write({ folders: [...this.#folders], files }),
    );
    this.#changed = false;
    this.#keepParting();
  }

  #keepParting(): void {
    for (const slot of this.#parting.splice(0)) this.#keepSpare(slot, SPARE_SLOTS / 4);
  }

  /** Large files are closed, where so many spare slots are left without them. */
  #keepSpare(slot: Slot, enough: number): void {
    const isLarge = slot.file.getSize() > RESERVED_BYTES_MIN;
    slot.file.truncate(0);
    if (isLarge && this.#spare.length >= enough) {
      slot.file.close();
      this.#shut.push(slot.number);
    } else this.#spare.push(slot);
  }

  #endMaking(): void {
    this.#making = null;
  }

  /** Keeps what could be made, and throws why the others could not. */
  async #makeSpares(): Promise<void> {
    while (this.#spare.length < SPARE_SLOTS) {
      const count = SPARE_SLOTS - this.#spare.length;
      const numbers = Array.from({ length: count }, () => this.#shut.pop() ?? this.#nextNumber++);
      const made = await Promise.allSettled(numbers.map((number) => this.#makeSpare(number)));
      const failed = made.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
      this.#lack = failed?.reason ?? null;
      if (failed) throw this.#lack;
    }
  }

  async #makeSpare(number: number): Promise<void> {
    try {
      const file = await openSlot(this.#folder, slotName(number), 0);
      this.#spare.push({ number, file, name: null, users: 0 });
    } catch (error) {
      this.#shut.push(number);
      throw error;
    }
  }
}

class OpenSlot implements ReadableFile {
  readonly #name: string;
  readonly #file: SyncFile;
  readonly #letGo: () => void;

  constructor(name: string, file: SyncFile, letGo: () => void) {
    this.#name = name;
    this.#file = file;
    this.#letGo = letGo;
  }

  get size(): number {
    return attempt("read the size of", this.#name, () => this.#file.getSize());
  }

  readInto(target: Uint8Array, offset: number): number {
    return attempt("read", this.#name, () => this.#file.read(target, { at: offset }));
  }

  close(): void {
    this.#letGo();
  }
}

class GrowingSlot implements BareFile {
  readonly #name: string;
  readonly #file: SyncFile;
  readonly #letGo: () => void;
  /** The file had this size once, and so can have it again. */
  #room: number;

  constructor(name: string, file: SyncFile, letGo: () => void) {
    this.#name = name;
    this.#file = file;
    this.#letGo = letGo;
    this.#room = file.getSize();
  }

  /**
   * Chromium keeps the space of an open file that has become smaller; not in private windows, where a file
   * that cannot become larger stays as it is without a word.
   */
  reserve(size: number): void {
    if (size <= this.#room) return;
    const room = Math.ceil(size / ROOM_BYTES) * ROOM_BYTES;
    attempt("make room for", this.#name, () => {
      const now = this.#file.getSize();
      try {
        this.#file.truncate(room);
        if (this.#file.getSize() < room) throw new DOMException("no room", "QuotaExceededError");
      } finally {
        this.#file.truncate(now);
      }
    });
    this.#room = room;
  }

  write(pieces: Uint8Array[], offset: number): void {
    const whole = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    attempt("write to", this.#name, () => writeAll(this.#file, whole, offset));
  }

  truncate(size: number): void {
    attempt("truncate", this.#name, () => this.#file.truncate(size));
  }

  sync(): void {
    attempt("sync", this.#name, () => this.#file.flush());
  }

  async syncLater(): Promise<void> {
    this.sync();
  }

  close(): void {
    this.#letGo();
  }
}

async function openSlot(
  folder: FileSystemDirectoryHandle,
  name: string,
  deadline: number,
): Promise<SyncFile> {
  for (;;) {
    try {
      const handle = (await folder.getFileHandle(name, { create: true })) as SyncFileHandle;
      return await handle.createSyncAccessHandle();
    } catch (cause) {
      if (!IN_USE.includes((cause as Error).name)) throw failure("open", name, cause);
      if (performance.now() > deadline) throw new TarsierError("folder_in_use", { folder: folder.name });
      await new Promise((resolve) => setTimeout(resolve, OPEN_RETRY_MS));
    }
  }
}

const slotName = (number: number): string => `file-${number}`;

function attempt<Result>(action: string, name: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw failure(action, name, cause);
  }
}

/** Errors of the browser, with the codes that other systems use for them. */
function failure(action: string, name: string, cause: unknown): unknown {
  if (!(cause instanceof DOMException)) return cause;
  const code = cause.name === "QuotaExceededError" ? "ENOSPC" : cause.name;
  return storageError(action, name, { code, message: cause.message });
}
