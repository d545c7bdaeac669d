// A storage in memory that writes down every operation, so that crash tests can cut the trace anywhere
// (disk.ts), and that fails on demand: the Nth operation with a system error.
import { AppendFile, type BareFile } from "../../src/storage/appendfile.ts";
import { storageError } from "../../src/storage/failure.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import type { ReadableFile, Storage, WritableFile } from "../../src/storage/storage.ts";
import type { Step } from "./disk.ts";

export interface Fault {
  code: "EIO" | "ENOSPC" | "EMFILE";
  /** done: the operation took effect and fails nevertheless. part: half of a write is there. */
  effect: "none" | "part" | "done";
}

export class FaultyStorage implements Storage {
  readonly readsAhead = true;
  readonly trace: Step[] = [];
  /** Operations so far. */
  operations = 0;
  /** Operations that failed. */
  failed: string[] = [];
  /** Inodes of the files that are open: once for each opening. */
  readonly #open: number[] = [];
  /** Those of them that are being synced beside other work. */
  readonly #syncing: number[] = [];
  readonly #faults = new Map<number, Fault>();
  /** Whether nobody gets the name of a file that is open, as on Windows. */
  keepsOpenNames = true;
  /** Lets operations fail by their kind and name, for as long as it is there; `list` and `close` too. */
  rule: ((kind: string, name: string) => Fault | null) | null = null;
  readonly #memory = new MemoryStorage();
  readonly #inodes = new Map<string, number>();
  #lastInode = 0;

  /** Files that were opened, and not closed again. */
  get openFiles(): number {
    return this.#open.length;
  }

  /** Lets an operation fail: the `count`th from now on, 1 being the next. Reads do not count. */
  failAfter(count: number, code: Fault["code"], effect: Fault["effect"] = "none"): void {
    this.#faults.set(this.operations + count, { code, effect });
  }

  list(folder: string): string[] {
    const fault = this.rule?.("list", folder);
    if (fault) throw storageError("list", folder, { code: fault.code });
    return this.#memory.list(folder);
  }

  listFolders(folder: string): string[] {
    return this.#memory.listFolders(folder);
  }

  exists(name: string): boolean {
    return this.#memory.exists(name);
  }

  size(name: string): number {
    return this.#memory.size(name);
  }

  open(name: string): ReadableFile {
    const file = this.#memory.open(name);
    const inode = this.#inode(name);
    this.#open.push(inode);
    const close = () => {
      this.#closed(inode);
      file.close();
      this.#refuseToClose(name);
    };
    return {
      get size() {
        return file.size;
      },
      readInto: (target, offset) => file.readInto(target, offset),
      close,
    };
  }

  create(name: string): WritableFile {
    return this.#run("create", name, () => {
      const file = this.#memory.create(name);
      return this.#writable(name, file, this.#created(name));
    });
  }

  openToAppend(name: string): WritableFile {
    if (!this.#memory.exists(name)) return this.create(name);
    return this.#writable(name, this.#memory.openToAppend(name), this.#inode(name));
  }

  createIfAbsent(name: string, bytes: Uint8Array): boolean {
    return this.#run("createIfAbsent", name, () => {
      const created = this.#memory.createIfAbsent(name, bytes);
      if (created) {
        this.#inodes.set(name, ++this.#lastInode);
        this.trace.push({ kind: "createIfAbsent", name, inode: this.#lastInode, bytes: bytes.slice() });
      }
      return created;
    });
  }

  rename(from: string, to: string): void {
    this.#run("rename", from, () => {
      const isOpen = this.keepsOpenNames && this.#open.includes(this.#inode(to));
      if (isOpen) throw storageError("rename", from, { code: "EPERM", message: "the target is open" });
      this.#memory.rename(from, to);
      const inode = this.#inode(from);
      this.#inodes.delete(from);
      this.#inodes.set(to, inode);
      this.trace.push({ kind: "rename", name: from, inode, to });
    });
  }

  remove(name: string): void {
    this.#run("remove", name, () => {
      if (!this.#memory.exists(name)) return;
      this.#memory.remove(name);
      this.trace.push({ kind: "remove", name, inode: this.#inode(name) });
      this.#inodes.delete(name);
    });
  }

  makeFolder(name: string): void {
    this.#run("makeFolder", name, () => {
      this.#memory.makeFolder(name);
      this.trace.push({ kind: "makeFolder", name, inode: 0 });
    });
  }

  removeFolder(name: string): void {
    this.#run("removeFolder", name, () => {
      this.#memory.removeFolder(name);
      this.trace.push({ kind: "removeFolder", name, inode: 0 });
    });
  }

  syncFolder(name: string): void {
    this.#run("syncFolder", name, () => {
      this.#memory.syncFolder(name);
      this.trace.push({ kind: "syncFolder", name, inode: 0 });
    });
  }

  #created(name: string): number {
    if (!this.#inodes.has(name)) this.#inodes.set(name, ++this.#lastInode);
    const inode = this.#inode(name);
    this.trace.push({ kind: "create", name, inode });
    return inode;
  }

  #closed(inode: number): void {
    const place = this.#open.indexOf(inode);
    if (place < 0) throw new Error("closed twice");
    if (this.#syncing.includes(inode)) throw new Error("closed under a sync");
    this.#open.splice(place, 1);
  }

  /** It is closed all the same, as the system does it. */
  #refuseToClose(name: string): void {
    const fault = this.rule?.("close", name);
    if (fault) throw storageError("close", name, { code: fault.code });
  }

  #inode(name: string): number {
    return this.#inodes.get(name)!;
  }

  #writable(name: string, file: WritableFile, inode: number): WritableFile {
    const bare: BareFile = {
      write: (pieces, offset) => {
        const bytes = new Uint8Array(Buffer.concat(pieces));
        const put = (part: Uint8Array) => {
          if (file.size > offset) file.truncate(offset);
          file.append(part);
          this.trace.push({ kind: "write", name, inode, offset, bytes: part });
        };
        const half = () => put(bytes.subarray(0, bytes.length >> 1));
        this.#run("write", name, () => put(bytes), half);
      },
      truncate: (size) => {
        this.#run("truncate", name, () => {
          file.truncate(size);
          this.trace.push({ kind: "truncate", name, inode, size });
        });
      },
      sync: () => {
        this.#run("sync", name, () => {
          this.trace.push({ kind: "sync", name, inode });
        });
      },
      syncLater: async () => {
        this.#syncing.push(inode);
        await new Promise((resolve) => setImmediate(resolve));
        this.#syncing.splice(this.#syncing.indexOf(inode), 1);
        bare.sync();
      },
      close: () => {
        this.#closed(inode);
        file.close();
        this.#refuseToClose(name);
      },
    };
    this.#open.push(inode);
    return new AppendFile(name, bare, file.size);
  }

  #run<Result>(kind: string, name: string, action: () => Result, part?: () => void): Result {
    this.operations++;
    const fault = this.#faults.get(this.operations) ?? this.rule?.(kind, name);
    if (!fault) return action();
    const { code, effect } = fault;
    if (effect === "done") action();
    if (effect === "part") part?.();
    this.failed.push(`${kind} ${name}`);
    throw storageError(kind, name, { code });
  }
}
