// Finds out which of some dotted names lead to a value in one document. Called by selection.ts for names that
// the index does not know.
import { JSON_ARRAY, JSON_OBJECT, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import { type DottedNames, nameOf } from "./namebytes.ts";

/** Those of `names` (UTF-8) that lead to a value in the document at `pointer`. */
export function heldNames(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  names: DottedNames,
): Uint8Array[] {
  const held = new Set<Uint8Array>();
  collectHeld(scanner, { valueAddress: pointer, valueLength: length }, names, held);
  return [...held];
}

/**
 * Collects the names under which an object has a value; each place is visited once, for all names together.
 */
function collectHeld(
  scanner: JsonScanner,
  { valueAddress, valueLength }: Pick<JsonEntry, "valueAddress" | "valueLength">,
  names: DottedNames,
  held: Set<Uint8Array>,
): void {
  for (const entry of scanner.entries(valueAddress, valueLength)) {
    const own = nameOf(scanner, entry);
    const name = names.find(own);
    if (name) held.add(name);
    const below = names.below(own);
    if (below) collectBelow(scanner, entry, below, held);
  }
}

function collectBelow(
  scanner: JsonScanner,
  entry: JsonEntry,
  names: DottedNames,
  held: Set<Uint8Array>,
): void {
  if (entry.type === JSON_OBJECT) collectHeld(scanner, entry, names, held);
  if (entry.type !== JSON_ARRAY) return;
  for (const element of scanner.elements(entry.valueAddress, entry.valueLength))
    collectBelow(scanner, element, names, held);
}
