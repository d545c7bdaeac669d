// How tasks, batches and journal records become bytes: MessagePack, each value complete in itself.
// Not all of msgpackr: its native part sets up one table of the process whenever a thread loads it, and a
// thread that reads at that moment gets wrong values without an error. On records it is no faster either.
import { Packr } from "msgpackr/pack";

// Plain maps instead of msgpackr's shared record structures: any record can be read without those before it.
// Of any size: synonyms may have more words than two bytes count.
const packr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * The decoder renames a key `__proto__`, which users may give to a synonym or an embedder: a value with such
 * a key is packed as [this mark, its JSON].
 */
const JSON_MARK = "\0json";
const RENAMED_KEY = "__proto__";

/** A copy of its own, safe to keep. */
export function pack(value: unknown): Uint8Array {
  const bytes: Buffer = packr.pack(value);
  const isRenamed = bytes.includes(RENAMED_KEY) && hasRenamedKey(value);
  return isRenamed ? packr.pack([JSON_MARK, JSON.stringify(value)]) : bytes;
}

export function unpack<Value>(bytes: Uint8Array): Value {
  const value: unknown = packr.unpack(bytes);
  const isJson = Array.isArray(value) && value[0] === JSON_MARK;
  return (isJson ? JSON.parse(value[1]) : value) as Value;
}

function hasRenamedKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  return Object.hasOwn(value, RENAMED_KEY) || Object.values(value).some(hasRenamedKey);
}
