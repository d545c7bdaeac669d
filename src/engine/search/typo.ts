// The rule Typo: documents that need fewer typos come first. A term read together with its neighbours costs
// as many typos as it has terms. Called by rulelist.ts.
import { RANKING_NONE } from "../../core/ranking.ts";
import { Claims } from "./claims.ts";
import type { Documents } from "./documents.ts";
import { EXACT, type Item, type Items, LEVELS, ONE, type Path, TWO } from "./graph.ts";
import { type GraphRule, graphRule } from "./graphrule.ts";
import type { Matching } from "./matching.ts";
import type { Bucket, Ranking, Rule } from "./rule.ts";

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
  const ranked = graphRule(ranking, rule);
  const buckets: Rule["buckets"] = (documents, paths) => {
    const { matching } = occurrences;
    const live = paths.filter((path) => path.every((item) => matching.documents(item) !== 0));
    if (live.length !== 1 || documents.count < LEVELS_DOCUMENTS_MIN) return ranked.buckets(documents, paths);
    const most = Math.max(...paths.map((path) => path.reduce((sum, item) => sum + rule.most(null, item), 0)));
    return new LevelBuckets(matching, rule, live[0], documents).buckets(most);
  };
  return { ...ranked, buckets };
}

/** From so many candidates on, sets of documents are cheaper than a cost for each. */
const LEVELS_DOCUMENTS_MIN = 64;

/**
 * The buckets of one path by sets of documents: all ways to spread a number of typos over its items, in
 * order.
 */
class LevelBuckets {
  readonly #matching: Matching;
  readonly #rule: GraphRule;
  readonly #path: Path;
  readonly #base: number;
  readonly #claims: Claims;
  /** Room for a bitmap at each depth of the walk. */
  readonly #steps: number[];

  constructor(matching: Matching, rule: GraphRule, path: Path, documents: Documents) {
    const { bitmaps } = matching.lookups;
    this.#matching = matching;
    this.#rule = rule;
    this.#path = path;
    this.#base = path.reduce((sum, item) => sum + baseOf(item), 0);
    this.#claims = new Claims(bitmaps, documents);
    this.#steps = path.map(() => bitmaps.room());
  }

  *buckets(most: number): Generator<Bucket> {
    for (let typos = 0; typos + this.#base <= most && this.#claims.begin(); typos++) {
      this.#walk(0, this.#claims.left, typos, []);
      const rank = most + 1 - this.#base - typos;
      const bucket = this.#claims.bucket({ rule: "typo", rank, max: most + 1 });
      if (bucket) yield bucket;
    }
  }

  #walk(at: number, candidates: number, typos: number, narrowed: Path): void {
    if (at === this.#path.length) {
      if (typos === 0) this.#claims.claim(candidates, narrowed);
      return;
    }
    const { bitmaps } = this.#matching.lookups;
    const item = this.#path[at];
    const levels = this.#matching.levels(item);
    for (let level = 0; level <= Math.min(typos, typosLeft(item)); level++) {
      if (!levels[level]) continue;
      const step = this.#steps[at];
      bitmaps.intersect(step, candidates, levels[level]);
      if (bitmaps.any(step))
        this.#walk(at + 1, step, typos - level, [...narrowed, this.#rule.narrow!(item, level)]);
    }
  }
}

const baseOf = ({ node: { size } }: Item): number => (size === 1 ? 0 : size);

/** The most typos that an item may still have: a word without a budget may be split. */
function typosLeft({ node, allowed }: Item): number {
  if (node.phrase) return 0;
  if (node.budget === 0) return 1;
  if (node.budget === 2 && allowed & TWO) return 2;
  return allowed & ONE ? 1 : 0;
}
