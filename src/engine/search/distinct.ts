// Keeps one document of each value of a field (`distinct`, `distinctAttribute`): of documents that share a
// value, the first is kept and excludes all others from the search, also from buckets that the rules have not
// made yet. Documents without a value are all kept. Called by driver.ts and collection.ts.
import { DICTIONARY_CURSOR_BYTES } from "../../core/dictionary.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Column } from "../../segment/column.ts";
import type { Bitmaps } from "../bitmaps.ts";
import { filterFeatures, isFilterable } from "../filter/attributes.ts";
import { availablePatterns } from "../filter/check.ts";
import type { IndexReader, OpenSegment } from "../reader.ts";
import { Documents, SHORT_LIST_MAX } from "./documents.ts";

/** Up to this many codes, posting lists are united; for more codes, all documents are looked at. */
const LISTS_MAX = 64;
/** Up to this many documents, values are looked up in other segments one by one. */
const FOUND_KEYS_MAX = 2048;

/**
 * The field of a search; null: every matching document is a hit.
 * @throws TarsierError `invalid_search_distinct` for a field of the request that is not filterable
 */
export function distinctField(settings: Settings, requested: string | null): string | null {
  if (requested === null) return settings.distinctAttribute;
  if (isFilterable(filterFeatures(settings, requested))) return requested;
  const rest = availablePatterns(settings);
  const message = `Attribute \`${requested}\` is not filterable, as \`distinct\` needs. ${rest}`;
  throw new TarsierError("invalid_search_distinct", { message });
}

/** A document's values of a field, as texts that are the same in all segments and indexes. */
export function distinctKeys(reader: IndexReader, name: string, docid: number): string[] {
  const place = reader.find(docid);
  const column = place?.segment.column(name);
  if (!column) return [];
  const codes = [...column.codes(place!.segment.ordinalOf(docid))].filter((code) => code < column.values);
  return codes.map((code) => Buffer.from(column.term(code)).toString("latin1"));
}

/** The field in one segment. */
interface Part {
  open: OpenSegment;
  column: Column;
  /** Bitmap of the codes that kept documents have. */
  seen: number;
}

export class Distinct {
  readonly #bitmaps: Bitmaps;
  readonly #parts: Part[];
  /** Bitmap of the documents that were kept. */
  readonly #kept: number;

