// The rule Typo: documents that need fewer typos come first. A term read together with its neighbours costs as many typos as it
// has terms. Called by rulelist.ts.
import { RANKING_NONE } from "../../core/ranking.ts";
import { EXACT, type Item, type Items, LEVELS, ONE, TWO } from "./graph.ts";
import { type GraphRule, graphRule } from "./graphrule.ts";
import type { Ranking, Rule } from "./rule.ts";

export function typoRule(ranking: Ranking, items: Items): Rule {
  const { occurrences } = ranking;
  const rule: GraphRule = {
    name: "typo",
    most: (_, item) => baseOf(item) + typosLeft(item),
    step: (_, item, certain) => {
      const levels = occurrences.matching.levels(item).slice(0, typosLeft(item) + 1);
      const constant = baseOf(item);
      if (certain && levels.slice(1).every((level) => level === 0)) return { constant, costs: 0 };
      const costs = occurrences.costs(RANKING_NONE);
      levels.forEach((level, typos) => {
        occurrences.lower(costs, level, typos);
      });
      return { constant, costs };
    },
    narrow: (item, typos) => {
      const { node, allowed } = item;
      return allowed & EXACT ? item : items.of(node, allowed & LEVELS[typos]);
    },
  };
  return graphRule(ranking, rule);
}

const baseOf = ({ node: { size } }: Item): number => (size === 1 ? 0 : size);

/** The most typos that an item may still have: a word without a budget may be split. */
function typosLeft({ node, allowed }: Item): number {
  if (node.phrase) return 0;
  if (node.budget === 0) return 1;
  if (node.budget === 2 && allowed & TWO) return 2;
  return allowed & ONE ? 1 : 0;
}
