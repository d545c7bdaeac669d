// The documents that a filter lets through, for deletions by filter and edit functions. Called by
// batchdocuments.ts and editeddocuments.ts.
import { ID_BYTES_MAX } from "../../core/identifiers.ts";
import { Bitmaps } from "../bitmaps.ts";
import { filteredDocuments } from "../filter/evaluate.ts";
import type { FilterSource } from "../filter/parse.ts";
import type { IndexReader } from "../reader.ts";
import { Documents } from "../search/documents.ts";

/**
 * Ids of the documents, in the index as it was before the batch; none for an empty filter.
 * @throws TarsierError `invalid_document_filter`
 */
export function filteredIds(reader: IndexReader, filter: FilterSource): string[] {
  const docids = filteredDocids(reader, filter) ?? [];
  const room = reader.share.scratch.alloc(ID_BYTES_MAX);
  return docids.map((docid) => idOf(reader, docid, room));
}

/**
 * Numbers of the documents, ascending; null for an empty filter.
 * @throws TarsierError `invalid_document_filter`
 */
export function filteredDocids(reader: IndexReader, filter: FilterSource | null): number[] | null {
  const bitmaps = openBitmaps(reader);
  const bitmap = filteredDocuments(bitmaps, filter, "invalid_document_filter");
  return bitmap === null ? null : docidsOf(bitmaps, bitmap);
}

/** Numbers of all documents, ascending. */
export function allDocids(reader: IndexReader): number[] {
  const bitmaps = openBitmaps(reader);
  return docidsOf(bitmaps, bitmaps.create(reader.live));
}

function openBitmaps(reader: IndexReader): Bitmaps {
  const { cache, scratch } = reader.share;
  cache.beginTurn();
  scratch.reset();
  return new Bitmaps(reader);
}

function docidsOf(bitmaps: Bitmaps, bitmap: number): number[] {
  const documents = Documents.ofBitmap(bitmaps, bitmap);
  return documents.first(documents.count);
}

function idOf(reader: IndexReader, docid: number, room: number): string {
  const { core } = reader.share;
  const { segment, ordinal } = reader.find(docid)!;
  return segment.withIds((section) => {
    const length = core.exports.idSectionText(section, ordinal, room);
    return Buffer.from(core.read(room, Math.max(0, length))).toString();
  });
}
