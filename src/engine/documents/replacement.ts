// Replaces the value of one field of a raw document. Called by engine/vectors for `_vectors`, which is taken
// out of documents before they are stored.
import type { JsonScanner } from "../../core/json.ts";
import { namedMembers } from "./members.ts";
import { COMMA, OBJECT_CLOSE, OBJECT_OPEN, writeKey, writeValue } from "./rawjson.ts";

/**
 * The document at `pointer` with `value` (JSON) as its field `name`, in the place of the old value or, when
 * it has none, after all other fields; null: without the field.
 */
export function replaceMember(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  name: string,
  value: string | null,
): Uint8Array {
  const member = value === null ? null : Buffer.from(`${JSON.stringify(name)}:${value}`);
  const out = new Uint8Array(length + (member?.length ?? 0) + 2);
  const members = namedMembers(scanner, pointer, length);
  const memory = scanner.core.u8;
  let at = 0;
  const begin = () => {
    out[at++] = at === 1 ? OBJECT_OPEN : COMMA;
  };
  const put = () => {
    if (!member) return;
    begin();
    out.set(member, at);
    at += member.length;
  };
  for (const [key, entry] of members) {
    if (key === name) {
      put();
      continue;
    }
    begin();
    at = writeValue(memory, entry, out, writeKey(memory, entry, out, at));
  }
  if (!members.has(name)) put();
  if (at === 0) out[at++] = OBJECT_OPEN;
  out[at++] = OBJECT_CLOSE;
  return out.subarray(0, at);
}
