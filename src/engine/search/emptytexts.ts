// A habit of the reference engine: where the request names the distinct field, an empty text is no value
// while documents are ranked, yet of the hits of a page that have one, all but the first are left out and not
// counted. The page is not filled up again. Called by collection.ts.
import { KIND_EMPTY } from "../../core/columns.ts";
import type { JsonScanner } from "../../core/json.ts";
import { FieldSelection } from "../documents/selection.ts";
import type { IndexReader } from "../reader.ts";
import type { Hit } from "./driver.ts";

interface Tools {
  reader: IndexReader;
  scanner: JsonScanner;
}

/** Docids of the hits to leave out; `name`: the distinct field. */
export function repeatedEmptyTexts(tools: Tools, name: string, hits: readonly Hit[]): number[] {
  const empty = hits.filter(({ docid }) => isEmpty(tools.reader, name, docid));
  if (empty.length < 2) return [];
  const selection = new FieldSelection([name]);
  return empty
    .map(({ docid }) => docid)
    .filter((docid) => hasEmptyText(tools, selection, name, docid))
    .slice(1);
}

/** An empty text, list or object. */
function isEmpty(reader: IndexReader, name: string, docid: number): boolean {
  const place = reader.find(docid);
  const column = place?.segment.column(name);
  const code = column?.codeOf(KIND_EMPTY) ?? -1;
  return code >= 0 && column!.codes(place!.segment.ordinalOf(docid)).includes(code);
}

function hasEmptyText({ reader, scanner }: Tools, selection: FieldSelection, name: string, docid: number) {
  const document = reader.document(docid);
  if (!document) return false;
  const bytes = selection.select(scanner, document.pointer, document.length);
  const fields = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  return valueAt(fields, name) === "";
}

/** The value of a field, whose name or the names around it may have dots. */
function valueAt(fields: unknown, path: string): unknown {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (name === path) return value;
    if (path.startsWith(`${name}.`)) return valueAt(value, path.slice(name.length + 1));
  }
  return undefined;
}
