// Bytes that are read as if they were a file: for what may lie in a storage or in memory. Called by the
// readers of payloads.
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
