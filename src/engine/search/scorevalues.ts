// What decides the place of a hit among the hits of other queries: its scores as a short list of comparable
// values, and their comparison. Made in the search threads (indexsearch.ts), compared there and where the
// lists of several indexes and servers are merged. Other servers also send the values in this form.
import type { Rank, Standing } from "./rule.ts";
import { mergedScore } from "./scores.ts";

/**
 * The ranks of relevancy rules in a row are one number; each sort is a value of its own, and so is a
 * similarity of vectors. All numbers are multiplied by the weight of the query.
 */
export type ScoreValue = { weightedScore: number } | { vectorSort: number } | Standing;

export interface Scored {
  values: readonly ScoreValue[];
  /** The ranking score, multiplied by the weight of the query. */
  weightedScore: number;
}

/** Numbers that differ by no more than this are equal. */
const SCORE_DIFFERENCE_MAX = Number.EPSILON;

export function scoreValues(ranks: readonly Rank[], weight: number): ScoreValue[] {
  const values: ScoreValue[] = [];
  let group: Rank[] = [];
  for (const rank of ranks) {
    const standing = standingOf(rank, weight);
    if (!standing) {
      group.push(rank);
      continue;
    }
    if (group.length > 0) values.push({ weightedScore: mergedScore(group) * weight });
    group = [];
    values.push(standing);
  }
  if (group.length > 0) values.push({ weightedScore: mergedScore(group) * weight });
  return values;
}

/** Null when the rank is one of relevancy. */
function standingOf({ details, similarity }: Rank, weight: number): ScoreValue | null {
  if (similarity !== undefined) return { vectorSort: (similarity ?? 0) * weight };
  return details ? details.standing() : null;
}

/** Below 0: `a` comes first; above 0: `b` does. */
export function compareScored(a: Scored, b: Scored): number {
  const common = Math.min(a.values.length, b.values.length);
  for (let i = 0; i < common; i++) {
    const order = compareValues(a.values[i], b.values[i]);
    if (order === null) return b.values.length - a.values.length || b.weightedScore - a.weightedScore;
    if (order !== 0) return order;
  }
  return b.values.length - a.values.length;
}

/** Null when the values are of different kinds. */
export function compareValues(a: ScoreValue, b: ScoreValue): number | null {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== null && right !== null) {
    return Math.abs(left - right) <= SCORE_DIFFERENCE_MAX ? 0 : right - left;
  }
  if ("sort" in a && "sort" in b && a.sort.asc === b.sort.asc) {
    return compareSorted(a.sort.value, b.sort.value, a.sort.asc ? 1 : -1);
  }
  if ("geoSort" in a && "geoSort" in b && a.geoSort.asc === b.geoSort.asc) {
    return compareSorted(a.geoSort.distance, b.geoSort.distance, a.geoSort.asc ? 1 : -1);
  }
  return null;
}

export function numberOf(value: ScoreValue): number | null {
  if ("weightedScore" in value) return value.weightedScore;
  return "vectorSort" in value ? value.vectorSort : null;
}

type Sorted = number | string | null;

/** Numbers come before texts, and texts before missing values, in both directions. */
function compareSorted(a: Sorted, b: Sorted, sign: number): number {
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "string" && typeof b === "string") return sign * compareTexts(a, b);
  return kindOf(a) - kindOf(b);
}

const kindOf = (value: Sorted): number => (value === null ? 2 : typeof value === "string" ? 1 : 0);

/** Compares the bytes of UTF-8, as the index sorts. */
const compareTexts = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
