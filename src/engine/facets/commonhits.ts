// The values of a facet search that is ordered by count, as they are shown: spelled as documents spell them.
// Called by facetsearch.ts.
import { firstPlace } from "../../core/ascending.ts";
import { compareBytes } from "../../core/bytes.ts";
import { type CodeSet, commonValues, type FacetValue } from "./values.ts";

export interface FacetHit {
  value: string;
  count: number;
}

/**
 * Which of equally frequent values are left out depends on their spellings. Where more than so many are,
 * those go that are least by their normal forms: reading all of them would cost more than that is worth.
 */
const SPELLED_VALUES_MAX = 200;

/** How values are read. */
interface ValueReader {
  hitsOf(values: readonly FacetValue[]): FacetHit[];
  /** By what values are ordered when they are found. */
  orderOf(value: FacetValue): Uint8Array;
}

/** The `most` values with the most documents, the greater of equally frequent ones first. */
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
 * Those of some hits that are left when each one takes the place of the last of `most`. Fewer than `most` of
 * them are more frequent than the rarest.
 */
function keptHits(hits: readonly FacetHit[], most: number): FacetHit[] {
  const kept: FacetHit[] = [];
  for (const hit of hits) {
    if (kept.length === most) kept.pop();
    // Behind all that are not behind it.
    const place = firstPlace(kept.length, (at) => byCount(hit, kept[at]) < 0);
    kept.splice(place, 0, hit);
  }
  return kept;
}

/** Unlike in distributions, of equal counts the one comes first that is shown with the greater text. */
export const byCount = (a: FacetHit, b: FacetHit): number =>
  b.count - a.count || compareBytes(b.value, a.value);
