// Documents that were read lately, out of their blocks: what is shown once is often shown again, and to
// unpack a block for one of its documents takes as long as to copy a hundred of them. Filled and asked by
// documentblocks.ts; one for each search thread.
//
//   ring    | ... | newest | oldest | ... |   in the memory of the core; a document that does not fit before
//                          ^ the next one     the end begins at the start again
//   table   for each slot: file, ordinal, place, bytes; a document has one slot, where the newest stays
//
// Places count on for ever: a document is there as long as no more than the ring has been written behind it.
import type { Core } from "../core/core.ts";
import type { Located } from "./documentblocks.ts";

/** Documents that are larger than this part of the ring would push too many others out. */
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

  /** Takes `bytes` of the core, and about a twelfth of that beside it. */
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

  /** Number of a file whose documents are going to be kept: no other one ever gets it. */
  enter(): number {
    return ++this.#fileCount;
  }

  /** A document that is there, until the next one is kept; else null. */
  find(file: number, ordinal: number): Located | null {
    const slot = this.#slotOf(file, ordinal);
    if (this.#files[slot] !== file || this.#ordinals[slot] !== ordinal) return null;
    const place = this.#places[slot];
    if (this.#next > place + this.#bytes) return null;
    return { pointer: this.#start + (place % this.#bytes), length: this.#lengths[slot] };
  }

  /** Keeps a copy of a document that lies in the memory of the core. */
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
