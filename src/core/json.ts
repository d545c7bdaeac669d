// What the kernels that look inside JSON documents (exports/json.ts) tell, for the engine: what an object or
// an array in linear memory holds, the ids of a payload, the walk of a document into the inverter. Rows and
// regions are drawn in assembly/json*.ts.
import type { Core } from "./core.ts";
import type { JsonExports } from "./exports/json.ts";
import { PRINTED_BYTES_MAX, printNumber } from "./jsonnumbers.ts";
import { Region } from "./region.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Errors of the kernels: see jsonDocument. */
export const JSON_DAMAGED = -101;
export const JSON_FULL = -102;
export const JSON_TOO_DEEP = -103;
export const JSON_TOO_MANY_PATHS = -104;
export const JSON_FIELD_NUMBER = -105;
const JSON_ESCAPED = -106;
const NAMES_END = 0xffff_ffff;

/** How deep objects and arrays of a document may be nested, itself included (DEPTH_MAX of the walker). */
export const JSON_DEPTH_MAX = 1024;

/**
 * Answer of the `field` import for a path that is not searchable; below, for one that has nothing searchable
 * below it either.
 */
export const FIELD_NONE = -1;
export const FIELD_NONE_BELOW = -2;

/** Answer of the `column` import for a path without a column. */
export const COLUMN_NONE = -1;
/** Flag that the `column` import adds to a column whose values at the top level are locations. */
export const COLUMN_POINT = 65536;
/** The same if they are geometries. */
export const COLUMN_GEOMETRY = 131072;
/** The same for degrees: texts that are numbers count as numbers. */
export const COLUMN_DEGREES = 262144;

/** Types of JSON values, as numbered by the kernels. */
export const JSON_NULL = 0;
export const JSON_FALSE = 1;
export const JSON_TRUE = 2;
export const JSON_NUMBER = 3;
export const JSON_STRING = 4;
export const JSON_ARRAY = 5;
export const JSON_OBJECT = 6;

/** Number of u32 fields in a row of jsonIds; below, the values of its status. */
export const ID_ROW_FIELDS = 5;
export const ID_FINE = 0;
export const ID_MISSING = 1;
export const ID_UNACCEPTABLE = 2;
export const ID_UNCLEAR = 3;
export const ID_DAMAGED = 4;

/** Number of u32 fields in a row of jsonEntries and jsonElements; below, the places of its fields. */
export const ENTRY_ROW_FIELDS = 6;
export const ENTRY_KEY = 0;
export const ENTRY_KEY_LENGTH = 1;
export const ENTRY_VALUE = 2;
export const ENTRY_VALUE_LENGTH = 3;
const ENTRY_TYPE = 4;
export const ENTRY_ESCAPED = 5;

const ROW_BYTES = 4 * ENTRY_ROW_FIELDS;
const ROWS_FIRST = 256;

/** A member of an object, or an element of an array (with an empty key). Addresses are in linear memory. */
export interface JsonEntry {
  /** The bytes between the quotes of the name. */
  keyAddress: number;
  keyLength: number;
  /** The bytes of the value; strings include their quotes. */
  valueAddress: number;
  valueLength: number;
  type: number;
  /** Whether the name has escapes. */
  escaped: boolean;
}

/** Looks into objects and arrays in the memory of a core. */
export class JsonScanner {
  readonly core: Core;
  readonly #rows: Region;
  readonly #text: Region;
  readonly #lent: Region;
  readonly #names: Region;
  /** The names that `#names` holds. */
  #selected: readonly Uint8Array[] | null = null;

  constructor(core: Core) {
    this.core = core;
    this.#rows = new Region(core);
    this.#text = new Region(core);
    this.#lent = new Region(core);
    this.#names = new Region(core);
  }

  /**
   * Copies documents into linear memory, valid until the next call of this method. Returns where each begins.
   */
  lend(...documents: Uint8Array[]): number[] {
    let at = this.#lent.ensure(documents.reduce((sum, { length }) => sum + length, 0));
    return documents.map((document) => {
      this.core.write(at, document);
      at += document.length;
      return at - document.length;
    });
  }

  /**
   * Members of the object at `address`, in order, repeated names included. Throws a RangeError for damaged
   * JSON.
   */
  entries(address: number, length: number): JsonEntry[] {
    return this.#scan(this.core.exports.jsonEntries, address, length);
  }

  /** Elements of the array at `address`. Throws a RangeError for damaged JSON. */
  elements(address: number, length: number): JsonEntry[] {
    return this.#scan(this.core.exports.jsonElements, address, length);
  }

