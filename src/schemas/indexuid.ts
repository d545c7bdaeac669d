// What the uid of an index may be. Separate from the schemas (indexes.ts), which pages in a browser do not
// load.
import { TarsierError } from "../errors.ts";

export const INDEX_UID_PATTERN = "^[A-Za-z0-9_-]{1,400}$";
export const INDEX_UID_EXPECTED = "an index uid (1 to 400 letters A to Z, digits, `-` and `_`)";

const INDEX_UID = new RegExp(INDEX_UID_PATTERN);

export function isIndexUid(uid: string): boolean {
  return INDEX_UID.test(uid);
}

/** `uid`: programs without types may pass anything; `undefined` is not taken for an index of that name. */
export function checkIndexUid(uid: string, place: string): string {
  if (typeof uid === "string" && isIndexUid(uid)) return uid;
  // Not every object has a text.
  const found = typeof uid === "object" && uid !== null ? "an object" : `\`${String(uid)}\``;
  throw new TarsierError("invalid_index_uid", { place, expected: INDEX_UID_EXPECTED, found });
}
