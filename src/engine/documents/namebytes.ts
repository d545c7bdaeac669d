// Names of members as the bytes of a document, compared with names that are asked for. Called by selection.ts
// and heldnames.ts.
import type { JsonEntry, JsonScanner } from "../../core/json.ts";

const DOT = 0x2e;
const encoder = new TextEncoder();

export function nameOf(scanner: JsonScanner, entry: JsonEntry): Uint8Array {
  if (entry.escaped) return encoder.encode(scanner.name(entry));
  return scanner.core.u8.subarray(entry.keyAddress, entry.keyAddress + entry.keyLength);
}

/** What is left of the selectors that lead below a name. */
export function belowName(selectors: readonly Uint8Array[], name: Uint8Array): Uint8Array[] {
  const leading = selectors.filter((selector) => leadsBelow(selector, name));
  return leading.map((selector) => selector.subarray(name.length + 1));
}

export const leadsBelow = (selector: Uint8Array, name: Uint8Array): boolean =>
  selector[name.length] === DOT && isHead(name, selector);

export function isEqual(name: Uint8Array, other: Uint8Array): boolean {
  return name.length === other.length && isHead(name, other);
}

/** True when a text that is no shorter begins with a name. */
function isHead(name: Uint8Array, text: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (text[i] !== name[i]) return false;
  return true;
}
