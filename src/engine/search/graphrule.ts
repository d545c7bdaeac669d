// The cost model that most ranking rules share: every step of a path costs a document something, independent
// of the other steps; a document's cost is that of its cheapest path. The bucket of a cost passes on the
// paths that were first, in depth-first order of their choices, to claim one of its documents. Called by the
// rules.

import { costGroups, type Group, isUnsatisfied, newCosts } from "./costgroups.ts";
import { Documents } from "./documents.ts";
import { distinctPaths, type Item, type Path } from "./graph.ts";
import type { Bucket, Grading, Rank, Ranking, Rule, RuleName } from "./rule.ts";

/** Cost of a step: the same for all documents, and an array for those at hand (0: nothing more). */
export interface StepCost {
  constant: number;
  costs: number;
}

export interface GraphRule {
  name: RuleName;
  /** The largest option of a step. */
  most(previous: Item | null, item: Item): number;
  /** `certain`: there is one path, so every document is known to match the item. */
  step(previous: Item | null, item: Item, certain: boolean): StepCost;
  /** The item that a choice leaves, if it leaves less than it found; `cost` without the constant. */
  narrow?(item: Item, cost: number): Item;
  /** True when the costs of a step depend on the other documents at hand. */
  looksAround?(previous: Item | null, item: Item): boolean;
  /** Items are found in fields, too, where look-ups do not look for them. */
  looksEverywhere?: boolean;
}

/** Distinct choices of one bucket that are told apart. */
const CHOICES_MAX = 4096;

export function graphRule(ranking: Ranking, rule: GraphRule): Rule {
  return {
    buckets: (documents, paths) => buckets(ranking, rule, documents, paths),
    grade: (documents, paths) => grade(ranking, rule, documents, paths),
    looksAround: (paths) =>
      paths.some((path) => path.some((item, i) => rule.looksAround?.(path[i - 1] ?? null, item))),
  };
}

function* buckets(
  ranking: Ranking,
  rule: GraphRule,
  documents: Documents,
  paths: readonly Path[],
): Generator<Bucket> {
  const { bitmaps } = ranking.occurrences.matching.lookups;
  const evaluation = new Evaluation(ranking, rule, documents, paths);
  const { constant } = evaluation;
  if (constant !== null) {
    yield { documents, paths: evaluation.pathsOf(null), rank: evaluation.rankOf(constant) };
    return;
  }
  for (const group of costGroups(bitmaps, documents, evaluation.totals())) {
    const members = Documents.ofList(bitmaps, group.list, group.count);
    yield { documents: members, paths: evaluation.pathsOf(group), rank: evaluation.rankOf(group.cost) };
  }
}

function grade(ranking: Ranking, rule: GraphRule, documents: Documents, paths: readonly Path[]): Grading {
  const { core, scratch } = ranking.occurrences.matching.lookups.bitmaps.reader.share;
  const evaluation = new Evaluation(ranking, rule, documents, paths);
  const { constant } = evaluation;
  if (constant !== null) {
    const rankOf = () => evaluation.rankOf(constant);
    return { grades: null, rankOf, pathsOf: () => evaluation.pathsOf(null) };
  }
  const grades = new Uint16Array(core.memory.buffer, evaluation.totals(), documents.count).slice();
  const pathsOf = (cost: number, places: readonly number[]) => {
    const indexes = scratch.alloc(4 * places.length);
    core.u32.set(places, indexes >>> 2);
    return evaluation.pathsOf({ cost, count: places.length, indexes });
  };
  return { grades, rankOf: (cost) => evaluation.rankOf(cost), pathsOf };
}

const mostOf = (rule: GraphRule, path: Path): number =>
  path.reduce((sum, item, i) => sum + rule.most(path[i - 1] ?? null, item), 0);

/** A choice: the number of a path and the cost of each of its steps. */
type Choice = Uint16Array;

class Evaluation {
  readonly #ranking: Ranking;
  readonly #rule: GraphRule;
  readonly #documents: Documents;
  readonly #paths: readonly Path[];
  readonly #steps: StepCost[][];
  /** The best rank. */
  readonly #max: number;
  #firsts = 0;
  /** Address of each path's row in the table of the kernels. */
  #starts = 0;

  constructor(ranking: Ranking, rule: GraphRule, documents: Documents, paths: readonly Path[]) {
    this.#ranking = ranking;
    this.#rule = rule;
    this.#documents = documents;
    const { matching } = ranking.occurrences;
    const occurs = (item: Item): boolean =>
      matching.documents(item) !== 0 || (rule.looksEverywhere === true && matching.hasForms(item));
    this.#paths = paths.filter((path) => path.every(occurs));
    this.#max = 1 + Math.max(0, ...paths.map((path) => mostOf(rule, path)));
    this.#steps = this.#evaluate();
  }

