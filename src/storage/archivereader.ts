// Unpacks an archive (a gzip-compressed tar file) from any, even hostile, source: files end up below one
// folder of a storage and nowhere else; refused are links, and archives that would unpack to more than their
// size can honestly hold. Called when a dump or a snapshot is imported.
import { createReadStream, statSync } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { messageOf, TarsierError } from "../errors.ts";
import { storageError } from "./failure.ts";
import { folderOf, join, type Storage } from "./storage.ts";

/** Where an archive is unpacked to. */
type ArchiveTarget = Pick<Storage, "create" | "makeFolder" | "syncFolder">;

/** Limits for what an archive may unpack to. */
export interface ArchiveLimits {
  files: number;
  /** Allowed however small the archive is. */
  bytesMin: number;
  /** Beyond that: this many times the bytes of the archive. */
  ratio: number;
}

/** Deflate turns at most 1,032 bytes into one, and arrays of zeros come close to that. */
export const ARCHIVE_LIMITS: ArchiveLimits = { files: 1_000_000, bytesMin: 2 ** 30, ratio: 1_032 };

const READ_BYTES = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
const NAME_BYTES_MAX = 4096;
/** Longest name of a file or folder, without the folders around it, that file systems accept. */
export const NAME_PART_BYTES_MAX = 255;
const NESTING_LEVELS_MAX = 100;

/**
 * Unpacks the archive at `path` below `folder` of the storage, which must exist; the result is durable.
 * @throws TarsierError `invalid_archive`, and errors of the disk; files unpacked so far stay
 */
export async function unpackArchive(
  path: string,
  storage: ArchiveTarget,
  folder: string,
  limits = ARCHIVE_LIMITS,
): Promise<void> {
  const unpacking = new Unpacking(path, storage, folder, limits);
  const source = createReadStream(path, { highWaterMark: READ_BYTES });
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  source.on("error", (error) => gunzip.destroy(storageError("read", path, error)));
  try {
    const decoder = createTarDecoder({ strict: true });
    const bytes = Readable.toWeb(source.pipe(gunzip)) as ReadableStream<Uint8Array>;
    for await (const entry of bytes.pipeThrough(decoder)) await unpacking.take(entry);
  } catch (cause) {
    if (cause instanceof TarsierError) throw cause;
    throw unpacking.refusal(messageOf(cause));
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  if (unpacking.files === 0) throw unpacking.refusal("it holds no file");
  unpacking.finish();
}

class Unpacking {
  files = 0;
  #bytes = 0;
  readonly #folders = new Set<string>();
  readonly #path: string;
  readonly #storage: ArchiveTarget;
  readonly #folder: string;
  readonly #limits: ArchiveLimits;
  readonly #bytesMax: number;

  constructor(path: string, storage: ArchiveTarget, folder: string, limits: ArchiveLimits) {
    this.#path = path;
    this.#storage = storage;
    this.#folder = folder;
    this.#limits = limits;
    this.#bytesMax = Math.max(limits.bytesMin, limits.ratio * sizeOf(path));
  }

  async take({ header, body }: ParsedTarEntry): Promise<void> {
    const { type = "file", name, size } = header;
    const target = this.#checkName(name);
    if (type === "directory") return body.cancel();
    if (type !== "file") throw this.refusal(`\`${name}\` is a ${type}: only files and folders are taken`);
    if (target === "") throw this.refusal("a file has no name");
    if (++this.files > this.#limits.files)
      throw this.refusal(`it holds more than ${this.#limits.files} files`);
    this.#count(size);
    const inside = join(this.#folder, target);
    this.#storage.makeFolder(folderOf(inside));
    this.#folders.add(folderOf(inside));
    const file = this.#storage.create(inside);
    try {
      for await (const piece of body) file.append(piece);
      file.sync();
    } finally {
      file.close();
    }
    if (file.size !== size) throw this.refusal(`\`${name}\` has ${file.size} of ${size} bytes`);
  }

  /** Makes the names of all files durable. */
  finish(): void {
    for (const folder of this.#folders) this.#storage.syncFolder(folder);
  }

  refusal(reason: string): TarsierError {
    return new TarsierError("invalid_archive", { archive: this.#path, reason });
  }

  /** Announced bytes are counted before any of them is read. */
  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#bytesMax) return;
    throw this.refusal(`it would unpack to more than ${this.#bytesMax} bytes, the most for its size`);
  }

  /** The parts of a name below the folder; archives also contain names like `./a/b` and `a/b/`. */
  #checkName(name: string): string {
    const parts = name.split("/").filter((part) => part !== "" && part !== ".");
    const leads = name.startsWith("/") || parts.includes("..") || /[\\\0]/.test(name);
    if (leads) throw this.refusal(`the name ${JSON.stringify(name)} leads out of it`);
    const longest = Math.max(0, ...parts.map((part) => Buffer.byteLength(part)));
    if (longest > NAME_PART_BYTES_MAX || Buffer.byteLength(name) > NAME_BYTES_MAX)
      throw this.refusal("a name is too long");
    if (parts.length > NESTING_LEVELS_MAX) throw this.refusal(`${NESTING_LEVELS_MAX} folders in each other`);
    return parts.join("/");
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (cause) {
    throw storageError("read the size of", path, cause);
  }
}
