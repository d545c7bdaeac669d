// JSON text put together from members of raw documents, copied as the bytes that came in. The caller makes
// the output large enough: a copy is never longer than its source.
import type { JsonEntry } from "../../core/json.ts";

export const OBJECT_OPEN = 0x7b;
export const OBJECT_CLOSE = 0x7d;
export const ARRAY_OPEN = 0x5b;
export const ARRAY_CLOSE = 0x5d;
export const COMMA = 0x2c;
const COLON = 0x3a;

/** Copies `"name":` of a member of a document in `memory` to `out`; returns the place after it. */
export function writeKey(memory: Uint8Array, entry: JsonEntry, out: Uint8Array, at: number): number {
  // In the document, the quotes stand directly around the name.
  const from = entry.keyAddress - 1;
  const after = at + entry.keyLength + 2;
  out.set(memory.subarray(from, from + entry.keyLength + 2), at);
  out[after] = COLON;
  return after + 1;
}

/** Copies a value to `out`; returns the place after it. */
export function writeValue(memory: Uint8Array, entry: JsonEntry, out: Uint8Array, at: number): number {
  out.set(memory.subarray(entry.valueAddress, entry.valueAddress + entry.valueLength), at);
  return at + entry.valueLength;
}
