// The fields of a raw document by name. Its other files build on this: what is not asked for is never parsed.
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

/** An object with more members, JSON without braces, behind its own. */
export function withMembers(object: string, more: string): string {
  const own = object.slice(0, object.lastIndexOf("}"));
  return `${own}${own.trimEnd().endsWith("{") ? "" : ","}${more}}`;
}
