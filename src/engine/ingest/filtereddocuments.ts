// The ids of the documents that a filter lets through, for deletions by filter. Called by batchdocuments.ts.

import { filteredDocuments } from "../filter/evaluate.ts";
import type { FilterSource } from "../filter/parse.ts";
import type { IndexReader } from "../reader.ts";
import { Bitmaps } from "../search/bitmaps.ts";
import { Documents } from "../search/documents.ts";

/** Address and length. */
const ROW_BYTES = 8;

/**
 * As the index stands before the batch.
 * @throws TarsierError `invalid_document_filter`
 */
export function filteredIds(reader: IndexReader, filter: FilterSource): string[] {
  const { cache, scratch } = reader.share;
  cache.beginTurn();
  scratch.reset();
  const bitmaps = new Bitmaps(reader);
  const bitmap = filteredDocuments(bitmaps, filter, "invalid_document_filter");
  if (bitmap === null) return [];
  const documents = Documents.ofBitmap(bitmaps, bitmap);
  const docids = documents.first(documents.count);
  const row = scratch.alloc(ROW_BYTES);
  return docids.map((docid) => idOf(reader, docid, row));
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
