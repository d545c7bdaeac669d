// The ranking rules that a search runs, in order. Called by search.ts.
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

export interface RuleOptions {
  strategy: MatchingStrategy;
  /** Of the request: they take the place of rule `sort`. */
  criteria: readonly Criterion[];
  bitmaps: Bitmaps;
}

/** @param query null for a search without terms: then only rules that sort by a field remain */
export function ruleList(
  ranking: Ranking,
  query: Query | null,
  settings: Settings,
  { strategy, criteria, bitmaps }: RuleOptions,
): NamedRule[] {
  const rules = new Map<string, NamedRule>();
  const sortBy = (criterion: Criterion) => {
    // Distances count each time, a field only once.
    const key = criterion.kind === "geo" ? `geo ${rules.size}` : `field ${criterion.name}`;
    if (!rules.has(key)) rules.set(key, { name: "sort", buckets: sortRule(bitmaps, criterion) });
  };
  const add = (name: RuleName, make: () => Rule) => {
    if (query && !rules.has(name)) rules.set(name, { name, buckets: make() });
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
