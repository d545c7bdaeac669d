// Bytes that are made before their turn in a segment file comes: posting lists while occurrences are written. Kept in
// memory up to a bound, then in a temporary file beside the segment. Used by builder.ts and merge.ts.
import type { ReadableFile, Storage, WritableFile } from "../storage/storage.ts";
import type { SegmentWriter } from "./writer.ts";

const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
const COPY_BYTES = 256 * 1024;

export class Spool {
  readonly #storage: Storage;
  readonly #path: string;
  #chunks: Uint8Array[] = [];
  #held = 0;
  #file: WritableFile | null = null;
  /** Bytes appended. */
  bytes = 0;

  constructor(storage: Storage, path: string) {
    this.#storage = storage;
    this.#path = path;
  }

  /** Takes the bytes over: they must not change afterwards. */
  append(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.#chunks.push(bytes);
    this.#held += bytes.length;
    if (this.#held < MEMORY_BYTES_MAX) return;
    this.#file ??= this.#storage.create(this.#path);
    this.#file.append(this.#chunks);
    this.#chunks = [];
    this.#held = 0;
  }

  /** Appends everything to a segment file, and forgets it. */
  copyTo(writer: SegmentWriter): void {
    if (this.#file) {
      const file = this.#storage.open(this.#path);
      copy(file, writer);
      file.close();
    }
    for (const chunk of this.#chunks) writer.append(chunk);
    this.discard();
  }

  /** Removes the temporary file, if there is one. */
  discard(): void {
    this.#chunks = [];
    this.#file?.close();
    if (this.#file) this.#storage.remove(this.#path);
    this.#file = null;
  }
}

function copy(file: ReadableFile, writer: SegmentWriter): void {
  const buffer = new Uint8Array(COPY_BYTES);
  for (let offset = 0; offset < file.size; ) {
    const count = file.readInto(buffer, offset);
    writer.append(buffer.subarray(0, count));
    offset += count;
  }
}
