// The id of one document, found without the kernel jsonIds: for dotted primary keys, names with escapes,
// repeated names and everything else that the kernel leaves open. Called by engine/ingest, for such documents
// only; search/emptytexts.ts looks fields up by their names as it does.
import { JSON_NUMBER, JSON_OBJECT, JSON_STRING, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import { printedNumber } from "../../core/jsonnumbers.ts";
import { TarsierError } from "../../errors.ts";
import { isDocumentId } from "../../schemas/documentid.ts";
import { namedMembers } from "./members.ts";

/** Most characters of a value or a document that an error message shows. */
const SHOWN_CHARACTERS_MAX = 1000;

/**
 * Text of the id of a document: a 64-bit integer as written, or a string of 1 to 511 bytes of `a-z A-Z 0-9 -
 * _`. A primary key with dots also names nested fields, in every combination: `a.b` is `{"a.b":1}` and
 * `{"a":{"b":1}}`.
 * @throws TarsierError `missing_document_id` when there is no such field, `invalid_document_id` when its
 * value cannot be an id, or when several fields match
 */
export function findDocumentId(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  primaryKey: string,
): string {
  const found = entriesAt(scanner, pointer, length, primaryKey);
  if (found.length === 0) {
    const text = new TextDecoder().decode(scanner.core.read(pointer, length));
    throw new TarsierError("missing_document_id", { primaryKey, document: shortened(text) });
  }
  if (found.length > 1) {
    const values = found.map((entry) => shortened(scanner.source(entry)));
    throw new TarsierError("invalid_document_id", { found: values.join("` and `") });
  }
  const id = idText(scanner, found[0]);
  if (id === null)
    throw new TarsierError("invalid_document_id", { found: shortened(scanner.source(found[0])) });
  return id;
}

/**
 * The members that a dotted name reaches, taking each of its dots either as a separator or as part of a name.
 */
export function entriesAt(scanner: JsonScanner, pointer: number, length: number, path: string): JsonEntry[] {
  const found: JsonEntry[] = [];
  for (const [name, entry] of namedMembers(scanner, pointer, length)) {
    if (name === path) found.push(entry);
    else if (entry.type === JSON_OBJECT && path.startsWith(`${name}.`)) {
      const rest = path.slice(name.length + 1);
      found.push(...entriesAt(scanner, entry.valueAddress, entry.valueLength, rest));
    }
  }
  return found;
}

function idText(scanner: JsonScanner, entry: JsonEntry): string | null {
  if (entry.type === JSON_STRING) {
    const text = scanner.text(entry);
    return isDocumentId(text) ? text : null;
  }
  if (entry.type !== JSON_NUMBER) return null;
  const text = scanner.source(entry);
  // Only integers that fit into 64 bits are printed without a point or an exponent.
  return isDocumentId(text) && printedNumber(text) === text && !/[e.]/i.test(text) ? text : null;
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}...` : text;
}
