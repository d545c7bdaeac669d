// Writes the ids section of a segment from the id texts of its documents. Used by builder.ts and merge.ts; the layout
// stands in assembly/identifier-section.ts.
import { Region } from "../core/region.ts";
import type { SegmentWriter } from "./writer.ts";
import type { Core } from "../core/core.ts";

/** Id texts in order of ordinals, one behind the other. */
export class IdTexts {
  #bytes = Buffer.alloc(16 * 1024);
  #length = 0;
  readonly #ends: number[] = [];

  add(id: Uint8Array): void {
    if (this.#length + id.length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2 + id.length);
    }
    this.#bytes.set(id, this.#length);
    this.#length += id.length;
    this.#ends.push(this.#length);
  }

  /** Writes the section. */
  writeTo(writer: SegmentWriter, core: Core): void {
    const count = this.#ends.length;
    const texts = new Region(core, this.#length + 64);
    const pairs = new Region(core, count * 8);
    core.write(texts.pointer, this.#bytes.subarray(0, this.#length));
    const { u32 } = core;
    let start = 0;
    this.#ends.forEach((end, i) => {
      u32[pairs.pointer / 4 + 2 * i] = texts.pointer + start;
      u32[pairs.pointer / 4 + 2 * i + 1] = end - start;
      start = end;
    });
    const section = new Region(core, core.exports.idSectionBytes(count, this.#length) + 64);
    const length = core.exports.idSectionBuild(section.pointer, pairs.pointer, count);
    if (length < 0) throw new Error(`ids section of ${count} documents: error ${length}`);
    writer.beginSection("ids");
    writer.appendFrom(section.pointer, length);
    writer.endSection();
    for (const region of [texts, pairs, section]) region.free();
  }
}
