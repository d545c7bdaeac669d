// Numbers of a body that are ids: JavaScript would round one of 17 digits. Called by slicedjson.ts, for the
// routes that state where their ids are.

/** The ids are the elements of a list, those of the member `ids`, or the member `id`. */
export type IdPlace = "elements" | "ids" | "id";

/** Whether a text may hold a number that loses its spelling: a long one, a fraction, minus 0. */
export const mayRound = (text: string): boolean => /\d{16}|\d[.eE]|-0/.test(text);

/**
 * The id that a literal stands for. As an element of a list any value counts as its text, so that `1.0` is
 * not the document `1`; elsewhere only integers are ids, and other values stay as they are.
 */
export function idOf(literal: string, place: IdPlace): unknown {
  const value: unknown = JSON.parse(literal);
  if (typeof value !== "number" || String(value) === literal) return value;
  return place === "elements" || (/^-?\d+$/.test(literal) && value !== 0) ? literal : value;
}
