// Facets of several indexes, or of one index on several servers, added up. Called by
// src/network/federatedfacets.ts.
import type { FacetCounts, FacetOrder, FacetRange } from "../facets/distribution.ts";

interface FacetMerging {
  order: (name: string) => FacetOrder;
  /** Values kept of each field. */
  most: number;
  /** Of a text: texts of the same form are one value, and values are compared by it. */
  formOf(text: string): string;
}

/** A value, with its form. */
interface Value {
  /** The first spelling. */
  text: string;
  count: number;
  form: Uint8Array;
}

/** Counts of the same value are added; fields are in the order of their names. */
export function mergedFacets(
  parts: readonly (readonly FacetCounts[])[],
  { order, most, formOf }: FacetMerging,
): FacetCounts[] {
  const fields = new Map<string, { known: Map<string, Value>; range: FacetRange | null }>();
  for (const { name, values, range } of parts.flat()) {
    const field = fields.get(name) ?? { known: new Map(), range: null };
    for (const [text, count] of values) {
      const form = formOf(text);
      const value = field.known.get(form);
      if (value) value.count += count;
      else field.known.set(form, { text, count, form: Buffer.from(form) });
    }
    field.range = unitedRange(field.range, range);
    fields.set(name, field);
  }
  const sorted = [...fields].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sorted.map(([name, { known, range }]) => {
    const values = [...known.values()].sort(order(name) === "count" ? byCount : byForm).slice(0, most);
    return { name, values: values.map(({ text, count }) => [text, count] as const), range };
  });
}

const byForm = (a: Value, b: Value): number => Buffer.compare(a.form, b.form);
const byCount = (a: Value, b: Value): number => b.count - a.count || byForm(b, a);

function unitedRange(a: FacetRange | null, b: FacetRange | null): FacetRange | null {
  return a && b ? { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) } : (a ?? b);
}
