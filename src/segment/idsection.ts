// Writes the ids section of a segment from the id texts of its documents. Used by builder.ts and
// documentmerge.ts; the layout stands in assembly/identifier-section.ts.
import type { Core } from "../core/core.ts";
import { buildIdSection } from "../core/identifiers.ts";
import { Table } from "../core/table.ts";
import type { SegmentWriter } from "./writer.ts";

const CHUNK_BYTES = 64 * 1024;
/** Address and length. */
const ROW_FIELDS = 2;

/** Id texts in order of ordinals. */
export class IdTexts {
  readonly #core: Core;
  readonly #rows: Table;
  /** Their bytes; no id lies in two chunks. */
  readonly #chunks: number[] = [];
  #filled = CHUNK_BYTES;
  #bytes = 0;

  constructor(core: Core) {
    this.#core = core;
    this.#rows = new Table(core, ROW_FIELDS);
  }

  /** Appends an id that lies in the core's memory. */
  add(pointer: number, length: number): void {
    if (this.#filled + length > CHUNK_BYTES) {
      this.#chunks.push(this.#core.take(CHUNK_BYTES));
      this.#filled = 0;
    }
    const text = this.#chunks[this.#chunks.length - 1] + this.#filled;
    const { u8 } = this.#core;
    // Ids are short: a call costs more.
    for (let i = 0; i < length; i++) u8[text + i] = u8[pointer + i];
    this.#filled += length;
    this.refer(text, length);
  }

  /** Appends an id that stays where it is in the core's memory until the section is written. */
  refer(pointer: number, length: number): void {
    const at = this.#rows.push();
    const { u32 } = this.#core;
    u32[at] = pointer;
    u32[at + 1] = length;
    this.#bytes += length;
  }

  /** Writes the section, which is put together in memory that `room` gives. */
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
}
