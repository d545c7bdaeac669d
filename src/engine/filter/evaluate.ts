// Evaluates a filter on the columns of all segments, into a bitmap of the live documents that it lets
// through. Called by searches, listings and deletions by filter.
import { KIND_EMPTY, KIND_NULL } from "../../core/columns.ts";
import { DICTIONARY_CURSOR_BYTES } from "../../core/dictionary.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Column } from "../../segment/column.ts";
import { keyOfNumber, keyOfText } from "../../segment/columnkeys.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { Area } from "./area.ts";
import { filtersLocations, filtersShapes } from "./attributes.ts";
import { checkFilter } from "./check.ts";
import type { ComparisonOperator, Filter } from "./expression.ts";
import { facetText, isLong, splitOf, storedFacetText } from "./facettext.ts";
import { documentsInBox, documentsInRadius } from "./geo.ts";
import { numberIn } from "./geoparse.ts";
import { areasOfBox, areasOfCircle, areasOfPolygon } from "./globe.ts";
import { type FilterSource, parseFilter } from "./parse.ts";
import { addDocumentsIn } from "./shapes.ts";
import { documentsWithVectors } from "./vectors.ts";

/**
 * Bitmap of the documents that the filter of a request lets through; null when the filter is empty.
 * @throws TarsierError of `code`
 */
export function filteredDocuments(
  bitmaps: Bitmaps,
  filter: FilterSource | null,
  code: ErrorCode,
): number | null {
  const tree = parseFilter(filter, code);
  if (!tree) return null;
  checkFilter(tree, bitmaps.reader.settings, code);
  return new Evaluator(bitmaps).evaluate(tree);
}

/** Adds the matching documents of a column to the bitmap at `into`. */
type Fill = (column: Column, into: number) => void;

class Evaluator {
  readonly #bitmaps: Bitmaps;

  constructor(bitmaps: Bitmaps) {
    this.#bitmaps = bitmaps;
  }

