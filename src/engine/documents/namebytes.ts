// Names of members as the bytes of a document, looked up among dotted names that are asked for. Called by
// what selects parts of documents: selection.ts, heldnames.ts, and of src/engine/search formatting.ts and
// positions.ts.
import { firstPlace } from "../../core/ascending.ts";
import type { JsonEntry, JsonScanner } from "../../core/json.ts";

const DOT = 0x2e;
/** Stands in the place of a byte behind the end of a name: less than any. */
const END = -1;
const encoder = new TextEncoder();

export function nameOf(scanner: JsonScanner, entry: JsonEntry): Uint8Array {
  if (entry.escaped) return encoder.encode(scanner.name(entry));
  return scanner.core.u8.subarray(entry.keyAddress, entry.keyAddress + entry.keyLength);
}

export function isEqual(name: Uint8Array, other: Uint8Array): boolean {
  return name.length === other.length && name.every((byte, at) => byte === other[at]);
}

/** Dotted names, or those of them that lead below some place of a document: what is left of them counts. */
export class DottedNames {
  /** In the order of their bytes; UTF-8. */
  readonly #sorted: readonly Uint8Array[];
  readonly #from: number;
  readonly #to: number;
  /** Bytes of each that lead to the place. */
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

  /** The whole name of which this is left; undefined: there is none. */
  find(name: Uint8Array): Uint8Array | undefined {
    const place = this.#placeOf(name, END);
    return place < this.#to && this.#compare(place, name, END) === 0 ? this.#sorted[place] : undefined;
  }

  /** Those that lead below a name; null: none does. */
  below(name: Uint8Array): DottedNames | null {
    const from = this.#placeOf(name, DOT);
    const to = this.#placeOf(name, DOT + 1);
    return from < to ? new DottedNames(this.#sorted, from, to, this.#passed + name.length + 1) : null;
  }

  /** The first place at which what is left is not below a name with one more byte. */
  #placeOf(name: Uint8Array, last: number): number {
    const place = firstPlace(this.count, (at) => this.#compare(this.#from + at, name, last) >= 0);
    return this.#from + place;
  }

  /** Compares what is left, as far as the name and one more byte reach. */
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
