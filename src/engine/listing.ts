// Reads of documents without a search: one by its id, or a page of all of them. Called by searchthread.ts.
import type { JsonScanner } from "../core/json.ts";
import { TarsierError } from "../errors.ts";
import type { DocumentParts, DocumentsQuery } from "../schemas/documents.ts";
import { Bitmaps } from "./bitmaps.ts";
import { selectionOf } from "./documents/selection.ts";
import { isShownWhole } from "./documents/wholedocument.ts";
import { filteredDocuments } from "./filter/evaluate.ts";
import { GatheredBytes } from "./gatheredbytes.ts";
import type { IndexReader } from "./reader.ts";
import type { Criterion } from "./search/criterion.ts";
import { Documents } from "./search/documents.ts";
import { Driver } from "./search/driver.ts";
import { NO_PATHS } from "./search/rule.ts";
import { type ScoreValue, scoreValues } from "./search/scorevalues.ts";
import { checkSortable, parseSort, sortRule } from "./search/sorting.ts";
import { vectorsMember, withMember } from "./vectors/retrieval.ts";

/** Documents are looked up in lists of this many docids. */
const LIST_MOST = 1024;
/** Bound of the documents of one page, which are all in memory at once. */
export const PAGE_BYTES_MAX = 512 * 2 ** 20;
const COMMA = Buffer.from(",");

/** One document as JSON bytes, or null. */
export function readDocument(
  reader: IndexReader,
  scanner: JsonScanner,
  id: string,
  { fields, retrieveVectors }: DocumentParts,
): Uint8Array | null {
  const docid = reader.docidOf(id);
  if (docid < 0) return null;
  const vectors = retrieveVectors ? vectorsMember(reader, scanner, docid) : null;
  const { pointer, length } = reader.document(docid)!;
  const document = selectionOf(reader, fields).select(scanner, pointer, length);
  return vectors === null ? document.slice() : withMember(document, vectors).slice();
}

/**
 * `{results, offset, limit, total [, sortValues]}` as JSON bytes; documents in the order of their numbers,
 * unless they are sorted.
 */
export function listDocuments(reader: IndexReader, scanner: JsonScanner, query: DocumentsQuery): Uint8Array {
  const { offset, limit, fields } = query;
  const selection = selectionOf(reader, fields);
  const { total, page, sortValues } = pageOf(reader, query);
  const answer = new GatheredBytes();
  answer.add(Buffer.from('{"results":['));
  let bytes = 0;
  for (const docid of page) {
    // Each document is copied as soon as it is read: so the cache holds only one, however long the page.
    reader.share.cache.beginTurn();
    reader.share.deadline.check();
    const vectors = query.retrieveVectors ? vectorsMember(reader, scanner, docid) : null;
    const { segment, ordinal } = reader.find(docid)!;
    const { pointer, length } = segment.document(ordinal);
    const document =
      fields === null && isShownWhole(segment, ordinal)
        ? reader.share.core.u8.subarray(pointer, pointer + length)
        : selection.select(scanner, pointer, length);
    const part = vectors === null ? document : withMember(document, vectors);
    if (bytes > 0) answer.add(COMMA);
    bytes += part.length;
    if (bytes > PAGE_BYTES_MAX) throw tooLong(query);
    answer.add(part);
  }
  const sorted = sortValues === null ? "" : `,"sortValues":${JSON.stringify(sortValues)}`;
  answer.add(Buffer.from(`],"offset":${offset},"limit":${limit},"total":${total}${sorted}}`));
  return answer.whole();
}

export function tooLong({ limit }: DocumentsQuery): TarsierError {
  return new TarsierError("invalid_document_limit", {
    place: "Field `.limit`",
    expected: "so few that the documents have 512 MiB at most",
    found: `\`${limit}\``,
  });
}

interface Page {
  /** Number of documents in the whole listing. */
  total: number;
  page: number[];
  /** Values of each document of the page, when asked for. */
  sortValues: ScoreValue[][] | null;
}

function pageOf(reader: IndexReader, query: DocumentsQuery): Page {
  const { offset, limit, ids } = query;
  const criteria = parseSort(query.sort, "invalid_document_sort");
  const bitmaps = new Bitmaps(reader);
  const allowed = filteredDocuments(bitmaps, query.filter, "invalid_document_filter");
  checkSortable(criteria, reader.settings, "invalid_document_sort");
  // A field that is missing here may exist on the other servers.
  if (!query.isPart) checkPlaced(criteria, reader);
  const chosen = ids ? documentsOf(bitmaps, ids) : null;
  if (criteria.length === 0 && !chosen && allowed === null) {
    const page = liveDocuments(reader, offset, limit);
    return { total: reader.state.numberOfDocuments, page, sortValues: null };
  }
  const set = allowed ?? bitmaps.create(reader.live);
  if (chosen !== null) bitmaps.and(set, chosen);
  const documents = Documents.ofBitmap(bitmaps, set);
  const rules = criteria.map((criterion) => ({
    name: "sort" as const,
    ...sortRule(bitmaps, criterion),
  }));
  const wanted = Math.min(offset + limit, documents.count);
  const driver = new Driver(bitmaps, rules, {
    offset,
    wanted,
    ranked: query.hasSortValues === true,
    threshold: null,
    distinct: null,
    deadline: reader.share.deadline.end,
    leading: null,
  });
  driver.run(documents, NO_PATHS);
  // When time runs out, a search shows what it has; a listing in another order than asked for is of no use.
  if (driver.isDegraded) reader.share.deadline.check();
  const { hits } = driver;
  return {
    total: documents.count,
    page: hits.map(({ docid }) => docid),
    sortValues: query.hasSortValues ? hits.map(({ ranks }) => scoreValues(ranks, 1)) : null,
  };
}

/** @throws TarsierError when sorted by distance although no document ever had a place */
function checkPlaced(criteria: readonly Criterion[], reader: IndexReader): void {
  if (!criteria.some(({ kind }) => kind === "geo") || reader.knows("_geo")) return;
  const message = "Attribute `_geo` is not sortable: no document of this index has it.";
  throw new TarsierError("invalid_document_sort", { message });
}

/** Bitmap of the documents that have one of the given ids. */
function documentsOf(bitmaps: Bitmaps, ids: readonly string[]): number {
  const { reader } = bitmaps;
  const { core, deadline } = reader.share;
  const bitmap = bitmaps.create();
  for (const id of ids) {
    deadline.check();
    const docid = reader.docidOf(id);
    if (docid >= 0) core.exports.bitmapSet(bitmap, docid);
  }
  return bitmap;
}

/** Live documents, starting with the `offset`-th. */
function liveDocuments(reader: IndexReader, offset: number, limit: number): number[] {
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