  /** Evaluates into a new bitmap. */
  evaluate(filter: Filter): number {
    this.#bitmaps.reader.share.deadline.check();
    switch (filter.kind) {
      case "and":
      case "or":
        return this.#joined(filter.kind, filter.parts);
      case "not":
        return this.#complement(this.evaluate(filter.part));
      case "compare":
        return this.#comparison(filter.attribute.text, filter.operator, filter.value.text);
      case "range":
        return this.#range(filter.attribute.text, filter.low.text, filter.high.text);
      case "in":
        return this.#fill(filter.attribute.text, (column, into) => {
          for (const { text } of filter.values) {
            this.#bitmaps.reader.share.deadline.check();
            this.#equal(column, text, into);
          }
        });
      case "exists":
        return this.#exists(filter.attribute.text);
      case "null":
        return this.#kind(filter.attribute.text, KIND_NULL);
      case "empty":
        return this.#kind(filter.attribute.text, KIND_EMPTY);
      case "contains":
        return this.#contains(filter.attribute.text, facetText(filter.value.text));
      case "starts":
        return this.#starts(filter.attribute.text, facetText(filter.value.text));
      case "radius":
        return this.#located(
          () => documentsInRadius(this.#bitmaps, filter.center, filter.meters),
          () => areasOfCircle(filter.center, filter.meters, filter.resolution),
        );
      case "box":
        return this.#located(
          () => documentsInBox(this.#bitmaps, filter.topRight, filter.bottomLeft),
          () => areasOfBox(filter.topRight, filter.bottomLeft),
        );
      case "vectors":
        return documentsWithVectors(this.#bitmaps, filter);
      case "polygon":
        // No polygons for locations: only shapes are checked.
        return this.#located(null, () => areasOfPolygon(filter.corners));
    }
  }

  #joined(kind: "and" | "or", parts: readonly Filter[]): number {
    const { scratch } = this.#bitmaps.reader.share;
    const result = this.evaluate(parts[0]);
    for (const part of parts.slice(1)) {
      if (kind === "and" && !this.#bitmaps.any(result)) return result;
      const mark = scratch.mark();
      const other = this.evaluate(part);
      if (kind === "and") this.#bitmaps.and(result, other);
      else this.#bitmaps.or(result, other);
      scratch.release(mark);
    }
    return result;
  }

  /** Documents matched by their locations, by their shapes, or by both, as the settings allow. */
  #located(byLocation: (() => number) | null, areas: () => Area[]): number {
    const { settings } = this.#bitmaps.reader;
    const locates = byLocation && filtersLocations(settings);
    const documents = locates ? byLocation() : this.#bitmaps.create();
    if (filtersShapes(settings)) addDocumentsIn(this.#bitmaps, areas, documents);
    return documents;
  }

  #complement(documents: number): number {
    const { core, live } = { core: this.#bitmaps.reader.share.core, live: this.#bitmaps.reader.live };
    core.exports.bitmapAndNotInto(documents, live, documents, this.#bitmaps.words);
    return documents;
  }

  #comparison(name: string, operator: ComparisonOperator, value: string): number {
    if (operator === "=") return this.#fill(name, (column, into) => this.#equal(column, value, into));
    if (operator === "!=") {
      // A field that no document ever had does not match `!=` either.
      if (!this.#bitmaps.reader.knows(name)) return this.#bitmaps.create();
      return this.#complement(this.#comparison(name, "=", value));
    }
    const number = numberIn(value);
    const isUpward = operator === ">" || operator === ">=";
    // Where codes are split: the value belongs to the upper part for `>=` and `<`.
    const isAbove = operator === ">" || operator === "<=";
    const text = keyOfText(splitOf(value, isAbove));
    return this.#fill(name, (column, into) => {
      const { numbers, values } = column;
      if (number !== null) {
        const split = column.seek(keyOfNumber(number), isAbove);
        this.#union(column, isUpward ? [split, numbers] : [0, split], into);
      }
      // Texts lie between the numbers and the kinds without a value, and so does every place found for a
      // text.
      const split = column.seek(text);
      this.#union(column, isUpward ? [split, values] : [numbers, split], into);
    });
  }

  #range(name: string, low: string, high: string): number {
    const [least, most] = [numberIn(low), numberIn(high)];
    const [first, last] = [splitOf(low, false), splitOf(high, true)].map(keyOfText);
    return this.#fill(name, (column, into) => {
      if (least !== null && most !== null) {
        const to = column.seek(keyOfNumber(most), true);
        this.#union(column, [column.seek(keyOfNumber(least)), to], into);
      }
      this.#union(column, [column.seek(first), column.seek(last)], into);
    });
  }

  #equal(column: Column, value: string, into: number): void {
    const number = numberIn(value);
    const keys = number === null ? [] : [keyOfNumber(number)];
    keys.push(keyOfText(storedFacetText(value)));
    for (const key of keys) {
      const code = column.find(key);
      if (code >= 0) this.#union(column, [code, code + 1], into);
    }
  }

  #contains(name: string, text: string): number {
    const { core, scratch } = this.#bitmaps.reader.share;
    const part = Buffer.from(text);
    return this.#fill(name, (column, into) => {
      const mark = scratch.mark();
      const needle = scratch.alloc(part.length);
      core.write(needle, part);
      const cursor = scratch.alloc(DICTIONARY_CURSOR_BYTES);
      const codes = scratch.allocZeroed((column.count >> 3) + 1);
      const { dictionary, numbers, values } = column;
      core.exports.columnContaining(dictionary, numbers, values, cursor, needle, part.length, codes);
      column.setInto(codes, into, this.#bitmaps.words);
      scratch.release(mark);
    });
  }

  #starts(name: string, text: string): number {
    if (text === "") return this.#exists(name);
    // Of texts longer than a column keeps, only the text itself is known to begin with it.
    if (isLong(text)) return this.#fill(name, (column, into) => this.#equal(column, text, into));
    const first = keyOfText(Buffer.from(text));
    // No byte of UTF-8 is 255: this sorts after everything that begins with the text.
    const last = Buffer.concat([first, Uint8Array.of(255)]);
    return this.#fill(name, (column, into) =>
      this.#union(column, [column.seek(first), column.seek(last)], into),
    );
  }

  #exists(name: string): number {
    return this.#fill(name, (column, into) => this.#union(column, [0, column.count], into));
  }

  #kind(name: string, kind: number): number {
    return this.#fill(name, (column, into) => {
      const code = column.codeOf(kind);
      if (code >= 0) this.#union(column, [code, code + 1], into);
    });
  }

  #union(column: Column, [from, to]: [number, number], into: number): void {
    column.into(from, to, into, this.#bitmaps.words);
  }

  /** A new bitmap of the documents that match in any segment's column, without those deleted there. */
  #fill(name: string, fill: Fill): number {
    const bitmaps = this.#bitmaps;
    const { scratch, core } = bitmaps.reader.share;
    const result = bitmaps.create();
    for (const { segment, tombstones } of bitmaps.reader.segments) {
      const column = segment.column(name);
      if (!column) continue;
      if (!tombstones) {
        fill(column, result);
        continue;
      }
      const mark = scratch.mark();
      const own = bitmaps.create();
      fill(column, own);
      core.exports.bitmapAndNot(own, tombstones, bitmaps.words);
      bitmaps.or(result, own);
      scratch.release(mark);
    }
    return result;
  }
}
