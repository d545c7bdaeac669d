// The fields of a document, for rendering its text: JSON.parse alone would round integers beyond 2^53 and put
// names that look like numbers before all others. Called by documentvectors.ts.
import { JSON_ARRAY, JSON_NUMBER, JSON_OBJECT, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import { orderedObject } from "../../embedders/orderedobject.ts";
import { namedMembers } from "../documents/members.ts";

export type Fields = Record<string, unknown>;

/** Integers beyond 2^53 become bigints. `content`: not in linear memory. */
export function documentFields(scanner: JsonScanner, content: Uint8Array): Fields {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString();
  if (!LOOKS_UNUSUAL.test(text)) return JSON.parse(text) as Fields;
  const [pointer] = scanner.lend(content);
  return objectAt(scanner, pointer, content.length);
}

/**
 * Matches integers that may be too long and names that are numbers; matches inside texts merely cost time.
 */
const LOOKS_UNUSUAL = /\d{16}|"(?:\d|\\u003\d)+"\s*:/;

function objectAt(scanner: JsonScanner, pointer: number, length: number): Fields {
  const members = namedMembers(scanner, pointer, length);
  return orderedObject([...members].map(([name, entry]) => [name, valueAt(scanner, entry)])) as Fields;
}

function valueAt(scanner: JsonScanner, entry: JsonEntry): unknown {
  const { type, valueAddress, valueLength } = entry;
  if (type === JSON_OBJECT) return objectAt(scanner, valueAddress, valueLength);
  if (type === JSON_ARRAY) {
    return scanner.elements(valueAddress, valueLength).map((element) => valueAt(scanner, element));
  }
  const text = scanner.source(entry);
  return type === JSON_NUMBER ? numberOf(text) : JSON.parse(text);
}

/** Integers that do not fit into 64 bits become floats. */
function numberOf(text: string): number | bigint {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !/^-?\d+$/.test(text)) return number;
  const integer = BigInt(text);
  return integer >= INTEGER_MIN && integer <= INTEGER_MAX ? integer : number;
}

const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 64n - 1n;
