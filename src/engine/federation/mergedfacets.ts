// Adds up facets of several indexes, or of one index on several servers. Called by
// src/network/federatedfacets.ts.
import { compareBytes } from "../../core/bytes.ts";
import { decimal } from "../../core/decimal.ts";
import type { FacetCounts, FacetOrder, FacetRange } from "../facets/distribution.ts";
import { facetText } from "../filter/facettext.ts";

interface FacetMerging {
  order: (name: string) => FacetOrder;
  /** Number of values to keep of each field. */
  most: number;
  /** All parts are of one index: values are compared as that index does; otherwise by their spellings. */
  isOneIndex: boolean;
}

interface Value {
  /** Its first spelling. */
  text: string;
  count: number;
  /** The form by which values are compared: values of the same form are one. */
  form: string;
  /** The number; null for a text. */
  number: number | null;
}

/** Adds up the counts of equal values; fields are in the order of their names. */
export function mergedFacets(
  parts: readonly (readonly FacetCounts[])[],
  { order, most, isOneIndex }: FacetMerging,
): FacetCounts[] {
  const fields = new Map<string, { known: Map<string, Value>; range: FacetRange | null }>();
  for (const { name, values, range } of parts.flat()) {
    const field = fields.get(name) ?? { known: new Map(), range: null };
    for (const [text, count] of values) {
      const form = isOneIndex ? facetText(text) : text;
      const value = field.known.get(form);
      if (value) value.count += count;
      else field.known.set(form, { text, count, form, number: isOneIndex ? numberOf(text) : null });
    }
    field.range = unitedRange(field.range, range);
    fields.set(name, field);
  }
  const sorted = [...fields].sort(([a], [b]) => compareBytes(a, b));
  return sorted.map(([name, { known, range }]) => {
    const values = [...known.values()].sort(order(name) === "count" ? byCount : byForm).slice(0, most);
    return { name, values: values.map(({ text, count }) => [text, count] as const), range };
  });
}

/** The number that a text shows, if facets would print it that way; null for any other text. */
const numberOf = (text: string): number | null => (decimal(Number(text)) === text ? Number(text) : null);

/** Numbers come before texts in every order, as within one index. */
const byKind = (a: Value, b: Value): number => Number(a.number === null) - Number(b.number === null);
const byForm = (a: Value, b: Value): number => byKind(a, b) || compareBytes(a.form, b.form);
const byCount = (a: Value, b: Value): number => byKind(a, b) || b.count - a.count || byValue(b, a);
const byValue = (a: Value, b: Value): number =>
  a.number !== null && b.number !== null ? a.number - b.number : compareBytes(a.form, b.form);

function unitedRange(a: FacetRange | null, b: FacetRange | null): FacetRange | null {
  return a && b ? { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) } : (a ?? b);
}
