// Hits that show nothing of their documents except the id, or not even that: the id is read from the
// segment's table of ids, and no block of documents is unpacked. Called by hits.ts.
import { ID_BYTES_MAX } from "../../core/identifiers.ts";
import { TarsierError } from "../../errors.ts";
import { ID_NUMBERS, ID_TEXTS } from "../../segment/idkinds.ts";
import type { Segment } from "../../segment/segment.ts";
import type { IndexReader, ReaderShare } from "../reader.ts";

const PASSED_OVER: ReadonlySet<string> = new Set(["invalid_store_file", "search_memory_exceeded"]);

export class IdHits {
  readonly #share: ReaderShare;
  /** The primary key as JSON; null: nothing at all is shown. */
  readonly #key: string | null;

  constructor({ share }: IndexReader, primaryKey: string | null) {
    this.#share = share;
    this.#key = primaryKey === null ? null : JSON.stringify(primaryKey);
  }

  /** The document as JSON; null when the segment's ids cannot tell. */
  document(segment: Segment, ordinal: number): string | null {
    if (this.#key === null) return "{}";
    const { idKinds } = segment.meta;
    const isKnown = idKinds === ID_NUMBERS || idKinds === ID_TEXTS;
    const text = isKnown ? this.#idText(segment, ordinal) : null;
    if (text === null) return null;
    return `{${this.#key}:${idKinds === ID_TEXTS ? `"${text}"` : text}}`;
  }

  #idText(segment: Segment, ordinal: number): string | null {
    const { core, scratch } = this.#share;
    const mark = scratch.mark();
    try {
      const room = scratch.alloc(ID_BYTES_MAX);
      const length = segment.idText(ordinal, room);
      return length < 0 ? null : core.text(room, length);
    } catch (error) {
      // The document itself may be sound, or in memory.
      if (error instanceof TarsierError && PASSED_OVER.has(error.code)) return null;
      throw error;
    } finally {
      scratch.release(mark);
    }
  }
}

/** Null when more of the documents is shown. `fields`: names of the fields to show; null: all. */
export function idHits(reader: IndexReader, fields: readonly string[] | null): IdHits | null {
  if (fields === null || fields.length > 1) return null;
  const [name = null] = fields;
  if (name === null) return new IdHits(reader, null);
  // Names with dots may lead into objects.
  return name === reader.state.primaryKey && !name.includes(".") ? new IdHits(reader, name) : null;
}
