// The files of a bundle (`tarsier pack`) as a read-only storage: static files behind a URL, read by ranges
// through a small cache. Opened by src/browser/bundles.ts, below an overlay.ts. As on a disk, the readers
// verify the bytes: segments and logs have checksums.
//
// Everything is synchronous here, so the ranges come from a synchronous request, which workers have. A server
// without support for ranges answers with the whole file each time; the range is then cut out of it.
import { messageOf } from "../errors.ts";
import { serverFault, storageError } from "./failure.ts";
import { checkName, namesInside } from "./name.ts";
import { folderOf, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

/** The description of a bundle, `bundle.json` beside its files. */
export interface BundleDescription {
  /** Format of the files and of this description. */
  format: typeof BUNDLE_FORMAT;
  /** Name of the index. */
  index: string;
  documents: number;
  /** Version of the program that packed it. */
  version: string;
  /** Name of each file and its size in bytes. */
  files: Record<string, number>;
  /** What every reader needs first: parts of files, one after another in the file of this name. */
  first: { file: string; parts: FilePart[] };
}

export interface FilePart {
  name: string;
  from: number;
  end: number;
}

export const BUNDLE_FORMAT = 2;
export const BUNDLE_DESCRIPTION_NAME = "bundle.json";
export const BUNDLE_FIRST_NAME = "first.bin";

/**
 * Bytes `from` to `end` of a file, or all of them if the server does not support ranges. Throws the errors of
 * the network.
 */
export type ReadRange = (name: string, from: number, end: number) => Uint8Array;

/** A file up to this size is read as a whole. */
const WHOLE_BYTES_MAX = 256 * 1024;

/** How much of larger files is read at a time. */
interface Grain {
  /** At least this many bytes, starting at a multiple of that number. */
  blockBytes: number;
  /** Reads that continue where the last request ended double the amount each time, up to this many blocks. */
  blocksAheadMax: number;
}

/** One request takes as long as transferring this many bytes. */
const NETWORK_GRAIN: Grain = { blockBytes: 128 * 1024, blocksAheadMax: 8 };
/** Bytes of blocks kept for all files: the parts in use are in the caches of the segments. */
const CACHED_BYTES_MAX = 16 * 1024 * 1024;

export class BundleStorage implements Storage {
  readonly readsAhead = false;
  readonly #sizes: ReadonlyMap<string, number>;
  readonly #blocks: Blocks;
  /** Parts that were read in advance, by the names of their files. */
  readonly #parts = new Map<string, { from: number; bytes: Uint8Array }[]>();

  constructor(files: Readonly<Record<string, number>>, read: ReadRange, grain: Grain = NETWORK_GRAIN) {
    for (const name of Object.keys(files)) checkName(name);
    this.#sizes = new Map(Object.entries(files));
    this.#blocks = new Blocks(read, grain);
  }

  /** Takes parts that were read in advance, one after another in `bytes`; they stay in memory. */
  take(parts: readonly FilePart[], bytes: Uint8Array): void {
    let at = 0;
    for (const { name, from, end } of parts) {
      const part = bytes.subarray(at, at + end - from);
      at += part.length;
      if (part.length !== end - from) return;
      const known = this.#parts.get(name) ?? [];
      this.#parts.set(name, known);
      known.push({ from, bytes: part });
    }
  }

  list(folder: string): string[] {
    return namesInside(folder, this.#sizes.keys());
  }

  listFolders(folder: string): string[] {
    return namesInside(folder, this.#folders());
  }

  exists(name: string): boolean {
    checkName(name);
    return this.#sizes.has(name) || this.#folders().has(name);
  }

  size(name: string): number {
    checkName(name);
    const size = this.#sizes.get(name);
    if (size === undefined) throw storageError("read the size of", name, { code: "ENOENT" });
    return size;
  }

  open(name: string): ReadableFile {
    checkName(name);
    const size = this.#sizes.get(name);
    if (size === undefined) throw storageError("open", name, { code: "ENOENT" });
    const parts = this.#parts.get(name) ?? [];
    const readInto = (target: Uint8Array, offset: number): number => {
      const end = Math.min(size, offset + target.length);
      const part = parts.find(({ from, bytes }) => from <= offset && end <= from + bytes.length);
      if (!part) return this.#blocks.readInto(target, name, offset, size);
      target.set(part.bytes.subarray(offset - part.from, end - part.from));
      return Math.max(0, end - offset);
    };
    return { size, readInto, close: () => {} };
  }

  create(name: string): WritableFile {
    throw readOnly("create", name);
  }

  openToAppend(name: string): WritableFile {
    throw readOnly("write to", name);
  }

  createIfAbsent(name: string): boolean {
    throw readOnly("create", name);
  }

  rename(from: string): void {
    throw readOnly("rename", from);
  }

  remove(name: string): void {
    throw readOnly("remove", name);
  }

  makeFolder(name: string): void {
    throw readOnly("make", name);
  }

  removeFolder(name: string): void {
    throw readOnly("remove", name);
  }

  syncFolder(name: string): void {
    throw readOnly("sync", name);
  }

  #folders(): Set<string> {
    const folders = new Set([""]);
    for (const name of this.#sizes.keys()) {
      for (let folder = folderOf(name); folder !== ""; folder = folderOf(folder)) folders.add(folder);
    }
    return folders;
  }
}

function readOnly(action: string, name: string): Error {
  checkName(name);
  return storageError(action, name, { code: "EROFS", message: "files of a bundle cannot be changed" });
}

/** Blocks of files, the most recently used last. */
class Blocks {
  readonly #read: ReadRange;
  readonly #grain: Grain;
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;
  /** The last request. */
  #last = { name: "", end: 0, blocks: 1 };

  constructor(read: ReadRange, grain: Grain) {
    this.#read = read;
    this.#grain = grain;
  }

  readInto(target: Uint8Array, name: string, offset: number, size: number): number {
    const end = Math.min(size, offset + target.length);
    const blockBytes = this.#blockBytesOf(size);
    for (let at = offset; at < end; ) {
      const start = Math.floor(at / blockBytes) * blockBytes;
      const block = this.#block(name, start, blockBytes, end, size);
      const piece = block.subarray(at - start, end - start);
      target.set(piece, at - offset);
      at += piece.length;
    }
    return Math.max(0, end - offset);
  }

  /** The bytes from `start` on: those that are kept, or all missing ones up to `end` with one request. */
  #block(name: string, start: number, blockBytes: number, end: number, size: number): Uint8Array {
    const known = this.#kept.get(keyOf(name, start));
    if (known) {
      this.#kept.delete(keyOf(name, start));
      this.#kept.set(keyOf(name, start), known);
      return known;
    }
    const goesOn = this.#last.name === name && this.#last.end === start;
    const blocks = goesOn ? Math.min(this.#grain.blocksAheadMax, 2 * this.#last.blocks) : 1;
    const wanted = Math.min(size, Math.max(end, start + blocks * blockBytes));
    let last = start + blockBytes;
    while (last < wanted && !this.#kept.has(keyOf(name, last))) last += blockBytes;
    this.#last = { name, end: last, blocks };
    const bytes = this.#fetch(name, start, Math.min(last, size), size);
    for (let at = 0; at < bytes.length; at += blockBytes)
      this.#keep(keyOf(name, start + at), bytes.slice(at, at + blockBytes));
    return bytes;
  }

  #fetch(name: string, from: number, end: number, size: number): Uint8Array {
    let found: Uint8Array;
    try {
      found = this.#read(name, from, end);
    } catch (cause) {
      throw serverFault("read", name, messageOf(cause));
    }
    if (found.length === end - from) return found;
    if (found.length === size) return found.subarray(from, end);
    const message = `the server gave ${found.length} bytes for ${from} to ${end} of ${size}`;
    throw serverFault("read", name, message);
  }

  #blockBytesOf(size: number): number {
    return size <= WHOLE_BYTES_MAX ? size : this.#grain.blockBytes;
  }

  #keep(key: string, block: Uint8Array): void {
    this.#kept.set(key, block);
    this.#keptBytes += block.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= CACHED_BYTES_MAX) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}

const keyOf = (name: string, start: number): string => `${start} ${name}`;
