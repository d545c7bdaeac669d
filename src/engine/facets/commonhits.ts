// The values of a facet search that is ordered by count, as they are shown: spelled as in the documents.
// Called by facetsearch.ts.
import { firstPlace } from "../../core/ascending.ts";
import { compareBytes } from "../../core/bytes.ts";
import { type CodeSet, commonValues, type FacetValue } from "./values.ts";

export interface FacetHit {
  value: string;
  count: number;
}

/**
 * Which of equally frequent values are left out depends on their spellings. Where there are more than this
 * many, the ones with the lowest normal forms go instead: reading all the spellings would cost more than it
 * is worth.
 */
const SPELLED_VALUES_MAX = 200;

/** Access to the values. */
interface ValueReader {
  hitsOf(values: readonly FacetValue[]): FacetHit[];
  /** The bytes by which values are ordered when they are found. */
  orderOf(value: FacetValue): Uint8Array;
}

/** The `most` values with the most documents; of equally frequent ones, greater values come first. */
export function commonHits(
  sets: readonly CodeSet[],
  most: number,
  { hitsOf, orderOf }: ValueReader,
): FacetHit[] {
  if (most === 0) return [];
  const values = commonValues(sets, most + SPELLED_VALUES_MAX + 1);
  const best = values.slice(0, most);
  const least = best.at(-1)?.count ?? 0;
  const contenders = values.filter(({ count }) => count >= least);
  const others = contenders.length - best.length;
  if (others === 0 || others > SPELLED_VALUES_MAX) return hitsOf(best).sort(byCount);
  const found = contenders
    .map((value) => ({ value, order: orderOf(value) }))
    .sort((a, b) => Buffer.compare(a.order, b.order));
  return keptHits(hitsOf(found.map(({ value }) => value)), most);
}

/**
 * The hits that are left when, from the `most`-th on, each one replaces the last of those kept so far. Fewer
 * than `most` of them are more frequent than the rarest.
 */
function keptHits(hits: readonly FacetHit[], most: number): FacetHit[] {
  const kept: FacetHit[] = [];
  for (const hit of hits) {
    if (kept.length === most) kept.pop();
    // After all hits that it does not precede.
    const place = firstPlace(kept.length, (at) => byCount(hit, kept[at]) < 0);
    kept.splice(place, 0, hit);
  }
  return kept;
}

/** Unlike in distributions, of equal counts the one with the greater shown text comes first. */
export const byCount = (a: FacetHit, b: FacetHit): number =>
  b.count - a.count || compareBytes(b.value, a.value);