  /** The cost of all documents when it needs no looking at them, else null. */
  get constant(): number | null {
    if (this.#paths.length !== 1) return this.#paths.length ? null : 0;
    const [steps] = this.#steps;
    return steps.every(({ costs }) => costs === 0) ? constantOf(steps) : null;
  }

  rankOf(cost: number): Rank {
    const max = this.#max;
    return { rule: this.#rule.name, rank: isUnsatisfied(cost) ? 1 : max - cost, max };
  }

  /** Least cost of each document. */
  totals(): number {
    const { bitmaps } = this.#ranking.occurrences.matching.lookups;
    const { core, scratch } = bitmaps.reader.share;
    const { count } = this.#documents;
    const totals = newCosts(bitmaps, count);
    this.#firsts = newCosts(bitmaps, count);
    const zeros = this.#needsChoices ? scratch.allocZeroed(2 * count + 16) : 0;
    const rows = this.#steps.map((steps) => {
      const arrays = steps.map(({ costs }) => costs || zeros).filter((costs) => costs !== 0);
      return [constantOf(steps), arrays.length, ...arrays];
    });
    const table = scratch.alloc(4 * rows.reduce((sum, row) => sum + row.length, 0));
    this.#starts = scratch.alloc(4 * rows.length);
    let at = table;
    rows.forEach((row, i) => {
      core.u32.set(row, at >>> 2);
      core.u32[(this.#starts >>> 2) + i] = at;
      at += 4 * row.length;
    });
    core.exports.rankingTotals(table, rows.length, count, totals, this.#firsts);
    return totals;
  }

  /** The paths that claim the documents of a group (null: of all, at constant cost). */
  pathsOf(group: Omit<Group, "list"> | null): Path[] {
    const paths = this.#paths;
    if (!group || !this.#needsChoices) return paths.slice(0, 1).map((path) => this.#narrowed(path, null));
    const single = paths.length === 1 && group.cost === constantOf(this.#steps[0]);
    if (single) return [this.#narrowed(paths[0], null)];
    const choices = this.#choices(group).sort((a, b) => this.#compare(a, b));
    return distinctPaths(choices.map((choice) => this.#narrowed(paths[choice[0]], choice)));
  }

  get #needsChoices(): boolean {
    return this.#paths.length > 1 || this.#rule.narrow !== undefined;
  }

  #evaluate(): StepCost[][] {
    const { occurrences } = this.#ranking;
    const certain = this.#paths.length === 1;
    const known = new Map<string, StepCost>();
    const step = (previous: Item | null, item: Item): StepCost => {
      const key = `${previous?.key} ${item.key}`;
      const cost = known.get(key) ?? this.#rule.step(previous, item, certain);
      known.set(key, cost);
      return cost;
    };
    return occurrences.during(this.#documents, () =>
      this.#paths.map((path) => path.map((item, i) => step(path[i - 1] ?? null, item))),
    );
  }

  #choices({ count, indexes }: Omit<Group, "list">): Choice[] {
    const { core, scratch } = this.#ranking.occurrences.matching.lookups.bitmaps.reader.share;
    const width = 1 + Math.max(...this.#paths.map((path) => path.length));
    const mark = scratch.mark();
    const rows = Math.min(CHOICES_MAX, count) + 1;
    const out = scratch.alloc(2 * width * rows);
    const found = core.exports.rankingChoices(indexes, count, this.#firsts, this.#starts, width, out, rows);
    const all = new Uint16Array(core.memory.buffer, out, width * (found < 0 ? rows : found)).slice();
    scratch.release(mark);
    return Array.from({ length: all.length / width }, (_, i) => all.subarray(i * width, (i + 1) * width));
  }

  /** Depth-first order: at the first step where two choices differ, by their options, then by their paths. */
  #compare(a: Choice, b: Choice): number {
    const [left, right] = [this.#paths[a[0]], this.#paths[b[0]]];
    for (let i = 0; i < left.length && i < right.length; i++) {
      if (left[i] !== right[i]) break;
      const difference = a[i + 1] - b[i + 1];
      if (difference) return difference;
    }
    return a[0] - b[0];
  }

  #narrowed(path: Path, choice: Choice | null): Path {
    const { narrow } = this.#rule;
    return narrow ? path.map((item, i) => narrow(item, choice ? choice[i + 1] : 0)) : path;
  }
}

const constantOf = (steps: readonly StepCost[]): number =>
  steps.reduce((sum, { constant }) => sum + constant, 0);
