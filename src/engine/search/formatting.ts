// `_formatted` of a hit: the formatted and the retrieved attributes, with texts highlighted and cropped, and
// numbers as texts. Called by hits.ts; the document is walked as it was stored.
import {
  JSON_ARRAY,
  JSON_NUMBER,
  JSON_OBJECT,
  JSON_STRING,
  type JsonEntry,
  type JsonScanner,
} from "../../core/json.ts";
import { printedNumber } from "../../core/jsonnumbers.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import { type DottedNames, nameOf } from "../documents/namebytes.ts";
import type { FormatOptions } from "./formatoptions.ts";
import { formatText, refuseLonger } from "./highlighting.ts";
import type { HitTexts } from "./hittexts.ts";

/** Names of attributes below a place; null: all of them. */
export type Selectors = DottedNames | null;

export class Formatter {
  readonly #texts: HitTexts;
  readonly #options: FormatOptions;
  readonly #selectors: Selectors;
  readonly #query: SearchQuery;
  /** Letters of all formatted texts so far. */
  #letters = 0;

  /** @param selectors attributes of `_formatted`, null for all */
  constructor(texts: HitTexts, options: FormatOptions, selectors: Selectors, query: SearchQuery) {
    this.#texts = texts;
    this.#options = options;
    this.#selectors = selectors;
    this.#query = query;
  }

  /** `_formatted` of a document as JSON; empty when it has none of the attributes. */
  write(pointer: number, length: number): string {
    const json = this.#object(pointer, length, this.#selectors, "");
    return json === "{}" ? "" : json;
  }

  #object(pointer: number, length: number, selectors: Selectors, path: string): string {
    let json = "";
    for (const entry of this.#texts.scanner.entries(pointer, length)) {
      // Unlike in the hit itself, an attribute with nothing selected below it is left out.
      const below = selectorsBelow(this.#texts.scanner, selectors, entry);
      if (below === undefined) continue;
      const name = this.#texts.name(entry);
      if (!path && this.#texts.isHidden(name)) continue;
      const value = this.#value(entry, below, path ? `${path}.${name}` : name);
      json += `${json ? "," : ""}${this.#texts.key(entry)}:${value}`;
    }
    return `{${json}}`;
  }

  #array(pointer: number, length: number, selectors: Selectors, path: string): string {
    const values: string[] = [];
    for (const entry of this.#texts.scanner.elements(pointer, length)) {
      if (selectors !== null && entry.type < JSON_ARRAY) continue;
      const value = this.#value(entry, selectors, path);
      // Unlike in the hit itself, an object in which nothing is selected is left out; an array stays.
      if (selectors === null || value !== "{}") values.push(value);
    }
    return `[${values.join(",")}]`;
  }

  #value(entry: JsonEntry, selectors: Selectors, path: string): string {
    const { type, valueAddress, valueLength } = entry;
    if (type === JSON_OBJECT) return this.#object(valueAddress, valueLength, selectors, path);
    if (type === JSON_ARRAY) return this.#array(valueAddress, valueLength, selectors, path);
    if (type !== JSON_NUMBER && type !== JSON_STRING) return this.#texts.source(entry);
    const format = this.#options.of(path);
    if (!format.highlight && format.crop === 0) {
      return type === JSON_STRING
        ? this.#texts.source(entry)
        : `"${printedNumber(this.#texts.source(entry))}"`;
    }
    const text = this.#texts.text(entry, path);
    const matches = this.#texts.matches.scan(text, format.crop);
    const bytes = Buffer.from(this.#texts.scanner.core.u8.buffer, text.address, text.length);
    const shown = formatText(bytes, this.#texts.matches.tokens, matches, format, this.#query);
    this.#letters += shown.length;
    refuseLonger(this.#letters);
    return JSON.stringify(shown);
  }
}

/** Selectors for the content of a member: null when all of it is selected, undefined when nothing is. */
export function selectorsBelow(
  scanner: JsonScanner,
  selectors: Selectors,
  entry: JsonEntry,
): Selectors | undefined {
  if (selectors === null) return null;
  const name = nameOf(scanner, entry);
  if (selectors.find(name)) return null;
  return entry.type < JSON_ARRAY ? undefined : (selectors.below(name) ?? undefined);
}
