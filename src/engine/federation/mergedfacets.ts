// Facets of several indexes, or of one index on several servers, added up. Called by
// src/network/federatedfacets.ts.
import type { FacetCounts, FacetOrder, FacetRange } from "../facets/distribution.ts";

interface FacetMerging {
  order: (name: string) => FacetOrder;
  /** Values kept of each field. */
  most: number;
}

/** Counts of the same text are added; fields are in the order of their names. */
export function mergedFacets(
  parts: readonly (readonly FacetCounts[])[],
  { order, most }: FacetMerging,
): FacetCounts[] {
  const fields = new Map<string, { counts: Map<string, number>; range: FacetRange | null }>();
  for (const { name, values, range } of parts.flat()) {
    const field = fields.get(name) ?? { counts: new Map(), range: null };
    for (const [text, count] of values) field.counts.set(text, (field.counts.get(text) ?? 0) + count);
    field.range = unitedRange(field.range, range);
    fields.set(name, field);
  }
  const sorted = [...fields].sort(([a], [b]) => compareTexts(a, b));
  return sorted.map(([name, { counts, range }]) => {
    const values = [...counts].sort(order(name) === "count" ? byCount : byText);
    return { name, values: values.slice(0, most), range };
  });
}

type Value = readonly [text: string, count: number];

const byText = ([a]: Value, [b]: Value): number => compareTexts(a, b);
const byCount = (a: Value, b: Value): number => b[1] - a[1] || compareTexts(b[0], a[0]);
const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function unitedRange(a: FacetRange | null, b: FacetRange | null): FacetRange | null {
  return a && b ? { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) } : (a ?? b);
}
