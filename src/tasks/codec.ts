// How tasks, batches and journal records become bytes: MessagePack, each value complete in itself. The native
// part of msgpackr is left out: whenever a thread loads it, it sets up a table that all threads share, and a
// thread that unpacks at that moment silently gets wrong values. For records it is no faster either.
import { Packr } from "msgpackr/pack";
import { isMarked, markText, unmarkText } from "../storage/texts.ts";

// Plain maps instead of msgpackr's shared record structures: each record can be read without those before it.
// Maps may have any size, as synonyms may have more words than two bytes can count. A field `toJSON` comes
// from users and is not called.
const packr = new Packr({ useRecords: false, variableMapSize: true, useToJSON: false });

/**
 * The decoder renames a key `__proto__`, which users may give to a field, a synonym or an embedder, and
 * strips a byte order mark from the beginning of texts (storage/texts.ts). A value with such keys or texts is
 * packed as [this mark, the value with a NUL before each of them]; that way bytes in it stay bytes.
 */
const KEYS_MARK = "\0keys";
const RENAMED_KEY = "__proto__";
const RENAMED = /^\0*__proto__$/;
const ORDER_MARK = "\ufeff";
/** Older versions packed such values as [this mark, their JSON], bytes included. */
const JSON_MARK = "\0json";

/** A copy of its own, safe to keep. */
export function pack(value: unknown): Uint8Array {
  const bytes: Buffer = packr.pack(value);
  const mayChange = bytes.includes(RENAMED_KEY) || bytes.includes(ORDER_MARK);
  return mayChange && changes(value) ? packr.pack([KEYS_MARK, withTexts(value, markKey, markText)]) : bytes;
}

export function unpack<Value>(bytes: Uint8Array): Value {
  const value: unknown = packr.unpack(bytes);
  const [mark, content] = Array.isArray(value) ? value : [];
  if (mark === JSON_MARK) return JSON.parse(content, (_key, item) => bytesIn(item) ?? item) as Value;
  return (mark === KEYS_MARK ? withTexts(content, unmarkKey, unmarkText) : value) as Value;
}

const markKey = (key: string): string => (RENAMED.test(key) ? `\0${key}` : markText(key));
const unmarkKey = (key: string): string => (RENAMED.test(key) ? key.slice(1) : unmarkText(key));

/** Whether the decoder would change the value. */
function changes(value: unknown): boolean {
  if (typeof value === "string") return isMarked(value);
  if (!isContainer(value)) return false;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return keys.some((key) => key === RENAMED_KEY || isMarked(key)) || Object.values(value).some(changes);
}

/** A copy whose keys and texts are converted. */
function withTexts(
  value: unknown,
  keyOf: (key: string) => string,
  textOf: (text: string) => string,
): unknown {
  if (typeof value === "string") return textOf(value);
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, keyOf, textOf));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [keyOf(key), withTexts(item, keyOf, textOf)]),
  );
}

/** The bytes that an object of the JSON stands for, in one of its two notations; else null. */
function bytesIn(item: unknown): Uint8Array | null {
  if (!isContainer(item) || Array.isArray(item)) return null;
  const { type, data } = item as { type?: unknown; data?: unknown };
  const numbers = type === "Buffer" && Array.isArray(data) ? data : Object.values(item);
  const areNamed = numbers === data || Object.keys(item).every((key, place) => key === String(place));
  const areBytes =
    numbers.length > 0 && numbers.every((one) => Number.isInteger(one) && one >= 0 && one < 256);
  return areNamed && areBytes ? Uint8Array.from(numbers) : null;
}

/** Whether it is an object or a list, but not bytes. */
const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
