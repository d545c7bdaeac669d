// Writes the ids section of a segment from the id texts of its documents. Used by builder.ts and
// documentmerge.ts; the layout is drawn in assembly/identifier-section.ts.
import type { Core } from "../core/core.ts";
import { buildIdSection, ID_BYTES_MAX } from "../core/identifiers.ts";
import { Table } from "../core/table.ts";
import type { SegmentWriter } from "./writer.ts";

const CHUNK_BYTES = 64 * 1024;
/** Address and length. */
const ROW_FIELDS = 2;

/** Id texts in order of ordinals. */
export class IdTexts {
  readonly #core: Core;
  readonly #rows: Table;
  /** The bytes of the ids; each id lies within one chunk. */
  readonly #chunks: number[] = [];
  #filled = CHUNK_BYTES;
  #bytes = 0;

  constructor(core: Core) {
    this.#core = core;
    this.#rows = new Table(core, ROW_FIELDS);
  }

  /** Appends an id that is in the core's memory. */
  add(pointer: number, length: number): void {
    const text = this.#room(length);
    const { u8 } = this.#core;
    // Ids are short: a call to copy them costs more.
    for (let i = 0; i < length; i++) u8[text + i] = u8[pointer + i];
    this.#refer(text, length);
  }

  /** Appends an id from another section, by its ordinal there. */
  addFrom(section: number, ordinal: number): void {
    const text = this.#room(ID_BYTES_MAX);
    this.#refer(text, Math.max(0, this.#core.exports.idSectionText(section, ordinal, text)));
  }

  /** Writes the section, which is assembled in memory that `room` provides. */
  writeTo(writer: SegmentWriter, room: (bytes: number) => number): void {
    const { pointer, length } = buildIdSection(this.#core, room, this.#rows, this.#bytes);
    writer.beginSection("ids");
    writer.appendFrom(pointer, length);
    writer.endSection();
  }

  /** Gives the memory back. */
  free(): void {
    for (const chunk of this.#chunks.splice(0)) this.#core.give(chunk, CHUNK_BYTES);
    this.#rows.free();
    this.#filled = CHUNK_BYTES;
    this.#bytes = 0;
  }

  /** Where to put the next id. */
  #room(bytes: number): number {
    if (this.#filled + bytes > CHUNK_BYTES) {
      this.#chunks.push(this.#core.take(CHUNK_BYTES));
      this.#filled = 0;
    }
    return this.#chunks[this.#chunks.length - 1] + this.#filled;
  }

  #refer(pointer: number, length: number): void {
    this.#filled += length;
    const at = this.#rows.push();
    const { u32 } = this.#core;
    u32[at] = pointer;
    u32[at + 1] = length;
    this.#bytes += length;
  }
}
