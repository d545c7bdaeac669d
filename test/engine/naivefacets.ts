// Facets, facet searches and distinct over plain documents, as the definitions say: slow and clear.
import { compareValues, normalForm, twinColumns } from "../twins/columns.ts";

export type FacetDocument = { id: number; [name: string]: unknown };

/** Values of a field, normal forms with their kind in front: `n1`, `tword`. */
function valuesOf(document: FacetDocument, name: string): string[] {
  const values = twinColumns(JSON.stringify(document), (one) => one === name).get(name) ?? [];
  return values.filter((value) => (value[0] === "n" ? value !== "null" : value[0] === "t"));
}

/** How a document spells a value, at last. */
function spelledIn(value: unknown, path: readonly string[], text: string): string | undefined {
  if (Array.isArray(value)) {
    return value.map((one) => spelledIn(one, path, text)).findLast((found) => found !== undefined);
  }
  if (path.length > 0) {
    if (typeof value !== "object" || value === null) return undefined;
    return spelledIn((value as Record<string, unknown>)[path[0]], path.slice(1), text);
  }
  return ["string", "boolean"].includes(typeof value) && normalForm(`${value}`) === text
    ? `${value}`
    : undefined;
}

function spelling(documents: readonly FacetDocument[], name: string, text: string): string {
  for (const document of documents) {
    const found = spelledIn(document, name.split("."), text);
    if (found !== undefined) return found;
  }
  throw new Error(`nobody spells ${text}`);
}

/** Values with their counts. */
function countsOf(documents: readonly FacetDocument[], name: string): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const document of documents) {
    for (const value of valuesOf(document, name)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => compareValues(a, b));
}

const byCount = (a: [string, number], b: [string, number]): number =>
  b[1] - a[1] || compareValues(b[0], a[0]);

/** Without an exponent. */
const printed = (value: string): string =>
  ({ n1e21: "1000000000000000000000", "n1e+21": "1000000000000000000000", "n1e-7": "0.0000001" })[value] ??
  value.slice(1);

export function naiveFacet(
  documents: readonly FacetDocument[],
  name: string,
  order: "alpha" | "count",
  most: number,
): Record<string, number> {
  const counts = countsOf(documents, name);
  const numbers = counts.filter(([value]) => value[0] === "n");
  const texts = counts.filter(([value]) => value[0] === "t");
  if (order === "count") for (const list of [numbers, texts]) list.sort(byCount);
  else numbers.sort(([a], [b]) => (printed(a) < printed(b) ? -1 : 1));
  const facet: Record<string, number> = {};
  for (const [value, count] of numbers.slice(0, most)) facet[printed(value)] = count;
  for (const [value, count] of texts.slice(0, most - Math.min(most, numbers.length))) {
    facet[spelling(documents, name, value.slice(1))] = count;
  }
  return facet;
}

export function naiveStats(documents: readonly FacetDocument[], name: string) {
  const all = documents.flatMap((document) => valuesOf(document, name));
  const numbers = all.filter((value) => value[0] === "n").map((value) => Number(value.slice(1)));
  return numbers.length ? { min: Math.min(...numbers), max: Math.max(...numbers) } : null;
}

/** Search key of a text: marks of Latin letters go. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mn}/gu, "")
    .trim();

export function naiveFacetSearch(
  documents: readonly FacetDocument[],
  name: string,
  query: string | null,
  { sizes: [one, two], by, limit }: { sizes: readonly number[]; by: "alpha" | "count"; limit: number },
): { value: string; count: number }[] {
  const needle = query === null ? null : foldedQuery(query);
  const bytes = Buffer.byteLength(needle ?? "");
  const budget = bytes < one ? 0 : bytes < two ? 1 : 2;
  const key = (value: string) => Buffer.from(folded(value.slice(1)));
  const found = countsOf(documents, name)
    .filter(([value]) => value[0] === "t")
    .filter(([value]) => needle === null || begins([...needle], [...folded(value.slice(1))], budget));
  if (needle !== null) found.sort(([a], [b]) => Buffer.compare(key(a), key(b)) || compareValues(a, b));
  const hits = found.map(([value, count]) => ({ value: spelling(documents, name, value.slice(1)), count }));
  if (by === "alpha") return hits.slice(0, limit);
  const kept: typeof hits = [];
  for (const hit of hits) {
    kept.sort(byCountShown);
    if (kept.length < limit) kept.push(hit);
    else if (limit > 0 && hit.count >= kept[limit - 1].count) kept[limit - 1] = hit;
  }
  return kept.sort(byCountShown);
}

const byCountShown = (a: { value: string; count: number }, b: { value: string; count: number }): number =>
  b.count - a.count || Buffer.compare(Buffer.from(b.value), Buffer.from(a.value));

/** Queries keep their spaces. */
const foldedQuery = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{Mn}/gu, "");

