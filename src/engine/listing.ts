// Reads of documents without a search: one by its id, or a page of all of them. Called by searchthread.ts.
import type { JsonScanner } from "../core/json.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentsQuery } from "../schemas/documents.ts";
import { FieldSelection } from "./documents/selection.ts";
import type { IndexReader } from "./reader.ts";

const HIDDEN = ["_vectors"];
/** Docids are looked at in lists of this many. */
const LIST_MOST = 1024;
const COMMA = Buffer.from(",");

/** One document as JSON bytes, or null. `fields`: null means all. */
export function readDocument(
  reader: IndexReader,
  scanner: JsonScanner,
  id: string,
  fields: string[] | null,
): Uint8Array | null {
  const docid = reader.docidOf(id);
  if (docid < 0) return null;
  const { pointer, length } = reader.document(docid)!;
  return new FieldSelection(fields, HIDDEN).select(scanner, pointer, length).slice();
}

/** `{results, offset, limit, total}` as JSON bytes; documents in the order of their numbers. */
export function listDocuments(reader: IndexReader, scanner: JsonScanner, query: DocumentsQuery): Uint8Array {
  const { offset, limit, fields, ids } = query;
  for (const name of ["filter", "sort"] as const) {
    const value = query[name];
    if (value === null || value.length === 0) continue;
    const message = `Parameter \`${name}\` is not available in this version.`;
    throw new TarsierError(`invalid_document_${name}`, { message });
  }
  const selection = new FieldSelection(fields, HIDDEN);
  const chosen = ids ? docidsOf(reader, ids) : null;
  const total = chosen ? chosen.length : reader.state.numberOfDocuments;
  const page = chosen ? chosen.slice(offset, offset + limit) : pageOf(reader, offset, limit);
  const parts: Uint8Array[] = [Buffer.from('{"results":[')];
  for (const docid of page) {
    const { pointer, length } = reader.document(docid)!;
    if (parts.length > 1) parts.push(COMMA);
    parts.push(selection.select(scanner, pointer, length));
  }
  parts.push(Buffer.from(`],"offset":${offset},"limit":${limit},"total":${total}}`));
  return Buffer.concat(parts);
}

/** Numbers of the documents among some ids, ascending. */
function docidsOf(reader: IndexReader, ids: readonly string[]): number[] {
  const docids = new Set(ids.map((id) => reader.docidOf(id)).filter((docid) => docid >= 0));
  return [...docids].sort((a, b) => a - b);
}

/** Live documents from the `offset`-th on. */
function pageOf(reader: IndexReader, offset: number, limit: number): number[] {
  const { core, scratch } = reader.share;
  const out = scratch.alloc(LIST_MOST * 4);
  const page: number[] = [];
  let skip = offset;
  for (let from = 0; page.length < limit; ) {
    const count = core.exports.bitmapToList(reader.live, reader.words, from, out, LIST_MOST);
    if (count === 0) break;
    const docids = core.u32.subarray(out / 4, out / 4 + count);
    from = docids[count - 1] + 1;
    if (skip < count) page.push(...docids.subarray(skip, skip + limit - page.length));
    skip = Math.max(0, skip - count);
  }
  return page;
}
