// Recently read documents, outside of their blocks: a document that is shown once is often shown again, and
// unpacking a block for one document takes as long as copying a hundred. Used by documentblocks.ts; one for
// each search thread.
//
//   ring    | ... | newest | oldest | ... |   in the memory of the core; a document that does not fit before
//                          ^ the next one     the end begins at the start again
//   table   for each slot: file, ordinal, place, bytes; a document has one slot, which the newest one takes
//
// Places count up for ever: a document is there until a whole ring's length has been written after it.
import type { Core } from "../core/core.ts";
import type { Located } from "./locateddocument.ts";

/** Documents larger than this part of the ring are not kept: they would push too many others out. */
const DOCUMENT_PART_MAX = 1 / 16;
const BYTES_PER_SLOT = 256;
/** Odd numbers without a pattern: they spread neighbours over the table. */
const ORDINAL_FACTOR = 0x9e3779b1;
const FILE_FACTOR = 0x85ebca6b;

export class DocumentCache {
  readonly #core: Core;
  readonly #start: number;
  readonly #bytes: number;
  readonly #shift: number;
  readonly #files: Uint32Array;
  readonly #ordinals: Uint32Array;
  readonly #places: Float64Array;
  readonly #lengths: Uint32Array;
  /** Place of the next document. */
  #next = 0;
  #fileCount = 0;

  /** Takes `bytes` of the core, and outside of it about a twelfth of that. */
  constructor(core: Core, bytes: number) {
    this.#core = core;
    this.#bytes = bytes;
    this.#start = core.reserve(bytes);
    const bits = Math.max(1, Math.floor(Math.log2(bytes / BYTES_PER_SLOT)));
    const slots = 1 << bits;
    this.#shift = 32 - bits;
    this.#files = new Uint32Array(slots);
    this.#ordinals = new Uint32Array(slots);
    this.#places = new Float64Array(slots);
    this.#lengths = new Uint32Array(slots);
  }

  /** A number for a file whose documents will be kept; no other file ever gets it. */
  enter(): number {
    return ++this.#fileCount;
  }

  /** A kept document, valid until the next one is kept; null when it is not there. */
  find(file: number, ordinal: number): Located | null {
    const slot = this.#slotOf(file, ordinal);
    if (this.#files[slot] !== file || this.#ordinals[slot] !== ordinal) return null;
    const place = this.#places[slot];
    if (this.#next > place + this.#bytes) return null;
    return { pointer: this.#start + (place % this.#bytes), length: this.#lengths[slot] };
  }

  /** Keeps a copy of a document that is in the core's memory. */
  keep(file: number, ordinal: number, { pointer, length }: Located): void {
    if (length > this.#bytes * DOCUMENT_PART_MAX) return;
    const room = this.#bytes - (this.#next % this.#bytes);
    if (length > room) this.#next += room;
    const slot = this.#slotOf(file, ordinal);
    this.#files[slot] = file;
    this.#ordinals[slot] = ordinal;
    this.#places[slot] = this.#next;
    this.#lengths[slot] = length;
    this.#core.copy(this.#start + (this.#next % this.#bytes), pointer, length);
    this.#next += length;
  }

  #slotOf(file: number, ordinal: number): number {
    return (Math.imul(ordinal, ORDINAL_FACTOR) ^ Math.imul(file, FILE_FACTOR)) >>> this.#shift;
  }
}
