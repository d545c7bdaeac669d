// The ranking rules that a search runs, in order. Called by collection.ts.
import type { Settings } from "../../schemas/settings.ts";
import { attributeRankRule, wordPositionRule } from "./attributes.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { exactAttributeRule, exactWordsRule } from "./exactness.ts";
import { proximityRule } from "./proximity.ts";
import type { MatchingStrategy } from "./removal.ts";
import type { NamedRule, Ranking, Rule, RuleName } from "./rule.ts";
import { type Criterion, criterionOfRule, sortRule } from "./sorting.ts";
import { typoRule } from "./typo.ts";
import { type Query, wordsRule } from "./words.ts";

interface RuleOptions {
  strategy: MatchingStrategy;
  /** Of the request: they take the place of rule `sort`. */
  criteria: readonly Criterion[];
  bitmaps: Bitmaps;
}

/** Names that the vectors take the place of. */
const RELEVANCY: ReadonlySet<string> = new Set([
  ...["words", "typo", "proximity", "attribute", "attributeRank", "wordPosition", "exactness"],
]);

/**
 * The rules of a search by vectors: their rule stands where the first rule of relevancy is named, and those
 * that sort by a field keep their places.
 */
export function semanticRuleList(
  vectorSort: Rule,
  settings: Settings,
  criteria: readonly Criterion[],
  bitmaps: Bitmaps,
): NamedRule[] {
  const rules = new Map<string, NamedRule>();
  for (const name of settings.rankingRules) {
    const own = criterionOfRule(name);
    if (own) addSort(rules, bitmaps, own);
    else if (name === "sort") for (const criterion of criteria) addSort(rules, bitmaps, criterion);
    else if (RELEVANCY.has(name)) rules.set("vectorSort", { name: "vectorSort", ...vectorSort });
  }
  return [...rules.values()];
}

/** True when vectors, or words, have a place among the rules. */
export const hasRelevancyRule = ({ rankingRules }: Settings): boolean =>
  rankingRules.some((name) => RELEVANCY.has(name));

/** Distances count each time, a field only once. */
function addSort(rules: Map<string, NamedRule>, bitmaps: Bitmaps, criterion: Criterion): void {
  const key = criterion.kind === "geo" ? `geo ${rules.size}` : `field ${criterion.name}`;
  if (!rules.has(key)) rules.set(key, { name: "sort", ...sortRule(bitmaps, criterion) });
}

/** @param query null for a search without terms: then only rules that sort by a field remain */
export function ruleList(
  ranking: Ranking,
  query: Query | null,
  settings: Settings,
  { strategy, criteria, bitmaps }: RuleOptions,
): NamedRule[] {
  const rules = new Map<string, NamedRule>();
  const sortBy = (criterion: Criterion) => addSort(rules, bitmaps, criterion);
  const add = (name: RuleName, make: () => Rule) => {
    if (query && !rules.has(name)) rules.set(name, { name, ...make() });
  };
  for (const name of settings.rankingRules) {
    if (name === "sort") criteria.forEach(sortBy);
    const own = criterionOfRule(name);
    if (own) sortBy(own);
    if (name === "sort" || own || !query) continue;
    if (strategy !== "all") add("words", () => wordsRule(ranking.occurrences.matching, query));
    if (name === "typo") add("typo", () => typoRule(ranking, query.items));
    if (name === "proximity") add("proximity", () => proximityRule(ranking));
    if (name === "attribute" && (rules.has("attributeRank") || rules.has("wordPosition"))) continue;
    if (name === "attribute" || name === "attributeRank")
      add("attributeRank", () => attributeRankRule(ranking));
    if (name === "attribute" || name === "wordPosition") add("wordPosition", () => wordPositionRule(ranking));
    if (name === "exactness") {
      add("exactAttribute", () => exactAttributeRule(ranking));
      add("exactWords", () => exactWordsRule(ranking, query.items));
    }
  }
  return [...rules.values()];
}
