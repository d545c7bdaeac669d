// A filter evaluated on the columns of all segments: the bitmap of the living documents that it lets through. Called by
// searches, listings and deletions by filter.
import type { ErrorCode } from "../../errors.ts";
import type { Column } from "../../segment/column.ts";
import { SET_EMPTY, SET_EXISTS, SET_NULL } from "../../segment/columns.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "../search/bitmaps.ts";
import { checkFilter } from "./check.ts";
import type { ComparisonOperator, Filter } from "./expression.ts";
import { facetText } from "./facettext.ts";
import { documentsInBox, documentsInRadius } from "./geo.ts";
import { numberIn } from "./geoparse.ts";
import { type FilterSource, parseFilter } from "./parse.ts";

/**
 * Bitmap of the documents that a filter of a request lets through; null when the filter is empty.
 * @throws TarsierError of `code`
 */
export function filteredDocuments(bitmaps: Bitmaps, filter: FilterSource | null, code: ErrorCode): number | null {
  const tree = parseFilter(filter, code);
  if (!tree) return null;
  checkFilter(tree, bitmaps.reader.settings, code);
  return new Evaluator(bitmaps).evaluate(tree);
}

/** Adds what a column says to the bitmap at `into`. */
type Fill = (column: Column, into: number) => void;

class Evaluator {
  readonly #bitmaps: Bitmaps;

  constructor(bitmaps: Bitmaps) {
    this.#bitmaps = bitmaps;
  }

  /** A new bitmap. */
  evaluate(filter: Filter): number {
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
          for (const { text } of filter.values) this.#equal(column, text, into);
        });
      case "exists":
        return this.#set(filter.attribute.text, SET_EXISTS);
      case "null":
        return this.#set(filter.attribute.text, SET_NULL);
      case "empty":
        return this.#set(filter.attribute.text, SET_EMPTY);
      case "contains":
        return this.#contains(filter.attribute.text, facetText(filter.value.text));
      case "starts":
        return this.#starts(filter.attribute.text, facetText(filter.value.text));
      case "radius":
        return documentsInRadius(this.#bitmaps, filter.center, filter.meters);
      case "box":
        return documentsInBox(this.#bitmaps, filter.topRight, filter.bottomLeft);
      case "polygon":
        // Only `_geojson` knows polygons, and check.ts has refused it.
        return this.#bitmaps.create();
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

  #complement(documents: number): number {
    const { core, live } = { core: this.#bitmaps.reader.share.core, live: this.#bitmaps.reader.live };
    core.exports.bitmapAndNotInto(documents, live, documents, this.#bitmaps.words);
    return documents;
  }

  #comparison(name: string, operator: ComparisonOperator, value: string): number {
    if (operator === "=") return this.#fill(name, (column, into) => this.#equal(column, value, into));
    if (operator === "!=") {
      // A field that no document ever had is different from nothing.
      const isKnown = this.#bitmaps.reader.segments.some(({ segment }) => segment.column(name));
      if (!isKnown) return this.#bitmaps.create();
      return this.#complement(this.#comparison(name, "=", value));
    }
    const number = numberIn(value);
    const text = Buffer.from(facetText(value));
    const isUpward = operator === ">" || operator === ">=";
    // Places split at the value: it belongs to what stands above for `>=` and `<`.
    const isAbove = operator === ">" || operator === "<=";
    return this.#fill(name, (column, into) => {
      const { numbers } = column.meta;
      if (number !== null) {
        const split = column.numberFrom(number, isAbove);
        this.#union(column, isUpward ? [split, numbers] : [0, split], into);
      }
      const split = numbers + column.textFrom(text, isAbove);
      this.#union(column, isUpward ? [split, column.values] : [numbers, split], into);
    });
  }

  #range(name: string, low: string, high: string): number {
    const [least, most] = [numberIn(low), numberIn(high)];
    const [first, last] = [low, high].map((value) => Buffer.from(facetText(value)));
    return this.#fill(name, (column, into) => {
      const { numbers } = column.meta;
      if (least !== null && most !== null) {
        this.#union(column, [column.numberFrom(least), column.numberFrom(most, true)], into);
      }
      this.#union(column, [numbers + column.textFrom(first), numbers + column.textFrom(last, true)], into);
    });
  }

  #equal(column: Column, value: string, into: number): void {
    const { numbers } = column.meta;
    const number = numberIn(value);
    if (number !== null) this.#union(column, [column.numberFrom(number), column.numberFrom(number, true)], into);
    const text = Buffer.from(facetText(value));
    const place = column.textFrom(text);
    if (place < column.meta.strings && column.textBytes(place).equals(text)) {
      this.#union(column, [numbers + place, numbers + place + 1], into);
    }
  }

  #contains(name: string, text: string): number {
    const part = Buffer.from(text);
    return this.#fill(name, (column, into) => {
      const { numbers, strings } = column.meta;
      for (let i = 0; i < strings; i++) {
        if (column.textBytes(i).includes(part)) this.#union(column, [numbers + i, numbers + i + 1], into);
      }
    });
  }

  #starts(name: string, text: string): number {
    if (text === "") return this.#set(name, SET_EXISTS);
    const first = Buffer.from(text);
    // No byte of UTF-8 is 255: this stands behind everything that begins with the text.
    const last = Buffer.concat([first, Uint8Array.of(255)]);
    return this.#fill(name, (column, into) => {
      const { numbers } = column.meta;
      this.#union(column, [numbers + column.textFrom(first), numbers + column.textFrom(last)], into);
    });
  }

  #set(name: string, distance: number): number {
    return this.#fill(name, (column, into) => {
      this.#union(column, [column.values + distance, column.values + distance + 1], into);
    });
  }

  #union(column: Column, [from, to]: [number, number], into: number): void {
    column.union(from, to, into, this.#bitmaps.words);
  }

  /** A new bitmap of what the columns of all segments say, without what is dead in each. */
  #fill(name: string, fill: Fill): number {
    return columnDocuments(this.#bitmaps, name, fill);
  }
}

/** See Evaluator; also for sorts. */
export function columnDocuments(bitmaps: Bitmaps, name: string, fill: Fill): number {
  const { scratch, core } = bitmaps.reader.share;
  const result = bitmaps.create();
  const one = ({ segment, tombstones }: OpenSegment) => {
    const column = segment.column(name);
    if (!column) return;
    if (!tombstones) return fill(column, result);
    const mark = scratch.mark();
    const own = bitmaps.create();
    fill(column, own);
    core.exports.bitmapAndNot(own, tombstones, bitmaps.words);
    bitmaps.or(result, own);
    scratch.release(mark);
  };
  for (const open of bitmaps.reader.segments) one(open);
  return result;
}
