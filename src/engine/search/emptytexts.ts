// A habit of the reference engine: where the request names the distinct field, an empty text is no value
// while documents are ranked, yet of the hits of the finished page that have one, all but the first are left
// out and not counted. The page is not filled up again. Nothing is known of federated searches, which keep
// such hits. Called by searchanswer.ts.
import { KIND_EMPTY } from "../../core/columns.ts";
import { JSON_STRING, type JsonScanner } from "../../core/json.ts";
import { entriesAt } from "../documents/identifier.ts";
import type { IndexReader } from "../reader.ts";
import type { Collection } from "./collection.ts";
import { Documents } from "./documents.ts";

interface Tools {
  reader: IndexReader;
  scanner: JsonScanner;
}

/** The page without those hits; `name`: the distinct field of the request, or null. */
export function withoutRepeatedEmptyTexts<Found extends Collection>(
  tools: Tools,
  name: string | null,
  found: Found,
): Found {
  const repeated = name === null ? [] : repeatedEmptyTexts(tools, name, found);
  if (repeated.length === 0) return found;
  const left = new Set(repeated);
  const { bitmaps } = found;
  const counted = bitmaps.create(found.candidates.bitmap);
  bitmaps.remove(counted, repeated);
  return {
    ...found,
    hits: found.hits.filter(({ docid }) => !left.has(docid)),
    candidates: Documents.ofBitmap(bitmaps, counted),
    total: found.total - repeated.length,
  };
}

function repeatedEmptyTexts(tools: Tools, name: string, { hits }: Collection): number[] {
  const empty = hits.filter(({ docid }) => isEmpty(tools.reader, name, docid));
  if (empty.length < 2) return [];
  const docids = empty.map(({ docid }) => docid);
  return docids.filter((docid) => hasEmptyText(tools, name, docid)).slice(1);
}

/** An empty text, list or object. */
function isEmpty(reader: IndexReader, name: string, docid: number): boolean {
  const place = reader.find(docid);
  const column = place?.segment.column(name);
  const code = column?.codeOf(KIND_EMPTY) ?? -1;
  return code >= 0 && column!.codes(place!.segment.ordinalOf(docid)).includes(code);
}

function hasEmptyText({ reader, scanner }: Tools, name: string, docid: number): boolean {
  const { pointer, length } = reader.document(docid)!;
  return entriesAt(scanner, pointer, length, name).some(
    ({ type, valueLength }) => type === JSON_STRING && valueLength === QUOTES_LEN,
  );
}

const QUOTES_LEN = 2;
