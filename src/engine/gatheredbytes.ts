// An answer that is made of very many small pieces: they are copied together at once, since an array for
// each would take more memory than its bytes, and time of the garbage collector. Filled by listing.ts.

/** Pieces are copied into chunks of this size; a larger piece has a chunk of its own. */
const CHUNK_BYTES = 1024 * 1024;
const CHUNK_BYTES_FIRST = 16 * 1024;

export class GatheredBytes {
  #full: Uint8Array[] = [];
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES_FIRST);
  #used = 0;

  /** Adds a copy of the bytes. */
  add(bytes: Uint8Array): void {
    if (bytes.length > this.#chunk.length - this.#used) {
      this.#full.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes.length));
      this.#used = 0;
    }
    this.#chunk.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  whole(): Buffer {
    return Buffer.concat([...this.#full, this.#chunk.subarray(0, this.#used)]);
  }
}
