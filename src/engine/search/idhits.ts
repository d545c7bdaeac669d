// Documents of which nothing is shown but the id, or not even that: the ids of their segment tell it, and no
// block of documents is unpacked. Called by hits.ts.
import type { Core } from "../../core/core.ts";
import { ID_BYTES_MAX } from "../../core/identifiers.ts";
import type { Segment } from "../../segment/segment.ts";
import type { IndexReader } from "../reader.ts";

/** Larger sections are not read for the sake of a page. */
const SECTION_BYTES_MAX = 4 * 1024 * 1024;

export class IdHits {
  readonly #core: Core;
  /** The primary key as JSON; null: nothing is shown. */
  readonly #key: string | null;
  readonly #room: number;

  constructor({ share }: IndexReader, primaryKey: string | null) {
    this.#core = share.core;
    this.#key = primaryKey === null ? null : JSON.stringify(primaryKey);
    this.#room = share.scratch.alloc(ID_BYTES_MAX);
  }

  /** The document as JSON; null: its segment does not tell. */
  document(segment: Segment, ordinal: number): string | null {
    if (this.#key === null) return "{}";
    const { ids } = segment.meta;
    if (ids === "mixed" || segment.file.section("ids").length > SECTION_BYTES_MAX) return null;
    const length = this.#core.exports.idSectionText(segment.load("ids"), ordinal, this.#room);
    if (length < 0) return null;
    const text = this.#core.text(this.#room, length);
    return `{${this.#key}:${ids === "texts" ? `"${text}"` : text}}`;
  }
}

/** Null where more of documents is shown. `fields`: names; null: all. */
export function idHits(reader: IndexReader, fields: readonly string[] | null): IdHits | null {
  if (fields === null || fields.length > 1) return null;
  const [name = null] = fields;
  if (name === null) return new IdHits(reader, null);
  // Names with dots may lead into objects.
  return name === reader.state.primaryKey && !name.includes(".") ? new IdHits(reader, name) : null;
}
