// The fields of an index together with those of a batch, payload by payload: finds the payloads that bring
// more than there is room for. Called by batchdocuments.ts after a batch has failed because of this.
import { JSON_ARRAY, JSON_OBJECT, type JsonEntry, type JsonScanner } from "../../core/json.ts";

type Place = Pick<JsonEntry, "valueAddress" | "valueLength">;

export class FieldSet {
  readonly #scanner: JsonScanner;
  readonly #countMax: number;
  readonly #known: Set<string>;
  /** New fields of the current payload. */
  readonly #fresh = new Set<string>();

  constructor(scanner: JsonScanner, known: readonly string[], countMax: number) {
    this.#scanner = scanner;
    this.#known = new Set(known);
    this.#countMax = countMax;
  }

  /** Adds the fields of a document. False when those of the payload are too many. */
  add(pointer: number, length: number): boolean {
    this.#object({ valueAddress: pointer, valueLength: length }, "");
    return this.#known.size + this.#fresh.size <= this.#countMax;
  }

  /** Ends a payload and keeps its fields. */
  keep(): void {
    for (const name of this.#fresh) this.#known.add(name);
    this.#fresh.clear();
  }

  /** Ends a payload and drops its fields. */
  drop(): void {
    this.#fresh.clear();
  }

  #object({ valueAddress, valueLength }: Place, path: string): void {
    for (const entry of this.#scanner.entries(valueAddress, valueLength)) {
      const name = `${path}${this.#scanner.name(entry)}`;
      if (!this.#known.has(name)) this.#fresh.add(name);
      this.#value(entry, `${name}.`);
    }
  }

  #value(entry: JsonEntry, path: string): void {
    if (entry.type === JSON_OBJECT) this.#object(entry, path);
    if (entry.type !== JSON_ARRAY) return;
    for (const element of this.#scanner.elements(entry.valueAddress, entry.valueLength))
      this.#value(element, path);
  }
}
