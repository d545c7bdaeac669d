// Whole documents made from raw ones: partial updates, and documents in which a name is repeated. Called by
// engine/ingest for documents that cannot be stored as they came.
import type { JsonEntry, JsonScanner } from "../../core/json.ts";
import { namedMembers } from "./members.ts";
import { COMMA, OBJECT_CLOSE, OBJECT_OPEN, writeKey, writeValue } from "./rawjson.ts";

/**
 * Lays the document `newer` over `older`: its top-level fields replace those of the same name, in their
 * places; its other fields follow. Values are not merged with each other, and null is a value like any other.
 */
export function mergeDocuments(scanner: JsonScanner, older: Uint8Array, newer: Uint8Array): Uint8Array {
  const [first, second] = scanner.lend(older, newer);
  const members = namedMembers(scanner, first, older.length);
  for (const [name, entry] of namedMembers(scanner, second, newer.length)) members.set(name, entry);
  return documentOf(scanner, members);
}

/** The document with each name only once: with its last value, at its first place. */
export function withoutRepeats(scanner: JsonScanner, pointer: number, length: number): Uint8Array {
  return documentOf(scanner, namedMembers(scanner, pointer, length));
}

function documentOf(scanner: JsonScanner, members: ReadonlyMap<string, JsonEntry>): Uint8Array {
  const memory = scanner.core.u8;
  let bytes = 2;
  for (const { keyLength, valueLength } of members.values()) bytes += keyLength + valueLength + 4;
  const out = new Uint8Array(bytes);
  out[0] = OBJECT_OPEN;
  let at = 1;
  for (const entry of members.values()) {
    if (at > 1) out[at++] = COMMA;
    at = writeValue(memory, entry, out, writeKey(memory, entry, out, at));
  }
  out[at++] = OBJECT_CLOSE;
  return out.subarray(0, at);
}
