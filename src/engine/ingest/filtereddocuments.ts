// The documents that a filter lets through, for deletions by filter and editions. Called by batchdocuments.ts
// and editeddocuments.ts.

import { filteredDocuments } from "../filter/evaluate.ts";
import type { FilterSource } from "../filter/parse.ts";
import type { IndexReader } from "../reader.ts";
import { Bitmaps } from "../search/bitmaps.ts";
import { Documents } from "../search/documents.ts";

/** Address and length. */
const ROW_BYTES = 8;

/**
 * Ids of the documents, as the index stands before the batch; none for an empty filter.
 * @throws TarsierError `invalid_document_filter`
 */
export function filteredIds(reader: IndexReader, filter: FilterSource): string[] {
  const docids = filteredDocids(reader, filter) ?? [];
  const row = reader.share.scratch.alloc(ROW_BYTES);
  return docids.map((docid) => idOf(reader, docid, row));
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

function idOf(reader: IndexReader, docid: number, row: number): string {
  const { core } = reader.share;
  const { segment, ordinal } = reader.find(docid)!;
  return segment.withIds((section) => {
    core.exports.idSectionTexts(section, ordinal, 1, row);
    const [pointer, length] = [core.u32[row / 4], core.u32[row / 4 + 1]];
    return Buffer.from(core.read(pointer, length)).toString();
  });
}
