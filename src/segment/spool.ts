// Bytes that are made before their turn in a segment file comes: posting lists while occurrences are
// written. Kept in memory up to a bound, then in a temporary file beside the segment. Used by builder.ts and
// merge.ts.
import type { Storage, WritableFile } from "../storage/storage.ts";
import type { SegmentWriter } from "./writer.ts";

const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Name of the temporary file beside a segment. */
export function spoolOf(segment: string): string {
  return `${segment}.tmp`;
}

export class Spool {
  readonly #storage: Storage;
  readonly #path: string;
  /** Full chunks, then the one that is being filled. */
  #chunks: Uint8Array[] = [];
  #filled = CHUNK_BYTES;
  #file: WritableFile | null = null;

  constructor(storage: Storage, path: string) {
    this.#storage = storage;
    this.#path = path;
  }

  /** Appends a copy of the bytes. */
  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.#filled === CHUNK_BYTES) this.#beginChunk();
      const count = Math.min(bytes.length - from, CHUNK_BYTES - this.#filled);
      this.#chunks[this.#chunks.length - 1].set(bytes.subarray(from, from + count), this.#filled);
      this.#filled += count;
      from += count;
    }
  }

  /** Appends everything to a segment file, and forgets it. */
  copyTo(writer: SegmentWriter): void {
    if (this.#file) this.#copyFile(writer);
    this.#chunks.forEach((chunk, i) => {
      writer.append(i < this.#chunks.length - 1 ? chunk : chunk.subarray(0, this.#filled));
    });
    this.discard();
  }

  /** Removes the temporary file, if there is one. */
  discard(): void {
    this.#chunks = [];
    this.#filled = CHUNK_BYTES;
    this.#file?.close();
    if (this.#file) this.#storage.remove(this.#path);
    this.#file = null;
  }

  #beginChunk(): void {
    if (this.#chunks.length * CHUNK_BYTES >= MEMORY_BYTES_MAX) {
      this.#file ??= this.#storage.create(this.#path);
      this.#file.append(this.#chunks);
      this.#chunks = [];
    }
    this.#chunks.push(new Uint8Array(CHUNK_BYTES));
    this.#filled = 0;
  }

  #copyFile(writer: SegmentWriter): void {
    const file = this.#storage.open(this.#path);
    try {
      const buffer = new Uint8Array(CHUNK_BYTES);
      for (let offset = 0; offset < file.size; offset += CHUNK_BYTES) {
        writer.append(buffer.subarray(0, file.readInto(buffer, offset)));
      }
    } finally {
      file.close();
    }
  }
}
