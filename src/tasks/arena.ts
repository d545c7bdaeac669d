// Many small byte strings outside the garbage collector's care: the bodies of tasks and batches. Entries
// never move and never change, so references stay good in a snapshot. Chunks are 1 MiB; a larger entry gets a
// chunk of its own.
//
//   reference   15 bits chunk | 17 bits offset / 8                   0: none
//   chunk       [ u32 length | bytes | u32 length | bytes | ... | free ]     each length at a multiple of 8

export class ByteArena {
  readonly #chunks: Uint8Array[] = [new Uint8Array(CHUNK_BYTES)];
  /** The chunk that is being filled, and where. */
  #current = 0;
  #offset = ALIGNMENT;
  #length = 0;
  #garbage = 0;

  /** Bytes of all entries, forgotten ones included. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of entries that were forgotten. */
  get garbage(): number {
    return this.#garbage;
  }

  /** Whether it is worth copying the rest into another arena. */
  get isMostlyGarbage(): boolean {
    return this.#garbage >= GARBAGE_MIN && this.#garbage > this.#length / 2;
  }

  add(bytes: Uint8Array): number {
    const total = LENGTH_BYTES + bytes.length;
    this.#length += total;
    if (total > CHUNK_BYTES) {
      const chunk = this.#addChunk(total);
      return this.#write(chunk, 0, bytes);
    }
    if (this.#offset + total > CHUNK_BYTES) {
      this.#current = this.#addChunk(CHUNK_BYTES);
      this.#offset = 0;
    }
    const reference = this.#write(this.#current, this.#offset, bytes);
    this.#offset = Math.ceil((this.#offset + total) / ALIGNMENT) * ALIGNMENT;
    return reference;
  }

  /** A view of an entry. */
  read(reference: number): Uint8Array {
    const chunk = this.#chunks[chunkOf(reference)];
    const offset = offsetOf(reference);
    return chunk.subarray(offset + LENGTH_BYTES, offset + LENGTH_BYTES + readLength(chunk, offset));
  }

  /** The same, but null for reference 0. */
  readIfAny(reference: number): Uint8Array | null {
    return reference === 0 ? null : this.read(reference);
  }

  /** Adds an entry of another arena; 0 stays 0. */
  copyOf(other: ByteArena, reference: number): number {
    return reference === 0 ? 0 : this.add(other.read(reference));
  }

  /** Counts an entry as garbage; it stays readable. */
  forget(reference: number): void {
    if (reference === 0) return;
    this.#garbage += LENGTH_BYTES + readLength(this.#chunks[chunkOf(reference)], offsetOf(reference));
  }

  #addChunk(bytes: number): number {
    if (this.#chunks.length === CHUNKS_MAX)
      throw new RangeError(`the task queue is larger than ${CHUNKS_MAX} MiB`);
    return this.#chunks.push(new Uint8Array(bytes)) - 1;
  }

  #write(chunk: number, offset: number, bytes: Uint8Array): number {
    const target = this.#chunks[chunk];
    for (let at = 0; at < LENGTH_BYTES; at++) target[offset + at] = bytes.length >>> (24 - 8 * at);
    target.set(bytes, offset + LENGTH_BYTES);
    return ((chunk << OFFSET_BITS) | (offset / ALIGNMENT)) >>> 0;
  }
}

function readLength(chunk: Uint8Array, offset: number): number {
  const high = (chunk[offset] << 24) | (chunk[offset + 1] << 16);
  return (high | (chunk[offset + 2] << 8) | chunk[offset + 3]) >>> 0;
}

const chunkOf = (reference: number): number => reference >>> OFFSET_BITS;

const offsetOf = (reference: number): number => (reference & (2 ** OFFSET_BITS - 1)) * ALIGNMENT;

const LENGTH_BYTES = 4;
/** Every entry starts at a multiple of this. */
const ALIGNMENT = 8;
/** Bits of a reference for the offset, which counts in units of the alignment. */
const OFFSET_BITS = 17;
const CHUNK_BYTES = 2 ** OFFSET_BITS * ALIGNMENT;
/** Collecting less than a chunk would free nothing. */
const GARBAGE_MIN = CHUNK_BYTES;
/** References have 15 bits for the chunk. */
const CHUNKS_MAX = 2 ** 15;
