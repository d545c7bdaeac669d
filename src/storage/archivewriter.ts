// Writes an archive: a gzip-compressed tar file, entry by entry, under a temporary name until it is whole.
// Dumps and snapshots are made with it; archivereader.ts reads them back.
import { createTarPacker } from "modern-tar";
import { Slices } from "../slices.ts";
import { PIECE_BYTES, piecesOf } from "./filepieces.ts";
import { type GzipWriter, openGzip } from "./gzipwriter.ts";
import { folderOf, type ReadableFile, type Storage, type WritableFile } from "./storage.ts";

interface ArchiveOptions {
  /** Name of the finished archive. An existing file of that name is replaced. */
  name: string;
  /** Name while it is being written; leftovers of a crash under that name are overwritten. */
  temporaryName: string;
  /** 0 (stored) to 9 (small). */
  level: number;
  /** Called often; throws when the archive is no longer wanted. */
  interrupt(): void;
}

/** Makes an archive of what `write` adds to it; when that fails, none is left. */
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
    // The reason of the failure is reported, not that the leftovers could not be removed: the next archive
    // overwrites them.
    await archive.abandon().catch(() => undefined);
    throw error;
  }
}

export class ArchiveWriter {
  readonly #storage: Storage;
  readonly #options: ArchiveOptions;
  readonly #file: WritableFile;
  readonly #tar = createTarPacker();
  /** Output of the packer. */
  readonly #packed: ReadableStreamDefaultReader<Uint8Array>;
  readonly #gzip: GzipWriter;
  /** Files are read into this: a buffer for each piece would keep the garbage collector busy. */
  readonly #buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #isClosed = false;

  constructor(storage: Storage, options: ArchiveOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#packed = this.#tar.readable.getReader();
    this.#file = storage.create(options.temporaryName);
    this.#gzip = openGzip(options.level, (bytes) => this.#file.append(bytes));
  }

  /** Adds a file with these bytes, which must not be in shared memory. */
  async add(name: string, bytes: Uint8Array | string): Promise<void> {
    const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    await this.#add(name, content.length, content.length === 0 ? [] : [content]);
  }

  /** Adds the bytes that a file has now, even if it grows meanwhile. */
  async addFile(name: string, file: ReadableFile): Promise<void> {
    const { size } = file;
    await this.#add(name, size, piecesOf(file, size, 0, this.#buffer));
  }

  /**
   * Adds a file whose size is not known in advance: it goes through a temporary file. Other work has its turn
   * between pieces, even if all of them are there at once: a queue may hold very many tasks.
   */
  async addPieces(name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const spool = `${this.#options.temporaryName}.part`;
    const file = this.#storage.create(spool);
    const slices = new Slices();
    try {
      try {
        for await (const piece of pieces) {
          this.#options.interrupt();
          file.append(piece);
          if (slices.isOver()) await slices.pause();
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
    await this.#writePacked(null);
    await this.#gzip.end();
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
    // A packer that has failed already cannot be cancelled.
    await this.#packed.cancel().catch(() => undefined);
    this.#gzip.destroy();
    this.#close();
    this.#storage.remove(this.#options.temporaryName);
  }

  /** Closes only once: another file may have got the number of the closed one. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.close();
  }

  async #add(name: string, size: number, pieces: Iterable<Uint8Array>): Promise<void> {
    const body = this.#tar.controller.add({ name, size, type: "file" }).getWriter();
    for (const piece of pieces) {
      this.#options.interrupt();
      await Promise.all([body.write(piece), this.#writePacked(piece)]);
    }
    await body.close();
  }

  /**
   * Writes the packer's output up to `last`, a piece that it was given and passes on unchanged; null: up to
   * the end. Until then the headers of empty files stay in the packer, which has room for thousands.
   */
  async #writePacked(last: Uint8Array | null): Promise<void> {
    for (;;) {
      const { value, done } = await this.#packed.read();
      if (done) return;
      await this.#gzip.write(value);
      if (value === last) return;
    }
  }
}
