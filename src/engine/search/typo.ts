// The rule Typo: documents that need fewer typos come first. A term read together with its neighbours costs
// as many typos as it has terms. Called by rulelist.ts.
import { RANKING_NONE } from "../../core/ranking.ts";
import { Documents } from "./documents.ts";
import { distinctPaths, EXACT, type Item, type Items, LEVELS, ONE, type Path, TWO } from "./graph.ts";
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
  return (documents, paths) => {
    const { matching } = occurrences;
    const live = paths.filter((path) => path.every((item) => matching.documents(item) !== 0));
    if (live.length !== 1 || documents.count < LEVELS_DOCUMENTS_MIN) return ranked(documents, paths);
    const most = Math.max(...paths.map((path) => path.reduce((sum, item) => sum + rule.most(null, item), 0)));
    return new LevelBuckets(matching, rule, live[0], documents).buckets(most);
  };
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
  /** Candidates that no bucket has. */
  readonly #left: number;
  readonly #steps: number[];
  #found = 0;
  #paths: Path[] = [];

  constructor(matching: Matching, rule: GraphRule, path: Path, documents: Documents) {
    const { bitmaps } = matching.lookups;
    this.#matching = matching;
    this.#rule = rule;
    this.#path = path;
    this.#base = path.reduce((sum, item) => sum + baseOf(item), 0);
    this.#left = bitmaps.create(documents.bitmap);
    this.#steps = path.map(() => bitmaps.create());
  }

  *buckets(most: number): Generator<Bucket> {
    const { bitmaps } = this.#matching.lookups;
    for (let typos = 0; typos + this.#base <= most && bitmaps.any(this.#left); typos++) {
      bitmaps.exclude(this.#left);
      this.#found = 0;
      this.#paths = [];
      this.#walk(0, this.#left, typos, []);
      if (!this.#found) continue;
      const rank = { rule: "typo" as const, rank: most + 1 - this.#base - typos, max: most + 1 };
      yield { documents: Documents.ofBitmap(bitmaps, this.#found), paths: distinctPaths(this.#paths), rank };
    }
  }

  #walk(at: number, candidates: number, typos: number, narrowed: Path): void {
    if (at === this.#path.length) {
      if (typos === 0) this.#claim(candidates, narrowed);
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

  #claim(candidates: number, path: Path): void {
    const { bitmaps } = this.#matching.lookups;
    const claimed = bitmaps.intersection(candidates, this.#left);
    if (!bitmaps.any(claimed)) return;
    bitmaps.andNot(this.#left, claimed);
    if (this.#found) bitmaps.or(this.#found, claimed);
    else this.#found = claimed;
    this.#paths.push(path);
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
