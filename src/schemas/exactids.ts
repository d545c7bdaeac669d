// Numbers of a body that are ids: JavaScript would round one of 17 digits. Called by slicedjson.ts, for the
// routes that say where their ids stand.

/** The elements of a list, those of the member `ids`, or the member `id`. */
export type IdPlace = "elements" | "ids" | "id";

/** No other text holds a number that an id could not be read from: a long one, a fraction, minus 0. */
export const mayRound = (text: string): boolean => /\d{16}|\d[.eE]|-0/.test(text);

/**
 * The id that a literal stands for. As the element of a list any value is taken by its text, so that `1.0` is
 * not the document `1`; elsewhere integers alone are ids, and what else is there stays the number it is.
 */
export function idOf(literal: string, place: IdPlace): unknown {
  const value: unknown = JSON.parse(literal);
  if (typeof value !== "number" || String(value) === literal) return value;
  return place === "elements" || (/^-?\d+$/.test(literal) && value !== 0) ? literal : value;
}