  /**
   * A copy of the object at `address` with only the members of these names; null when a name in it has
   * escapes and therefore cannot be compared as it is. Throws a RangeError for damaged JSON.
   */
  select(names: readonly Uint8Array[], address: number, length: number): Uint8Array | null {
    if (this.#selected !== names) this.#writeNames(names);
    const out = this.#text.ensure(length);
    const bytes = this.core.exports.jsonSelect(address, length, this.#names.pointer, out);
    if (bytes === JSON_ESCAPED) return null;
    if (bytes < 0) throw damaged(length);
    return this.core.u8.slice(out, out + bytes);
  }

  /** Do the bytes at `address` contain `part`? */
  holds(part: Uint8Array, address: number, length: number): boolean {
    const place = this.#text.ensure(part.length);
    this.core.write(place, part);
    return this.core.exports.textHolds(address, length, place, part.length) === 1;
  }

  /** Name of a member, with escapes resolved. */
  name(entry: JsonEntry): string {
    return this.#string(entry.keyAddress, entry.keyLength, entry.escaped);
  }

  /** Text of a value of type JSON_STRING, with escapes resolved. */
  text(entry: JsonEntry): string {
    return this.#string(entry.valueAddress + 1, entry.valueLength - 2, true);
  }

  /**
   * Where the text of a value of type JSON_STRING is as UTF-8, with escapes resolved: in the document itself
   * if it has none, otherwise in a place that the next text or name will reuse.
   */
  textPlace(entry: JsonEntry): { address: number; length: number } {
    const from = entry.valueAddress + 1;
    const bytes = entry.valueLength - 2;
    const address = this.#text.ensure(bytes);
    const length = this.core.exports.jsonUnescape(from, bytes, address);
    return { address: length === bytes ? from : address, length };
  }

  /**
   * Where a JSON_NUMBER is in the form in which it is searched: in a place that the next text or name will
   * reuse.
   */
  numberPlace({ valueAddress, valueLength }: JsonEntry): { address: number; length: number } {
    const address = this.#text.ensure(PRINTED_BYTES_MAX);
    return { address, length: printNumber(this.core.u8, valueAddress, valueLength, address) };
  }

  /**
   * A list of numbers, or a list of equally long lists of numbers, as f32; null for anything else, or if a
   * number is too large.
   */
  vectors({ valueAddress, valueLength }: JsonEntry): Float32Array[] | null {
    const out = this.#text.ensure(2 * valueLength + 4);
    const count = this.core.exports.jsonVectors(valueAddress, valueLength, out);
    if (count < 0) return null;
    const lists = count === 0 ? 0 : this.core.exports.jsonVectorLists() || 1;
    const values = new Float32Array(this.core.memory.buffer, out, count);
    return Array.from({ length: lists }, (_, i) =>
      values.slice((i * count) / lists, ((i + 1) * count) / lists),
    );
  }

  /** A value as written in the document. */
  source(entry: JsonEntry): string {
    return this.#string(entry.valueAddress, entry.valueLength, false);
  }

  /** Gives the memory back. The scanner may be used again. */
  free(): void {
    for (const region of [this.#rows, this.#text, this.#lent, this.#names]) region.free();
    this.#selected = null;
  }

  #writeNames(names: readonly Uint8Array[]): void {
    let at = this.#names.ensure(names.reduce((sum, { length }) => sum + length + 7, 4)) >>> 2;
    for (const name of names) {
      this.core.u32[at] = name.length;
      this.core.write(4 * at + 4, name);
      at += 1 + ((name.length + 3) >>> 2);
    }
    this.core.u32[at] = NAMES_END;
    this.#selected = names;
  }

  #scan(kernel: JsonExports["jsonEntries"], address: number, length: number): JsonEntry[] {
    let pointer = this.#rows.ensure(ROWS_FIRST * ROW_BYTES);
    let count = kernel(address, length, pointer, this.#rows.bytes / ROW_BYTES);
    while (count === JSON_FULL) {
      pointer = this.#rows.ensure(2 * this.#rows.bytes);
      count = kernel(address, length, pointer, this.#rows.bytes / ROW_BYTES);
    }
    if (count < 0) throw damaged(length);
    const { u32 } = this.core;
    const found: JsonEntry[] = [];
    for (let row = pointer >>> 2, left = count; left > 0; left--, row += ENTRY_ROW_FIELDS) {
      found.push({
        keyAddress: u32[row + ENTRY_KEY],
        keyLength: u32[row + ENTRY_KEY_LENGTH],
        valueAddress: u32[row + ENTRY_VALUE],
        valueLength: u32[row + ENTRY_VALUE_LENGTH],
        type: u32[row + ENTRY_TYPE],
        escaped: u32[row + ENTRY_ESCAPED] === 1,
      });
    }
    return found;
  }

  #string(address: number, length: number, escaped: boolean): string {
    let from = address;
    let bytes = length;
    if (escaped) {
      from = this.#text.ensure(length);
      bytes = this.core.exports.jsonUnescape(address, length, from);
    }
    return decodeUtf8(this.core.u8.subarray(from, from + bytes));
  }
}

const damaged = (length: number): RangeError =>
  new RangeError(`damaged JSON in a document of ${length} bytes`);
