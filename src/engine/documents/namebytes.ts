// Looks up the names of members, as the bytes in a document, among dotted names that are asked for. Used
// where parts of documents are selected: selection.ts and heldnames.ts here, formatting.ts and hits.ts in
// src/engine/search.
import { firstPlace } from "../../core/ascending.ts";
import type { JsonEntry, JsonScanner } from "../../core/json.ts";

const DOT = 0x2e;
/** Stands for the byte after the end of a name: lower than any byte. */
const END = -1;
const encoder = new TextEncoder();

export function nameOf(scanner: JsonScanner, entry: JsonEntry): Uint8Array {
  if (entry.escaped) return encoder.encode(scanner.name(entry));
  return scanner.core.u8.subarray(entry.keyAddress, entry.keyAddress + entry.keyLength);
}

export function isEqual(name: Uint8Array, other: Uint8Array): boolean {
  return name.length === other.length && name.every((byte, at) => byte === other[at]);
}

/** Dotted names; or, inside a document, those that lead below some place, of which only the rest counts. */
export class DottedNames {
  /** UTF-8, in the order of their bytes. */
  readonly #sorted: readonly Uint8Array[];
  readonly #from: number;
  readonly #to: number;
  /** Bytes of each name that lead to the place. */
  readonly #passed: number;

  private constructor(sorted: readonly Uint8Array[], from: number, to: number, passed: number) {
    this.#sorted = sorted;
    this.#from = from;
    this.#to = to;
    this.#passed = passed;
  }

  static of(names: readonly Uint8Array[]): DottedNames {
    const sorted = [...names].sort(Buffer.compare);
    return new DottedNames(sorted, 0, sorted.length, 0);
  }

  static ofTexts(names: Iterable<string>): DottedNames {
    return DottedNames.of(Array.from(names, (name) => encoder.encode(name)));
  }

  get count(): number {
    return this.#to - this.#from;
  }

  /** The whole name whose rest equals `name`; undefined when there is none. */
  find(name: Uint8Array): Uint8Array | undefined {
    const place = this.#placeOf(name, END);
    return place < this.#to && this.#compare(place, name, END) === 0 ? this.#sorted[place] : undefined;
  }

  /** The dotted names that lead below a name; null when none does. */
  below(name: Uint8Array): DottedNames | null {
    const from = this.#placeOf(name, DOT);
    const to = this.#placeOf(name, DOT + 1);
    return from < to ? new DottedNames(this.#sorted, from, to, this.#passed + name.length + 1) : null;
  }

  /** The first place whose rest is not below the name followed by one more byte. */
  #placeOf(name: Uint8Array, last: number): number {
    const place = firstPlace(this.count, (at) => this.#compare(this.#from + at, name, last) >= 0);
    return this.#from + place;
  }

  /** Compares the rest, as far as the name and one more byte reach. */
  #compare(place: number, name: Uint8Array, last: number): number {
    const text = this.#sorted[place];
    let at = this.#passed;
    for (let i = 0; i < name.length; i++, at++) {
      const difference = (at < text.length ? text[at] : END) - name[i];
      if (difference !== 0) return difference;
    }
    return (at < text.length ? text[at] : END) - last;
  }
}
