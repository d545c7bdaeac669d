// How tasks, batches and journal records become bytes: MessagePack, each value complete in itself.
// Not all of msgpackr: its native part sets up one table of the process whenever a thread loads it, and a
// thread that reads at that moment gets wrong values without an error. On records it is no faster either.
import { Packr } from "msgpackr/pack";

// Plain maps instead of msgpackr's shared record structures: any record can be read without those before it.
// Of any size: synonyms may have more words than two bytes count.
const packr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * The decoder renames a key `__proto__`, which users may give to a field, a synonym or an embedder. A value
 * with such a key is packed as [this mark, the value with a NUL before each such key], so that the bytes in
 * it stay bytes.
 */
const KEYS_MARK = "\0keys";
const RENAMED_KEY = "__proto__";
const RENAMED = /^\0*__proto__$/;
/** What was packed before is [this mark, its JSON], bytes included. */
const JSON_MARK = "\0json";

/** A copy of its own, safe to keep. */
export function pack(value: unknown): Uint8Array {
  const bytes: Buffer = packr.pack(value);
  const isRenamed = bytes.includes(RENAMED_KEY) && hasRenamedKey(value);
  const marked = (key: string) => (RENAMED.test(key) ? `\0${key}` : key);
  return isRenamed ? packr.pack([KEYS_MARK, withKeys(value, marked)]) : bytes;
}

export function unpack<Value>(bytes: Uint8Array): Value {
  const value: unknown = packr.unpack(bytes);
  const [mark, content] = Array.isArray(value) ? value : [];
  if (mark === JSON_MARK) return JSON.parse(content, (_key, item) => bytesIn(item) ?? item) as Value;
  if (mark !== KEYS_MARK) return value as Value;
  return withKeys(content, (key) => (RENAMED.test(key) ? key.slice(1) : key)) as Value;
}

function hasRenamedKey(value: unknown): boolean {
  if (!isContainer(value)) return false;
  return Object.hasOwn(value, RENAMED_KEY) || Object.values(value).some(hasRenamedKey);
}

function withKeys(value: unknown, rename: (key: string) => string): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item) => withKeys(item, rename));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [rename(key), withKeys(item, rename)]),
  );
}

/** The bytes that JSON tells in one of its two ways, or null. */
function bytesIn(item: unknown): Uint8Array | null {
  if (!isContainer(item) || Array.isArray(item)) return null;
  const { type, data } = item as { type?: unknown; data?: unknown };
  const numbers = type === "Buffer" && Array.isArray(data) ? data : Object.values(item);
  const areNamed = numbers === data || Object.keys(item).every((key, place) => key === String(place));
  const areBytes =
    numbers.length > 0 && numbers.every((one) => Number.isInteger(one) && one >= 0 && one < 256);
  return areNamed && areBytes ? Uint8Array.from(numbers) : null;
}

/** An object or a list, and no bytes. */
const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