  constructor(bitmaps: Bitmaps, name: string) {
    const { scratch } = bitmaps.reader.share;
    this.#bitmaps = bitmaps;
    this.#parts = bitmaps.reader.segments.flatMap((open) => {
      const column = open.segment.column(name);
      return column ? [{ open, column, seen: scratch.allocZeroed((column.count >> 3) + 1) }] : [];
    });
    this.#kept = bitmaps.create();
  }

  /**
   * Keeps those of some documents that share no value with one kept before, at most `most`, and excludes all
   * others that share a value with them.
   */
  keep(documents: Documents, most: number): Documents {
    const { core } = this.#bitmaps.reader.share;
    const kept = this.#select(documents, most, true);
    const { docids } = kept;
    for (const docid of docids) core.u8[this.#kept + (docid >>> 3)] |= 1 << (docid & 7);
    this.#exclude(docids);
    return kept;
  }

  /** Those of some documents that share no value with an earlier one, at most `most`. */
  first(documents: Documents, most: number): Documents {
    return this.#select(documents, most, false);
  }

  /** `sharesAll`: values are also marked in the other segments at the end, for calls that will follow. */
  #select(documents: Documents, most: number, sharesAll: boolean): Documents {
    const { core, scratch } = this.#bitmaps.reader.share;
    const { list, count } = this.#withoutExcluded(documents);
    const out = scratch.alloc(4 * count + 16);
    let kept = 0;
    for (let at = 0; at < count && kept < most; ) {
      const { part, length } = this.#stretch(list + 4 * at, count - at);
      const [from, to] = [list + 4 * at, out + 4 * kept];
      const found = part
        ? part.column.distinct(from, length, part.seen, most - kept)
        : Math.min(length, most - kept);
      core.copy(to, from, 4 * found);
      if (part && this.#parts.length > 1 && (sharesAll || at + length < count)) this.#share(part, to, found);
      kept += found;
      at += length;
    }
    return Documents.ofList(this.#bitmaps, out, kept);
  }

  #withoutExcluded(documents: Documents): Documents {
    const bitmaps = this.#bitmaps;
    if (!bitmaps.excluded) return documents;
    if (documents.count <= SHORT_LIST_MAX) {
      return Documents.ofDocids(bitmaps, bitmaps.withoutExcluded(documents.docids));
    }
    const rest = bitmaps.create(documents.bitmap);
    bitmaps.exclude(rest);
    return Documents.ofBitmap(bitmaps, rest);
  }

  /**
   * The part to which the first of some docids belongs (null: it has no values), and the number of docids
   * from there on that belong to the same part.
   */
  #stretch(list: number, count: number): { part: Part | null; length: number } {
    const { u32 } = this.#bitmaps.reader.share.core;
    const [only] = this.#parts;
    if (!only) return { part: null, length: count };
    if (this.#bitmaps.reader.segments.length === 1) return { part: only, length: count };
    const docids = u32.subarray(list >>> 2, (list >>> 2) + count);
    const part = this.#partOf(docids[0]);
    let length = 1;
    while (length < count) {
      // Below this docid, no other segment has a document.
      const bound = this.#boundOf(docids[length], part);
      if (bound > docids[length]) while (length < count && docids[length] < bound) length++;
      else if (this.#partOf(docids[length]) === part) length++;
      else break;
    }
    return { part, length };
  }

  /** The first docid from `docid` on that a segment other than that of `part` may contain. */
  #boundOf(docid: number, part: Part | null): number {
    let bound = Number.POSITIVE_INFINITY;
    for (const { segment } of this.#bitmaps.reader.segments) {
      const { firstDocid, lastDocid } = segment.meta;
      if (segment !== part?.open.segment && docid <= lastDocid) bound = Math.min(bound, firstDocid);
    }
    return bound;
  }

  #partOf(docid: number): Part | null {
    const { reader } = this.#bitmaps;
    const lives = ({ open }: Part) => reader.livesIn(open, docid) && open.segment.ordinalOf(docid) >= 0;
    return this.#parts.find(lives) ?? null;
  }

  /** Marks, in the other segments, the values of one segment's documents that were just kept. */
  #share(part: Part, list: number, count: number): void {
    const { core } = this.#bitmaps.reader.share;
    if (count > FOUND_KEYS_MAX) {
      this.#shareAll(part);
      return;
    }
    for (const docid of core.u32.slice(list >>> 2, (list >>> 2) + count)) {
      for (const code of part.column.codes(part.open.segment.ordinalOf(docid))) {
        if (code >= part.column.values) break;
        const key = part.column.term(code);
        for (const { column, seen } of this.#parts) {
          const other = column === part.column ? -1 : column.find(key);
          if (other >= 0) core.u8[seen + (other >>> 3)] |= 1 << (other & 7);
        }
      }
    }
  }

  /** The same for all values that a segment has seen, by walking through the dictionaries. */
  #shareAll({ column, seen }: Part): void {
    const { core, scratch } = this.#bitmaps.reader.share;
    const mark = scratch.mark();
    const cursors = [0, 0].map(() => scratch.alloc(DICTIONARY_CURSOR_BYTES));
    for (const other of this.#parts) {
      if (other.column === column) continue;
      core.exports.columnShare(
        ...([column.dictionary, cursors[0], seen, column.values] as const),
        ...([other.column.dictionary, cursors[1], other.seen, other.column.values] as const),
      );
    }
    scratch.release(mark);
  }

  /** Excludes the documents that share a value with those that were just kept. */
  #exclude(docids: Uint32Array): void {
    const bitmaps = this.#bitmaps;
    const { core, scratch } = bitmaps.reader.share;
    const keys = docids.length <= LISTS_MAX ? this.#keysOf(docids) : null;
    if (keys?.length === 0) return;
    bitmaps.excluded ||= bitmaps.create();
    for (const { open, column, seen } of this.#parts) {
      const mark = scratch.mark();
      const own = bitmaps.create();
      if (keys && keys.length <= LISTS_MAX) {
        for (const key of keys) {
          const code = column.find(key);
          if (code >= 0) column.into(code, code + 1, own, bitmaps.words);
        }
      } else column.setInto(seen, own, bitmaps.words);
      if (open.tombstones) core.exports.bitmapAndNot(own, open.tombstones, bitmaps.words);
      bitmaps.or(bitmaps.excluded, own);
      scratch.release(mark);
    }
    bitmaps.andNot(bitmaps.excluded, this.#kept);
  }

  #keysOf(docids: Uint32Array): Uint8Array[] {
    const keys = new Map<string, Uint8Array>();
    for (const docid of docids) {
      const part = this.#partOf(docid);
      if (!part) continue;
      for (const code of part.column.codes(part.open.segment.ordinalOf(docid))) {
        if (code >= part.column.values) break;
        const key = part.column.term(code);
        keys.set(Buffer.from(key).toString("latin1"), key);
      }
    }
    return [...keys.values()];
  }
}
