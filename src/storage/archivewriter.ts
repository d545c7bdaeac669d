// Writes an archive: a gzip-compressed tar file, entry by entry, under a temporary name until it is whole.
// Dumps and snapshots are made with it; archivereader.ts reads them back.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as rest } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { createTarPacker } from "modern-tar";
import { PIECE_BYTES, piecesOf } from "./filepieces.ts";
import { folderOf, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

/** What a piece becomes that does not shrink fits into one: two halve the speed. */
const PACKED_BYTES = PIECE_BYTES + 64 * 1024;

/** After each piece the archive rests as long as that took, up to so long: searches go on meanwhile. */
const REST_MS_MAX = 10;

interface ArchiveOptions {
  /** Name of the finished archive. One of that name is replaced. */
  name: string;
  /** Name while it is written; what a crash left under it is overwritten. */
  temporaryName: string;
  /** 0 (stored) to 9 (small). */
  level: number;
  /** Called often; throws when the archive is not wanted any more. */
  interrupt(): void;
}

/** Makes an archive of what `write` adds to it; none is left when that fails. */
export async function writeArchive(
  storage: Storage,
  options: ArchiveOptions,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const archive = new ArchiveWriter(storage, options);
  try {
    await write(archive);
    await archive.finish();
  } catch (error) {
    // Why it failed is told, not that its rest could not be removed: the next archive overwrites that.
    await archive.abandon().catch(() => undefined);
    throw error;
  }
}

export class ArchiveWriter {
  readonly #storage: Storage;
  readonly #options: ArchiveOptions;
  readonly #file: WritableFile;
  readonly #tar = createTarPacker();
  readonly #written: Promise<void>;
  /** Of the disk: says more than that of the stream which it ends. */
  #failure: unknown = null;
  #isClosed = false;

  constructor(storage: Storage, options: ArchiveOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#file = storage.create(options.temporaryName);
    const gzip = createGzip({ level: options.level, chunkSize: PACKED_BYTES });
    const source = Readable.fromWeb(this.#tar.readable as Parameters<typeof Readable.fromWeb>[0]);
    this.#written = pipeline(source, gzip, async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) this.#append(chunk);
    }).catch((error) => {
      throw this.#failure ?? error;
    });
    // Who writes next, or finishes, gets the failure.
    this.#written.catch(() => undefined);
  }

  /** Adds a file with these bytes. */
  async add(name: string, bytes: Uint8Array | string): Promise<void> {
    const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    await this.#add(name, content.length, content.length === 0 ? [] : [content]);
  }

  /** Adds the bytes of a file; those it has now, should it grow meanwhile. */
  async addFile(name: string, file: ReadableFile): Promise<void> {
    const { size } = file;
    await this.#add(name, size, piecesOf(file, size));
  }

  /** Adds a file of which the size is not known before: it goes through a temporary one. */
  async addPieces(name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const spool = `${this.#options.temporaryName}.part`;
    const file = this.#storage.create(spool);
    try {
      try {
        for await (const piece of pieces) {
          this.#options.interrupt();
          file.append(piece);
        }
      } finally {
        file.close();
      }
      const input = this.#storage.open(spool);
      try {
        await this.addFile(name, input);
      } finally {
        input.close();
      }
    } finally {
      this.#storage.remove(spool);
    }
  }

  /** Makes the archive whole and durable and gives it its name. Returns its bytes. */
  async finish(): Promise<number> {
    this.#tar.controller.finalize();
    await this.#written;
    await this.#file.syncLater();
    this.#options.interrupt();
    const { name, temporaryName } = this.#options;
    const { size } = this.#file;
    this.#close();
    this.#storage.rename(temporaryName, name);
    this.#storage.syncFolder(folderOf(name));
    return size;
  }

  /** Removes what was written so far. */
  async abandon(): Promise<void> {
    this.#tar.controller.error(new Error("the archive was given up"));
    await this.#written.catch(() => undefined);
    this.#close();
    this.#storage.remove(this.#options.temporaryName);
  }

  /** Once: the number of a closed file may be that of another one by now. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
  }

  #append(chunk: Uint8Array): void {
    try {
      this.#file.append(chunk);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  async #add(name: string, size: number, pieces: Iterable<Uint8Array>): Promise<void> {
    const writer = this.#tar.controller.add({ name, size, type: "file" }).getWriter();
    const failing = (error: unknown) => this.#written.then(() => Promise.reject(error));
    for (const piece of pieces) {
      this.#options.interrupt();
      const start = performance.now();
      await writer.write(piece).catch(failing);
      await rest(Math.min(REST_MS_MAX, performance.now() - start));
    }
    await writer.close().catch(failing);
  }
}
