// Which of some dotted names lead to something in one document. Called by selection.ts for names that the
// index does not know.
import { JSON_ARRAY, JSON_OBJECT, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import { isEqual, leadsBelow, nameOf } from "./namebytes.ts";

/** Those of `names` (UTF-8) at which the document at `pointer` has something. */
export function heldNames(
  scanner: JsonScanner,
  pointer: number,
  length: number,
  names: readonly Uint8Array[],
): Uint8Array[] {
  const held = new Set<Uint8Array>();
  const leads = names.map((name) => ({ name, rest: name }));
  collectHeld(scanner, { valueAddress: pointer, valueLength: length }, leads, held);
  return [...held];
}

/** What is left of a dotted name at some place of a document. */
interface Lead {
  name: Uint8Array;
  rest: Uint8Array;
}

/** Collects the names at which an object has something: each place is looked at once, for all of them. */
function collectHeld(
  scanner: JsonScanner,
  { valueAddress, valueLength }: Pick<JsonEntry, "valueAddress" | "valueLength">,
  leads: readonly Lead[],
  held: Set<Uint8Array>,
): void {
  for (const entry of scanner.entries(valueAddress, valueLength)) {
    const own = nameOf(scanner, entry);
    const below: Lead[] = [];
    for (const { name, rest } of leads) {
      if (isEqual(own, rest)) held.add(name);
      else if (leadsBelow(rest, own) && !held.has(name))
        below.push({ name, rest: rest.subarray(own.length + 1) });
    }
    if (below.length > 0) collectBelow(scanner, entry, below, held);
  }
}

function collectBelow(
  scanner: JsonScanner,
  entry: JsonEntry,
  leads: readonly Lead[],
  held: Set<Uint8Array>,
): void {
  if (entry.type === JSON_OBJECT) collectHeld(scanner, entry, leads, held);
  if (entry.type !== JSON_ARRAY) return;
  for (const element of scanner.elements(entry.valueAddress, entry.valueLength))
    collectBelow(scanner, element, leads, held);
}
