// The cost model that most ranking rules share: every step of a path has a cost for each document,
// independent of the other steps; a document's cost is that of its cheapest path. Which paths a bucket of
// such documents passes on is decided in choices.ts. Called by rule.ts, bucket-groups.ts and together.ts.
//
// Paths in the form that ../ranking-costs.ts takes:
//   row    | u32 constant | u32 steps | u32 costs of each step |
import { RANKING_NONE, rankingTotals } from "../ranking-costs";
import { alloc, allocRecord, allocZeroed } from "./arena";
import { exactAttributeCosts } from "./exactness";
import { ItemNumber, NO_ITEM } from "./item-numbers";
import { livingPaths, pathsMost } from "./living-paths";
import { itemOf } from "./nodes";
import { closeBucket, costsRoom, openBucket } from "./occurrences";
import { isAdjacent, itemAt, pathAt, previousOf } from "./paths";
import { Documents, EXACT_ATTRIBUTE, PathSet, PROXIMITY } from "./records";
import { stepConstant, stepCosts } from "./steps";

/** Best rank of the rule ExactAttribute. */
const EXACT_MATCH: u32 = 3;
const NO_EXACT_MATCH: u32 = 1;

/** A rule's evaluation of some documents. */
@unmanaged
export class Evaluation {
  rule: i32;
  /** The best rank: that of documents with no cost. */
  max: u32;
  paths: PathSet;
  /** The paths whose items all occur. */
  living: PathSet;
  /** All documents have the cost `constant`; then `totals` and `firsts` are not set. */
  isConstant: bool;
  constant: u32;
  /** For each document a u16: its cost; below, the number of the first path that has this cost. */
  totals: usize;
  firsts: usize;
  /** The u32 address of each path's row. */
  rows: usize;
}

/** Costs of a step in the current evaluation. */
@unmanaged
class Step {
  next: Step;
  previous: ItemNumber;
  constant: u32;
  costs: usize;
}

/** Number of the current evaluation. The items of a search are new, so they never have it yet. */
let evaluations: u32 = 0;

export function evaluate(rule: i32, documents: Documents, paths: PathSet): Evaluation {
  const evaluation = changetype<Evaluation>(allocRecord(offsetof<Evaluation>()));
  evaluation.rule = rule;
  evaluation.paths = paths;
  if (rule == EXACT_ATTRIBUTE) {
    evaluation.max = EXACT_MATCH;
    openBucket(documents);
    evaluation.totals = exactAttributeCosts(paths);
    closeBucket();
    evaluation.isConstant = !evaluation.totals;
    evaluation.constant = EXACT_MATCH - NO_EXACT_MATCH;
    return evaluation;
  }
  evaluation.max = 1 + pathsMost(rule, paths);
  evaluation.living = livingPaths(rule, paths);
  const count = evaluation.living.count;
  evaluation.isConstant = count == 0;
  if (count == 0) return evaluation;
  evaluations++;
  openBucket(documents);
  makeRows(evaluation);
  closeBucket();
  const only: usize = load<u32>(evaluation.rows);
  // Where several paths are left, every step has costs: steps.ts.
  evaluation.isConstant = isConstantRow(only);
  evaluation.constant = load<u32>(only);
  if (!evaluation.isConstant) sumCosts(evaluation, documents.count);
  return evaluation;
}

export function rankOf(evaluation: Evaluation, cost: u32): u32 {
  return cost == RANKING_NONE ? 1 : evaluation.max - cost;
}

/** Writes a row for each path. */
function makeRows(evaluation: Evaluation): void {
  const living = evaluation.living;
  const isCertain = living.count == 1;
  evaluation.rows = alloc((<usize>living.count) << 2);
  let bytes: usize = 0;
  for (let i: u32 = 0; i < living.count; i++) bytes += 8 + ((<usize>pathAt(living, i).length) << 2);
  let row = alloc(bytes);
  for (let i: u32 = 0; i < living.count; i++) {
    const path = pathAt(living, i);
    store<u32>(evaluation.rows + ((<usize>i) << 2), <u32>row);
    let constant: u32 = 0;
    for (let at: u32 = 0; at < path.length; at++) {
      const step = stepOf(evaluation.rule, previousOf(path, at), itemAt(path, at), isCertain);
      constant += step.constant;
      store<u32>(row + 8 + ((<usize>at) << 2), <u32>step.costs);
    }
    store<u32>(row, constant);
    store<u32>(row, path.length, 4);
    row += 8 + ((<usize>path.length) << 2);
  }
}

/** A step is evaluated only once, however many paths take it. */
function stepOf(rule: i32, previous: ItemNumber, item: ItemNumber, isCertain: bool): Step {
  const known = itemOf(item);
  if (known.evaluation != evaluations) {
    known.evaluation = evaluations;
    known.steps = 0;
  }
  const before = rule == PROXIMITY && isAdjacent(previous, item) ? previous : NO_ITEM;
  let step = changetype<Step>(known.steps);
  while (changetype<usize>(step) && step.previous != before) step = step.next;
  if (changetype<usize>(step)) return step;
  step = changetype<Step>(allocRecord(offsetof<Step>()));
  step.next = changetype<Step>(known.steps);
  step.previous = before;
  step.constant = stepConstant(rule, item);
  step.costs = stepCosts(rule, before, item, isCertain);
  known.steps = changetype<usize>(step);
  return step;
}

function isConstantRow(row: usize): bool {
  const steps = <usize>load<u32>(row, 4);
  for (let at: usize = 0; at < steps; at++) if (load<u32>(row + 8 + (at << 2))) return false;
  return true;
}

/**
 * Finds the least cost of each document. Steps without costs get zeros, so that all choices have the same
 * number of costs.
 */
function sumCosts(evaluation: Evaluation, count: u32): void {
  const paths = evaluation.living.count;
  let zeros: usize = 0;
  for (let i: usize = 0; i < <usize>paths; i++) {
    const row: usize = load<u32>(evaluation.rows + (i << 2));
    for (let at = row + 8, end = at + ((<usize>load<u32>(row, 4)) << 2); at < end; at += 4) {
      if (load<u32>(at)) continue;
      if (!zeros) zeros = allocZeroed(((<usize>count) << 1) + 16);
      store<u32>(at, <u32>zeros);
    }
  }
  evaluation.totals = costsRoom(count);
  evaluation.firsts = costsRoom(count);
  const first: usize = load<u32>(evaluation.rows);
  rankingTotals(first, paths, count, evaluation.totals, evaluation.firsts);
}
