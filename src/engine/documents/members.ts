// The fields of a raw document by name. Used throughout src/engine: nothing is parsed that was not asked for.
import type { JsonEntry, JsonScanner } from "../../core/json.ts";

/**
 * Members of the object at `pointer`, by name, in order of first appearance. A repeated name keeps its place
 * and takes its last value.
 */
export function namedMembers(scanner: JsonScanner, pointer: number, length: number): Map<string, JsonEntry> {
  const members = new Map<string, JsonEntry>();
  for (const entry of scanner.entries(pointer, length)) members.set(scanner.name(entry), entry);
  return members;
}

/** An object with more members (`more`: JSON without braces) after its own. */
export function withMembers(object: string, more: string): string {
  const own = object.slice(0, object.lastIndexOf("}"));
  return `${own}${own.trimEnd().endsWith("{") ? "" : ","}${more}}`;
}