function begins(query: readonly string[], text: readonly string[], budget: number): boolean {
  for (let read = 0; read <= text.length; read++) {
    const start = text.slice(0, read);
    const distance = distanceOf(query, start);
    const nearest = Math.min(...query.map((_, i) => distanceOf(query.slice(0, i), start)), Infinity);
    if (distance <= budget && (distance <= nearest || read === text.length)) return true;
  }
  return false;
}

/** Optimal string alignment, by its definition. */
function distanceOf(a: readonly string[], b: readonly string[]): number {
  const rows = [b.map((_, i) => i).concat(b.length)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let k = 1; k <= b.length; k++) {
      row[k] = Math.min(
        rows[i - 1][k] + 1,
        row[k - 1] + 1,
        rows[i - 1][k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1),
      );
      if (i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1]) {
        row[k] = Math.min(row[k], rows[i - 2][k - 2] + 1);
      }
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}

/** Documents in the buckets of a sort by one field; null: no sort, so one by one. */
export function naiveBuckets(
  documents: readonly FacetDocument[],
  name: string,
  direction: "asc" | "desc" | null,
): FacetDocument[][] {
  if (direction === null) return documents.map((document) => [document]);
  const buckets = new Map<string, FacetDocument[]>();
  for (const document of documents) {
    const values = valuesOf(document, name);
    const same = values.filter((value) => value[0] === values[0][0]);
    const best = same.at(direction === "asc" ? 0 : -1) ?? "";
    buckets.set(best, [...(buckets.get(best) ?? []), document]);
  }
  const order = (a: string, b: string) => {
    if (a === "" || b === "") return Number(a === "") - Number(b === "");
    return direction === "asc" || a[0] !== b[0] ? compareValues(a, b) : compareValues(b, a);
  };
  return [...buckets].sort(([a], [b]) => order(a, b)).map(([, bucket]) => bucket);
}

/** Hits of a page, and how many documents are left, as far as the search looked. */
export function naiveDistinct(
  documents: readonly FacetDocument[],
  buckets: readonly FacetDocument[][],
  name: string,
  wanted: number,
): { hits: number[]; total: number } {
  const seen = new Set<string>();
  const hits: FacetDocument[] = [];
  const kept = new Set<FacetDocument>();
  for (const bucket of buckets) {
    if (hits.length >= wanted) break;
    for (const document of bucket) {
      const values = valuesOf(document, name);
      if (values.some((value) => seen.has(value))) continue;
      for (const value of values) seen.add(value);
      kept.add(document);
      hits.push(document);
    }
  }
  const isLeft = (document: FacetDocument) =>
    kept.has(document) || !valuesOf(document, name).some((value) => seen.has(value));
  return { hits: hits.slice(0, wanted).map(({ id }) => id), total: documents.filter(isLeft).length };
}

/**
 * The page where the request names the distinct field: hits with an empty text there but the first are left
 * out of it.
 */
export function withoutRepeatedEmptyTexts(
  documents: readonly FacetDocument[],
  name: "a" | "b",
  found: { hits: number[]; total: number },
): { hits: number[]; total: number } {
  const isEmpty = (id: number) => documents.some((one) => one.id === id && one[name] === "");
  const first = found.hits.find(isEmpty);
  const hits = found.hits.filter((id) => id === first || !isEmpty(id));
  return { hits, total: found.total - (found.hits.length - hits.length) };
}
