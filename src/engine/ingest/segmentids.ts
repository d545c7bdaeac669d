// The ids of one segment, kept at hand while all its documents are read. Used by rebuild.ts and
// columnrebuild.ts.
import { Region } from "../../core/region.ts";
import type { Located } from "../../segment/documentblocks.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";

/** Address and length. */
const ID_ROW_BYTES = 8;

export class SegmentIds {
  readonly #reader: IndexReader;
  readonly #region: Region;
  readonly #section: number;
  readonly #row: number;

  constructor(reader: IndexReader, { segment }: OpenSegment) {
    const { core } = reader.share;
    this.#reader = reader;
    this.#region = new Region(core);
    this.#section = segment.file.readSection(core, "ids", (bytes) => this.#region.ensure(bytes));
    this.#row = core.take(ID_ROW_BYTES);
  }

  text(ordinal: number): Located {
    const { core } = this.#reader.share;
    core.exports.idSectionTexts(this.#section, ordinal, 1, this.#row);
    return { pointer: core.u32[this.#row / 4], length: core.u32[this.#row / 4 + 1] };
  }

  string(ordinal: number): string {
    const { pointer, length } = this.text(ordinal);
    return this.#reader.share.core.text(pointer, length);
  }

  free(): void {
    this.#region.free();
    this.#reader.share.core.give(this.#row, ID_ROW_BYTES);
  }
}
