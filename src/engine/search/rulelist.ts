// The ranking rules that a search runs, in order. Called by collection.ts.
import { BUILT_IN_RULES } from "../../schemas/rankingrules.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Bitmaps } from "../bitmaps.ts";
import { CoreRule, type CoreRuleName } from "./corerule.ts";
import type { Criterion } from "./criterion.ts";
import type { NamedRule, Rule } from "./rule.ts";
import type { MatchingStrategy, SearchCore } from "./searchcore.ts";
import { criterionOfRule, sortRule } from "./sorting.ts";

interface RuleOptions {
  strategy: MatchingStrategy;
  /** Criteria of the request: they take the place of rule `sort`. */
  criteria: readonly Criterion[];
  search: SearchCore;
}

/** Names of the rules that vectors replace. */
const RELEVANCY: ReadonlySet<string> = new Set(BUILT_IN_RULES.filter((name) => name !== "sort"));

/**
 * The rules of a search by vectors: their rule stands where the first rule of relevancy is named; rules that
 * sort by a field keep their places.
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

/** True when there is a place for vectors, or words, among the rules. */
export const hasRelevancyRule = ({ rankingRules }: Settings): boolean =>
  rankingRules.some((name) => RELEVANCY.has(name));

/** Each sort by distance counts, but each field only once. */
function addSort(rules: Map<string, NamedRule>, bitmaps: Bitmaps, criterion: Criterion): void {
  const key = criterion.kind === "geo" ? `geo ${rules.size}` : `field ${criterion.name}`;
  if (!rules.has(key)) rules.set(key, { name: "sort", ...sortRule(bitmaps, criterion) });
}

/** @param hasTerms false for a search without terms: then only rules that sort by a field are left */
export function ruleList(
  settings: Settings,
  hasTerms: boolean,
  { strategy, criteria, search }: RuleOptions,
): NamedRule[] {
  const rules = new Map<string, NamedRule>();
  const sortBy = (criterion: Criterion) => addSort(rules, search.bitmaps, criterion);
  const add = (name: CoreRuleName) => {
    if (!rules.has(name)) rules.set(name, new CoreRule(search, name));
  };
  for (const name of settings.rankingRules) {
    if (name === "sort") criteria.forEach(sortBy);
    const own = criterionOfRule(name);
    if (own) sortBy(own);
    if (name === "sort" || own || !hasTerms) continue;
    if (strategy !== "all") add("words");
    if (name === "typo" || name === "proximity") add(name);
    if (name === "attribute" && (rules.has("attributeRank") || rules.has("wordPosition"))) continue;
    if (name === "attribute" || name === "attributeRank") add("attributeRank");
    if (name === "attribute" || name === "wordPosition") add("wordPosition");
    if (name === "exactness") {
      add("exactAttribute");
      add("exactWords");
    }
  }
  return [...rules.values()];
}
