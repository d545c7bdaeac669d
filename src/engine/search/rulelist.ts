// The ranking rules that a search runs, in order. Called by search.ts.
import type { Settings } from "../../schemas/settings.ts";
import { attributeRankRule, wordPositionRule } from "./attributes.ts";
import { exactAttributeRule, exactWordsRule } from "./exactness.ts";
import { proximityRule } from "./proximity.ts";
import type { MatchingStrategy } from "./removal.ts";
import type { Ranking, Rule, RuleName } from "./rule.ts";
import { typoRule } from "./typo.ts";
import { type Query, wordsRule } from "./words.ts";

/** @param query null for a search without terms: then only rules that sort by a field remain */
export function ruleList(
  ranking: Ranking,
  query: Query | null,
  settings: Settings,
  strategy: MatchingStrategy,
): Rule[] {
  const rules = new Map<string, Rule>();
  const add = (name: RuleName, make: () => Rule) => {
    if (query && !rules.has(name)) rules.set(name, make());
  };
  for (const name of settings.rankingRules) {
    // Rules that sort by a field, of the request (`sort`) or of the settings (`field:asc`), take their place
    // here.
    if (name === "sort" || !query || isSorting(name)) continue;
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

const isSorting = (name: string): boolean => name.endsWith(":asc") || name.endsWith(":desc");
