// Scores of hits, from the ranks that the rules gave: one number, and the details per rule. Called by
// driver.ts, hits.ts and the code that merges hits.
import { floatText, textOfFloats } from "../../core/floattext.ts";
import { EXACT_MATCH, MATCHES_START, NO_EXACT_MATCH } from "./corerule.ts";
import type { Rank } from "./rule.ts";

const MATCH_TYPES = new Map([
  [EXACT_MATCH, "exactMatch"],
  [MATCHES_START, "matchesStart"],
  [NO_EXACT_MATCH, "noExactMatch"],
]);

/**
 * Merges ranks like digits of a number with a mixed radix: earlier rules dominate, 1 is perfect. A similarity
 * of vectors takes the place of them all.
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
 * The details as JSON, written piece by piece: a page may have a thousand.
 * @param isSplit true when the settings name attributeRank or wordPosition: then each has its own details
 */
export function scoreDetailsText(ranks: readonly Rank[], isSplit: boolean): string {
  // Two sorts may have the same key: then only the latter is shown.
  const details = new Map<string, string>();
  let order = 0;
  for (const rank of ranks) {
    const detail = detailOf(rank, ranks, isSplit, order);
    if (!detail) continue;
    const [key, members] = detail;
    details.set(key, `${JSON.stringify(key)}:{"order":${order++}${members}}`);
  }
  return `{${[...details.values()].join(",")}}`;
}

/** Key and further members of the details of a rule; null when the details of another rule include it. */
function detailOf(
  { rule, rank, max, details, similarity }: Rank,
  ranks: readonly Rank[],
  isSplit: boolean,
  order: number,
): [key: string, members: string] | null {
  if (details) {
    const fields = Object.entries(details.fields()).map(
      ([name, value]) => `,"${name}":${textOfFloats(value)}`,
    );
    return [details.key ?? `<hidden-rule-${order}>`, fields.join("")];
  }
  const score = `,"score":${floatText(rank / max)}`;
  const find = (other: Rank["rule"]) => ranks.find((one) => one.rule === other);
  switch (rule) {
    case "vectorSort":
      return [rule, `,"similarity":${floatText(similarity ?? Number.NaN)}`];
    case "words":
      return [rule, `,"matchingWords":${rank},"maxMatchingWords":${max}${score}`];
    case "typo":
      return [rule, `,"typoCount":${max - rank},"maxTypoCount":${max - 1}${score}`];
    case "attributeRank":
      return isSplit ? [rule, score] : ["attribute", attribute({ rule, rank, max }, find("wordPosition"))];
    case "wordPosition":
      return isSplit ? [rule, score] : null;
    case "exactAttribute":
      return ["exactness", exactness(rank, find("exactWords"))];
    case "exactWords":
      return null;
    case "skipped":
      return [rule, ""];
    default:
      return [rule, score];
  }
}

function attribute(field: Rank, position: Rank | undefined): string {
  const order = `,"attributeRankingOrderScore":${floatText(field.rank / field.max)}`;
  if (!position) return order;
  const distance = `,"queryWordDistanceScore":${floatText(position.rank / position.max)}`;
  return `${order}${distance},"score":${floatText(mergedScore([field, position]))}`;
}

function exactness(rank: number, words: Rank | undefined): string {
  const type = `,"matchType":${JSON.stringify(MATCH_TYPES.get(rank))}`;
  if (rank !== NO_EXACT_MATCH || !words) return `${type},"score":${floatText(rank / EXACT_MATCH)}`;
  const local: Rank = { rule: "exactAttribute", rank, max: EXACT_MATCH };
  const counts = `,"matchingWords":${words.rank - 1},"maxMatchingWords":${words.max - 1}`;
  return `${type}${counts},"score":${floatText(mergedScore([local, words]))}`;
}
