// `_matchesPosition` of a hit: for each displayed attribute with matches, where they are in its last value
// that has any. Called by hits.ts.
import { JSON_ARRAY, JSON_NUMBER, JSON_OBJECT, type JsonEntry } from "../../core/json.ts";
import { type Selectors, selectorsBelow } from "./formatting.ts";
import type { HitTexts } from "./hittexts.ts";

/** A match in bytes, and the indices in the arrays that contain it, the outermost first. */
interface Bounds {
  start: number;
  length: number;
  indices?: readonly number[];
}

export class PositionWriter {
  readonly #texts: HitTexts;
  readonly #selectors: Selectors;
  #found = new Map<string, Bounds[]>();

  /** @param selectors displayed attributes, null for all */
  constructor(texts: HitTexts, selectors: Selectors) {
    this.#texts = texts;
    this.#selectors = selectors;
  }

  /** `_matchesPosition` of a document as JSON. */
  write(pointer: number, length: number): string {
    this.#found = new Map();
    this.#object(pointer, length, this.#selectors, "", []);
    const sorted = [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([path, list]) => `${JSON.stringify(path)}:${JSON.stringify(list)}`).join(",")}}`;
  }

  #object(
    pointer: number,
    length: number,
    selectors: Selectors,
    path: string,
    indices: readonly number[],
  ): void {
    for (const entry of this.#texts.scanner.entries(pointer, length)) {
      const below = selectorsBelow(this.#texts.scanner, selectors, entry);
      if (below === undefined) continue;
      const name = this.#texts.name(entry);
      if (!path && this.#texts.isHidden(name)) continue;
      this.#value(entry, below, path ? `${path}.${name}` : name, indices);
    }
  }

  #value(entry: JsonEntry, selectors: Selectors, path: string, indices: readonly number[]): void {
    const { type, valueAddress, valueLength } = entry;
    if (type === JSON_OBJECT) {
      this.#object(valueAddress, valueLength, selectors, path, indices);
    } else if (type === JSON_ARRAY) {
      this.#texts.scanner.elements(valueAddress, valueLength).forEach((element, i) => {
        if (selectors === null || element.type >= JSON_ARRAY)
          this.#value(element, selectors, path, [...indices, i]);
      });
    } else if (type >= JSON_NUMBER) this.#text(entry, path, indices);
  }

  #text(entry: JsonEntry, path: string, indices: readonly number[]): void {
    const matches = this.#texts.matches.scan(this.#texts.text(entry, path));
    if (!matches.length) return;
    const list = matches.map(({ start, end }) => ({ start, length: end - start }));
    this.#found.set(path, indices.length ? list.map((bounds) => ({ ...bounds, indices })) : list);
  }
}
