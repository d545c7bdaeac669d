// The columns of a CSV body, from its header record: names, types, and the JSON of a cell. Called by
// csv-lines.ts.
//
//   header `id:number,name,open:boolean`   ->   {"id":1,"name":"Triglav","open":true}
//                                               ^prefix ^prefix          ^prefix
import { DECIMAL } from "../decimals.ts";

/** Every integer of this many digits is in the range of an id. */
const PLAIN_INTEGER_BYTES_MAX = 18;

type ColumnType = "string" | "number" | "boolean";

export interface Column {
  name: string;
  type: ColumnType;
  /** JSON before the value; null for a column that a later one of the same name replaces. */
  prefix: Uint8Array | null;
}

/**
 * Columns from the header's cells. The type follows the last colon; a text that is no type belongs to the
 * name.
 */
export function makeColumns(header: readonly string[]): Column[] {
  const columns = header.map((cell) => splitType(cell));
  const last = new Map(columns.map(({ name }, place) => [name, place]));
  let opening = "{";
  return columns.map(({ name, type }, place) => {
    if (last.get(name) !== place) return { name, type, prefix: null };
    const prefix = Buffer.from(`${opening}${JSON.stringify(name)}:`);
    opening = ",";
    return { name, type, prefix };
  });
}

/** JSON of a cell of a number or boolean column; undefined when the text is not such a value. */
export function cellJson(type: ColumnType, cell: string): string | undefined {
  const text = cell.trim();
  if (text === "") return "null";
  if (type === "boolean") return text === "true" || text === "false" ? text : undefined;
  return numberJson(text);
}

/** Is the cell an integer in JSON's notation? The usual number cell, recognised without making a string. */
export function isPlainInteger(cell: Uint8Array, length: number): boolean {
  if (length === 0 || length > PLAIN_INTEGER_BYTES_MAX || (cell[0] === 0x30 && length > 1)) return false;
  for (let at = 0; at < length; at++) if (cell[at] < 0x30 || cell[at] > 0x39) return false;
  return true;
}

function splitType(cell: string): { name: string; type: ColumnType } {
  const colon = cell.lastIndexOf(":");
  const type = cell.slice(colon + 1);
  const known = type === "string" || type === "number" || type === "boolean";
  return colon >= 0 && known ? { name: cell.slice(0, colon), type } : { name: cell, type: "string" };
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const NOT_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;

/** Numbers that are valid JSON stay as they are; `+5`, `007`, `.5` and `1.` are rewritten. */
function numberJson(text: string): string | undefined {
  if (NOT_FINITE.test(text)) return "null";
  if (!DECIMAL.test(text)) return undefined;
  // JSON has no NaN or infinity, and a double has no number that is too large for it.
  if (!Number.isFinite(Number(text))) return "null";
  if (JSON_NUMBER.test(text)) return text;
  if (INTEGER.test(text)) return BigInt(text).toString();
  const value = String(Number(text));
  // A float stays a float in JSON, too: `1.` must not become an integer, which could be a document id.
  return /^-?\d+$/.test(value) ? `${value}.0` : value;
}
