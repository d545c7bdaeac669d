// Reads bytes as if they were a file, for content that may be in a storage or in memory. Used by
// engine/ingest/contents.ts and tasks/payloads.ts.
import type { ReadableFile } from "./storage.ts";

export class BytesFile implements ReadableFile {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  readInto(target: Uint8Array, offset: number): number {
    const found = this.#bytes.subarray(offset, offset + target.length);
    target.set(found);
    return found.length;
  }

  close(): void {}
}
