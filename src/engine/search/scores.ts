// Scores of hits out of the ranks that the rules gave: one number, and the details per rule. Called by
// driver.ts, hits.ts and whoever merges hits.
import { textWithFloats } from "../../core/floattext.ts";
import { EXACT_MATCH, MATCHES_START, NO_EXACT_MATCH } from "./corerule.ts";
import type { Rank } from "./rule.ts";

const MATCH_TYPES = new Map([
  [EXACT_MATCH, "exactMatch"],
  [MATCHES_START, "matchesStart"],
  [NO_EXACT_MATCH, "noExactMatch"],
]);

/** Members of details that are floats, numbers of fields (`value`) included. */
const FLOATS: ReadonlySet<string> = new Set([
  ...["score", "attributeRankingOrderScore", "queryWordDistanceScore", "similarity"],
  ...["value", "distance"],
]);

/**
 * Ranks merged as digits of a number with a mixed radix: earlier rules dominate, 1 is perfect. A similarity
 * of vectors stands for all of them.
 */
export function mergedScore(ranks: readonly Rank[]): number {
  const vector = ranks.find(({ similarity }) => similarity !== undefined);
  if (vector) return vector.similarity ?? 0;
  let rank = 1;
  let most = 1;
  for (const detail of ranks) {
    rank = Math.max(0, rank - 1) * detail.max + detail.rank;
    most *= detail.max;
  }
  return rank / most;
}

/**
 * The details as JSON.
 * @param isSplit the settings name attributeRank or wordPosition: then each has details of its own
 */
export const scoreDetailsText = (ranks: readonly Rank[], isSplit: boolean): string =>
  textWithFloats(scoreDetails(ranks, isSplit), FLOATS);

function scoreDetails(ranks: readonly Rank[], isSplit: boolean): Record<string, unknown> {
  const details: Record<string, unknown> = {};
  const find = (rule: Rank["rule"]) => ranks.find((rank) => rank.rule === rule);
  let order = 0;
  for (const { rule, rank, max, details: shown, similarity } of ranks) {
    const score = rank / max;
    if (rule === "vectorSort") details[rule] = { order: order++, similarity };
    else if (shown) {
      details[shown.key ?? `<hidden-rule-${order}>`] = { order, ...shown.fields() };
      order++;
    } else if (rule === "words")
      details.words = { order: order++, matchingWords: rank, maxMatchingWords: max, score };
    else if (rule === "typo")
      details.typo = { order: order++, typoCount: max - rank, maxTypoCount: max - 1, score };
    else if (rule === "exactAttribute") details.exactness = exactness(order++, rank, find("exactWords"));
    else if (rule === "attributeRank" && !isSplit) {
      details.attribute = attribute(order++, { rule, rank, max }, find("wordPosition"));
    } else if (rule === "skipped") details.skipped = { order: order++ };
    else if (rule !== "exactWords" && (rule !== "wordPosition" || isSplit))
      details[rule] = { order: order++, score };
  }
  return details;
}

function attribute(order: number, field: Rank, position: Rank | undefined): Record<string, unknown> {
  if (!position) return { order, attributeRankingOrderScore: field.rank / field.max };
  return {
    order,
    attributeRankingOrderScore: field.rank / field.max,
    queryWordDistanceScore: position.rank / position.max,
    score: mergedScore([field, position]),
  };
}

function exactness(order: number, rank: number, words: Rank | undefined): Record<string, unknown> {
  const matchType = MATCH_TYPES.get(rank);
  if (rank !== NO_EXACT_MATCH || !words) return { order, matchType, score: rank / EXACT_MATCH };
  const local: Rank = { rule: "exactAttribute", rank, max: EXACT_MATCH };
  const counts = { matchingWords: words.rank - 1, maxMatchingWords: words.max - 1 };
  return { order, matchType, ...counts, score: mergedScore([local, words]) };
}
