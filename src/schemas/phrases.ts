// Words for error messages: what a schema allows, what a value is, and which accepted name is near a misspelt
// one.
import type { TSchema } from "typebox";
import { isSecretName, withoutSecretFields } from "./secretnames.ts";

const FOUND_LEN_MAX = 80;
/**
 * How much of a text is searched for secrets: one may begin in the part that is shown, but be recognisable
 * only by what follows.
 */
const TEXT_LEN_MAX = 1000;
const NAMES_SHOWN_MAX = 150;

/** The parts of a JSON schema that this file and the validator look at. */
export interface SchemaNode extends TSchema {
  type?: string;
  description?: string;
  anyOf?: SchemaNode[];
  enum?: unknown[];
  properties?: Record<string, SchemaNode>;
  patternProperties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** "a string or null", "an integer from 0 to 255", "one of `last`, `all`". */
export function expectedBy(schema: SchemaNode): string {
  if (schema.description !== undefined) return schema.description;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(expectedBy))].join(" or ");
  if (schema.enum) return `one of ${nameList(schema.enum.map(String))}`;
  if (schema.type === "integer" || schema.type === "number") return expectedNumber(schema);
  if (schema.type === "array") return schema.items?.type ? `an array (of ${schema.items.type}s)` : "an array";
  if (schema.type === "null" || schema.type === undefined) return schema.type ?? "another value";
  return `${schema.type === "object" ? "an" : "a"} ${schema.type}`;
}

/** "a string: `"x"`", "a negative integer: `-1`"; nothing of fields that hold secrets by their names. */
export function foundIn(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (isTooLarge(value)) return "a number that is too large";
  const json = beginningOf(value);
  return `${kindOf(value)}: \`${json.length > FOUND_LEN_MAX ? `${json.slice(0, FOUND_LEN_MAX)}...` : json}\``;
}

/** What becomes of `1e400` in JSON; as JSON again it would be null. */
const isTooLarge = (value: unknown): boolean =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;

/**
 * The beginning of a value as JSON, or all of it if short: of millions of values only a few are visited, and
 * a value that contains itself only a few times. `room`: for this many characters.
 */
function beginningOf(value: unknown, room = FOUND_LEN_MAX): string {
  if (typeof value === "string")
    return JSON.stringify(withoutSecretFields(value.slice(0, TEXT_LEN_MAX)).slice(0, FOUND_LEN_MAX + 1));
  // Programs without types may pass values that have no JSON; NaN would be null.
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? typeof value;
  const isArray = Array.isArray(value);
  let json = "";
  for (const name in value) {
    const left = room - json.length - 1;
    if (left < 0) break;
    const isSecret = isSecretName(name);
    const inner = isSecret ? "..." : beginningOf((value as Record<string, unknown>)[name], left);
    const shownName = isSecret ? JSON.stringify(name) : beginningOf(name);
    json += `${json && ","}${isArray ? "" : `${shownName}:`}${inner}`;
  }
  return isArray ? `[${json}]` : `{${json}}`;
}

export function nameList(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => `\`${name}\``);
  return shown.join(", ") + (names.length > shown.length ? ", ..." : "");
}

/** "Unknown field `lmit`: did you mean `limit`? Accepted: ...". */
export function unknownName(what: string, name: string, accepted: readonly string[]): string {
  const near = nearestName(name, accepted);
  const hint = near === undefined ? "." : `: did you mean \`${near}\`?`;
  return `Unknown ${what} \`${name}\`${hint} Accepted: ${nameList(accepted)}`;
}

function expectedNumber({ type, minimum, maximum, exclusiveMinimum }: SchemaNode): string {
  if (exclusiveMinimum !== undefined) return `a number above ${exclusiveMinimum}, up to ${maximum}`;
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    return `${type === "integer" ? "an integer" : "a number"} from ${minimum} to ${maximum}`;
  }
  if (type === "number") return "a number";
  return minimum === undefined ? "an integer" : minimum > 0 ? "a positive integer" : "an integer from 0 up";
}

/** "a string", "a negative integer". */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return "a number";
    return value < 0 ? "a negative integer" : value > 0 ? "a positive integer" : "an integer";
  }
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** How many typing errors are forgiven in a name of this length. */
function editsAllowed(length: number): number {
  return length <= 3 ? 0 : length <= 7 ? 1 : length <= 12 ? 2 : length <= 17 ? 3 : length <= 24 ? 4 : 5;
}

/** The accepted name that was probably meant; undefined: none is near. */
export function nearestName(name: string, accepted: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = editsAllowed(name.length) + 1;
  for (const candidate of accepted) {
    if (Math.abs(candidate.length - name.length) >= bestEdits) continue;
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Optimal string alignment distance: insert, delete, replace, swap neighbours. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = last[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      let cost = Math.min(replaced, last[column] + 1, current[column - 1] + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2] + 1);
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length];
}
