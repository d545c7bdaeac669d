// Writes the ids section of a segment from the id texts of its documents. Used by builder.ts and merge.ts;
// the layout stands in assembly/identifier-section.ts.
import type { Core } from "../core/core.ts";
import { buildIdSection } from "../core/identifiers.ts";
import { Region } from "../core/region.ts";
import type { SegmentWriter } from "./writer.ts";

const BYTES_FIRST = 16 * 1024;

/** Id texts in order of ordinals, one behind the other. */
export class IdTexts {
  readonly #core: Core;
  #bytes = new Uint8Array(BYTES_FIRST);
  #length = 0;
  readonly #ends: number[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Appends an id that lies in the core's memory. */
  add(pointer: number, length: number): void {
    if (this.#length + length > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(this.#core.u8.subarray(pointer, pointer + length), this.#length);
    this.#length += length;
    this.#ends.push(this.#length);
  }

  /** Writes the section. */
  writeTo(writer: SegmentWriter): void {
    const region = new Region(this.#core);
    const texts = this.#bytes.subarray(0, this.#length);
    const { pointer, length } = buildIdSection(this.#core, region, texts, this.#ends);
    writer.beginSection("ids");
    writer.appendFrom(pointer, length);
    writer.endSection();
    region.free();
  }
}
