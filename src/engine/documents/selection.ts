// Parts of raw documents: the fields that a reader asked for (`fields` of document reads,
// attributesToRetrieve and displayedAttributes of searches), cut out of the bytes that came in. Applied to
// each document of hits and document reads.
import { JSON_ARRAY, JSON_OBJECT, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { IndexReader } from "../reader.ts";
import { heldNames } from "./heldnames.ts";
import { DottedNames, isEqual, nameOf } from "./namebytes.ts";
import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  COMMA,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  writeKey,
  writeValue,
} from "./rawjson.ts";

/** Names of the fields to keep, in one list or several. */
type Selectors = readonly DottedNames[];

const encoder = new TextEncoder();

/** A selection of fields, made once and applied to many documents. */
export class FieldSelection {
  readonly #selectors: DottedNames | null;
  /** Dotted names that the index does not know: each document is searched for them. */
  readonly #doubtful: DottedNames;
  /** UTF-8. */
  readonly #hidden: readonly Uint8Array[];
  /** The fields to keep when all of them are whole fields, which the kernel can select; else null. */
  readonly #whole: readonly Uint8Array[] | null;

  /**
   * `fields`: names to keep, null for all. A name keeps the whole value; a dotted name keeps that branch
   * only, through objects and arrays of objects, and also fields whose own name has dots. A field on the way
   * to a branch stays, and so do the elements of its arrays: unchanged what is neither object nor array, the
   * others with only the parts that are kept, even if there are none. A dotted name that the index does not
   * know (`isKnown`) counts only in documents that have it: elsewhere not even its parent stays. `hidden`:
   * top-level fields that are always left out.
   */
  constructor(
    fields: readonly string[] | null,
    hidden: readonly string[] = [],
    isKnown: (name: string) => boolean = () => true,
  ) {
    const names = fields && [...new Set(fields)];
    const doubtful = new Set(names?.filter((name) => name.includes(".") && !isKnown(name)));
    this.#selectors = names && DottedNames.ofTexts(names.filter((name) => !doubtful.has(name)));
    this.#doubtful = DottedNames.ofTexts(doubtful);
    this.#hidden = hidden.map((name) => encoder.encode(name));
    const kept = names?.filter((name) => !hidden.includes(name)) ?? null;
    this.#whole = kept?.every((name) => !name.includes("."))
      ? kept.map((name) => encoder.encode(name))
      : null;
  }

  /** The selected part of the document at `pointer`, as JSON. */
  select(scanner: JsonScanner, pointer: number, length: number): Uint8Array {
    const whole = this.#whole && scanner.select(this.#whole, pointer, length);
    if (whole) return whole;
    const held = this.#doubtful.count > 0 ? heldNames(scanner, pointer, length, this.#doubtful) : [];
    const selectors = this.#selectors && [
      this.#selectors,
      ...(held.length > 0 ? [DottedNames.of(held)] : []),
    ];
    const cut = new Cut(scanner, length);
    cut.object(pointer, length, selectors, this.#hidden);
    return cut.result();
  }
}

/**
 * The part of these fields (null: of all) that readers of documents are shown; vectors are shown in another
 * way.
 */
export function selectionOf(
  reader: Pick<IndexReader, "knows">,
  fields: readonly string[] | null,
): FieldSelection {
  return new FieldSelection(fields, [VECTORS_FIELD], (name) => reader.knows(name));
}

/** The part of one document copied so far. It is never longer than the document. */
class Cut {
  readonly #scanner: JsonScanner;
  readonly #out: Uint8Array;
  #at = 0;

  constructor(scanner: JsonScanner, bytes: number) {
    this.#scanner = scanner;
    this.#out = new Uint8Array(bytes);
  }

  result(): Uint8Array {
    return this.#out.subarray(0, this.#at);
  }

  /** Copies the selected members of an object. `selectors`: null for all members. */
  object(
    pointer: number,
    length: number,
    selectors: Selectors | null,
    hidden: readonly Uint8Array[] = [],
  ): void {
    let separator = OBJECT_OPEN;
    for (const entry of this.#scanner.entries(pointer, length)) {
      const name = nameOf(this.#scanner, entry);
      if (hidden.some((other) => isEqual(name, other))) continue;
      const isWhole = selectors === null || selectors.some((names) => names.find(name));
      const below = isWhole ? [] : selectors.flatMap((names) => names.below(name) ?? []);
      if (!isWhole && below.length === 0) continue;
      this.#out[this.#at++] = separator;
      separator = COMMA;
      this.#at = writeKey(this.#scanner.core.u8, entry, this.#out, this.#at);
      if (isWhole || entry.type < JSON_ARRAY)
        this.#at = writeValue(this.#scanner.core.u8, entry, this.#out, this.#at);
      else this.#container(entry, below);
    }
    if (separator === OBJECT_OPEN) this.#out[this.#at++] = OBJECT_OPEN;
    this.#out[this.#at++] = OBJECT_CLOSE;
  }

  #container({ type, valueAddress, valueLength }: JsonEntry, selectors: Selectors): void {
    if (type === JSON_OBJECT) this.object(valueAddress, valueLength, selectors);
    else this.#array(valueAddress, valueLength, selectors);
  }

  /** Copies the selected parts of objects and arrays, empty ones included, and all other elements. */
  #array(pointer: number, length: number, selectors: Selectors): void {
    let separator = ARRAY_OPEN;
    for (const entry of this.#scanner.elements(pointer, length)) {
      this.#out[this.#at++] = separator;
      separator = COMMA;
      if (entry.type < JSON_ARRAY) this.#at = writeValue(this.#scanner.core.u8, entry, this.#out, this.#at);
      else this.#container(entry, selectors);
    }
    if (separator === ARRAY_OPEN) this.#out[this.#at++] = ARRAY_OPEN;
    this.#out[this.#at++] = ARRAY_CLOSE;
  }
}
