// The ids of one segment, kept in memory while all its documents are read. Used by rebuild.ts and
// columnrebuild.ts.
import { ID_BYTES_MAX } from "../../core/identifiers.ts";
import { Region } from "../../core/region.ts";
import type { Located } from "../../segment/locateddocument.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";

export class SegmentIds {
  readonly #reader: IndexReader;
  readonly #region: Region;
  readonly #section: number;
  readonly #room: number;

  constructor(reader: IndexReader, { segment }: OpenSegment) {
    const { core } = reader.share;
    this.#reader = reader;
    this.#region = new Region(core);
    this.#section = segment.file.readSection(core, "ids", (bytes) => this.#region.ensure(bytes));
    this.#room = core.take(ID_BYTES_MAX);
  }

  /** Valid until the next id is asked for. */
  text(ordinal: number): Located {
    const { core } = this.#reader.share;
    const length = core.exports.idSectionText(this.#section, ordinal, this.#room);
    return { pointer: this.#room, length: Math.max(0, length) };
  }

  string(ordinal: number): string {
    const { pointer, length } = this.text(ordinal);
    return this.#reader.share.core.text(pointer, length);
  }

  free(): void {
    this.#region.free();
    this.#reader.share.core.give(this.#room, ID_BYTES_MAX);
  }
}
