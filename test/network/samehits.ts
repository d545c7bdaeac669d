// Whether two servers find the same: hits, their order where scores tell one, and scores. Used by the test of
// three processes and by `npm run shards`.

export interface Found {
  hits: { id: string | number; _rankingScore: number }[];
  estimatedTotalHits: number;
}

const SCORE_DIGITS = 9;

/** Null: they do; else what is different. Hits of one score may change places, and fall off the page. */
export function difference(one: Found, other: Found): string | null {
  if (one.estimatedTotalHits !== other.estimatedTotalHits)
    return `${one.estimatedTotalHits} hits in all, or ${other.estimatedTotalHits}`;
  const [left, right] = [scoresOf(one), scoresOf(other)];
  const at = left.findIndex((score, i) => score !== right[i]);
  if (at >= 0 || left.length !== right.length)
    return `score ${left[at] ?? "of none"} at place ${at}, or ${right[at] ?? "none"}`;
  const last = left.at(-1);
  for (const score of new Set(left)) {
    if (score === last && left.length < one.estimatedTotalHits) continue;
    const [ids, others] = [idsOf(one, score), idsOf(other, score)];
    if (ids !== others) return `with score ${score}, ${ids}, or ${others}`;
  }
  return null;
}

const rounded = (score: number): string => score.toFixed(SCORE_DIGITS);
const scoresOf = ({ hits }: Found): string[] => hits.map(({ _rankingScore }) => rounded(_rankingScore));

function idsOf({ hits }: Found, score: string): string {
  const ids = hits.filter((hit) => rounded(hit._rankingScore) === score).map(({ id }) => String(id));
  return ids.sort().join();
}
