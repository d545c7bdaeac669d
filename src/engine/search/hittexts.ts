// The texts in the documents of a page, for everything that looks into them (formatting.ts, positions.ts):
// names, values as stored, texts to match. Made once for each answer by hits.ts.
import { JSON_STRING, type JsonEntry, type JsonScanner } from "../../core/json.ts";
import type { SearchQuery } from "../../schemas/search.ts";
import type { Settings } from "../../schemas/settings.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { Text } from "./coretext.ts";
import { localesOfField } from "./locales.ts";
import type { TextMatches } from "./textmatches.ts";

export class HitTexts {
  readonly scanner: JsonScanner;
  readonly matches: TextMatches;
  readonly #settings: Settings;
  /** Locales that the query requests. */
  readonly #requested: readonly string[] | undefined;
  #pointer = 0;
  #json = "";
  /** Byte offsets equal character offsets. */
  #isAscii = false;
  readonly #locales = new Map<string, readonly string[] | undefined>();

  constructor(scanner: JsonScanner, matches: TextMatches, settings: Settings, query: SearchQuery) {
    this.scanner = scanner;
    this.matches = matches;
    this.#settings = settings;
    this.#requested = query.locales?.length ? query.locales : undefined;
  }

  /** Starts with a document, which must stay where it is until the next one. */
  open(pointer: number, length: number): void {
    this.#json = Buffer.from(this.scanner.core.u8.buffer, pointer, length).toString();
    this.#isAscii = this.#json.length === length;
    this.#pointer = pointer;
  }

  /** Is it a top-level attribute that is never shown? */
  isHidden(name: string): boolean {
    return name === VECTORS_FIELD;
  }

  name(entry: JsonEntry): string {
    return entry.escaped ? this.scanner.name(entry) : this.#slice(entry.keyAddress, entry.keyLength);
  }

  /** The name of a member as stored in the document, with its quotes. */
  key({ keyAddress, keyLength }: JsonEntry): string {
    return this.#slice(keyAddress - 1, keyLength + 2);
  }

  /** A value as stored in the document. */
  source({ valueAddress, valueLength }: JsonEntry): string {
    return this.#slice(valueAddress, valueLength);
  }

  /** A string or a number as text, valid until the next one is asked for. */
  text(entry: JsonEntry, path: string): Text {
    const locales = this.#localesOf(path);
    const isString = entry.type === JSON_STRING;
    const { address, length } = isString ? this.scanner.textPlace(entry) : this.scanner.numberPlace(entry);
    return { address, length, locales };
  }

  #localesOf(path: string): readonly string[] | undefined {
    if (this.#requested || !this.#settings.localizedAttributes) return this.#requested;
    if (!this.#locales.has(path)) this.#locales.set(path, localesOfField(this.#settings, path));
    return this.#locales.get(path);
  }

  #slice(address: number, length: number): string {
    if (this.#isAscii) return this.#json.slice(address - this.#pointer, address - this.#pointer + length);
    return Buffer.from(this.scanner.core.u8.buffer, address, length).toString();
  }
}
