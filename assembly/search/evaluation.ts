// The cost model that most ranking rules share: every step of a path costs a document something, independent
// of the other steps; a document's cost is that of its cheapest path. The bucket of a cost passes on the
// paths that were first, in depth-first order of their choices, to claim one of its documents. Called by
// rule.ts and together.ts.
//
// Paths as ../ranking-costs.ts wants them:
//   row    | u32 constant | u32 steps | u32 costs of each step |
import { RANKING_NONE, rankingChoices, rankingTotals } from "../ranking-costs";
import { alloc, allocRecord, allocZeroed } from "./arena";
import { itemOf } from "./context";
import { exactAttributeCosts } from "./exactness";
import { ItemNumber, NO_ITEM } from "./item-numbers";
import { hasForms, itemDocuments } from "./items";
import { closeBucket, costsRoom, openBucket } from "./occurrences";
import {
  addPath,
  distinctPaths,
  isAdjacent,
  itemAt,
  newPath,
  newPathList,
  pathAt,
  pathsOf,
  setItem,
  singlePath,
} from "./paths";
import {
  ATTRIBUTE_RANK,
  Documents,
  EXACT_ATTRIBUTE,
  Path,
  PathSet,
  PROXIMITY,
  WORD_POSITION,
} from "./records";
import { isNarrowing, mostOf, narrowed, stepConstant, stepCosts } from "./steps";

/** Best rank of the rule ExactAttribute. */
const EXACT_MATCH: u32 = 3;
const NO_EXACT_MATCH: u32 = 1;
/** Distinct choices of one bucket that are told apart. */
const CHOICES_MAX: u32 = 4096;

/** What a rule says of some documents. */
@unmanaged
export class Evaluation {
  rule: i32;
  /** The best rank: that of documents at no cost. */
  max: u32;
  paths: PathSet;
  /** Those whose items all occur. */
  living: PathSet;
  /** All documents have the cost `constant`; then `totals` and `firsts` are not set. */
  isConstant: bool;
  constant: u32;
  /** u16 of each document: its cost, and the number of the first path that has it. */
  totals: usize;
  firsts: usize;
  /** u32 address of the row of each path. */
  rows: usize;
}

/** Costs of a step in the evaluation at hand. */
@unmanaged
class Step {
  next: Step;
  previous: ItemNumber;
  constant: u32;
  costs: usize;
}

/** Number of the evaluation at hand: items, which are new in each search, never have it before. */
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
  evaluation.isConstant = count == 1 && isConstantRow(only);
  evaluation.constant = load<u32>(only);
  if (!evaluation.isConstant) sumCosts(evaluation, documents.count);
  return evaluation;
}

/** The best cost that a path may have at all, less one. */
export function pathsMost(rule: i32, paths: PathSet): u32 {
  let most: u32 = 0;
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    let sum: u32 = 0;
    for (let at: u32 = 0; at < path.length; at++) sum += mostOf(rule, previousOf(path, at), itemAt(path, at));
    most = max(most, sum);
  }
  return most;
}

/** Paths all of whose items occur. */
export function livingPaths(rule: i32, paths: PathSet): PathSet {
  const living = newPathList();
  // Items are found in fields, too, where look-ups do not look for them.
  const looksEverywhere = rule == ATTRIBUTE_RANK || rule == WORD_POSITION;
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    let at: u32 = 0;
    while (at < path.length && occurs(itemAt(path, at), looksEverywhere)) at++;
    if (at == path.length) addPath(living, path);
  }
  return pathsOf(living);
}

export function previousOf(path: Path, at: u32): ItemNumber {
  return at ? itemAt(path, at - 1) : NO_ITEM;
}

export function rankOf(evaluation: Evaluation, cost: u32): u32 {
  return cost == RANKING_NONE ? 1 : evaluation.max - cost;
}

/**
 * The paths that claim documents of a cost, given by their u32 indexes in the list that was evaluated.
 * `indexes` 0: all of them, at constant cost.
 */
export function claimingPaths(evaluation: Evaluation, cost: u32, indexes: usize, count: u32): PathSet {
  if (evaluation.rule == EXACT_ATTRIBUTE) return evaluation.paths;
  const living = evaluation.living;
  const needsChoices = living.count > 1 || isNarrowing(evaluation.rule);
  const isUndivided = living.count == 1 && cost == load<u32>(<usize>load<u32>(evaluation.rows));
  if (living.count == 0) return living;
  if (!indexes || !needsChoices || isUndivided) {
    return singlePath(narrowedPath(evaluation.rule, pathAt(living, 0), 0));
  }
  const width = 1 + longest(living);
  const most = min(CHOICES_MAX, count) + 1;
  const rows = alloc(2 * <usize>width * <usize>most);
  const found = rankingChoices(indexes, count, evaluation.firsts, evaluation.rows, width, rows, most);
  const choices = found < 0 ? most : <u32>found;
  const order = sortChoices(living, rows, width, choices);
  const claiming = newPathList();
  for (let i: usize = 0; i < <usize>choices; i++) {
    const row = rows + 2 * <usize>width * <usize>load<u16>(order + (i << 1));
    addPath(claiming, narrowedPath(evaluation.rule, pathAt(living, load<u16>(row)), row + 2));
  }
  return distinctPaths(claiming);
}

function occurs(item: ItemNumber, looksEverywhere: bool): bool {
  return itemDocuments(item) != 0 || (looksEverywhere && hasForms(item));
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

/** A step is evaluated once, however many paths take it. */
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

/** Least cost of each document. Steps without costs get zeros, so that choices have as many. */
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

function longest(paths: PathSet): u32 {
  let length: u32 = 0;
  for (let i: u32 = 0; i < paths.count; i++) length = max(length, pathAt(paths, i).length);
  return length;
}

function narrowedPath(rule: i32, path: Path, costs: usize): Path {
  if (!isNarrowing(rule)) return path;
  const left = newPath(path.length);
  for (let at: u32 = 0; at < path.length; at++) {
    const cost: u32 = costs ? load<u16>(costs + ((<usize>at) << 1)) : 0;
    setItem(left, at, narrowed(rule, itemAt(path, at), cost));
  }
  return left;
}

/** Numbers of the choices, u16 each, in depth-first order: Shell's sort. */
function sortChoices(paths: PathSet, rows: usize, width: u32, count: u32): usize {
  const order = alloc((<usize>count) << 1);
  for (let i: u32 = 0; i < count; i++) store<u16>(order + ((<usize>i) << 1), i);
  let gap: u32 = 1;
  while (gap * 3 + 1 < count) gap = gap * 3 + 1;
  for (; gap > 0; gap /= 3) {
    for (let i = gap; i < count; i++) {
      const choice: u32 = load<u16>(order + ((<usize>i) << 1));
      let to = i;
      for (; to >= gap; to -= gap) {
        const before: u32 = load<u16>(order + ((<usize>(to - gap)) << 1));
        if (!comesBefore(paths, rowAt(rows, width, choice), rowAt(rows, width, before))) break;
        store<u16>(order + ((<usize>to) << 1), before);
      }
      store<u16>(order + ((<usize>to) << 1), choice);
    }
  }
  return order;
}

function rowAt(rows: usize, width: u32, index: u32): usize {
  return rows + 2 * <usize>width * <usize>index;
}

/** At the first step where two choices differ, their options decide, then their paths. */
function comesBefore(paths: PathSet, a: usize, b: usize): bool {
  const left = pathAt(paths, load<u16>(a));
  const right = pathAt(paths, load<u16>(b));
  for (let at: u32 = 0; at < left.length && at < right.length; at++) {
    if (itemAt(left, at) != itemAt(right, at)) break;
    const place: usize = 2 + ((<usize>at) << 1);
    const x: u32 = load<u16>(a + place);
    const y: u32 = load<u16>(b + place);
    if (x != y) return x < y;
  }
  return load<u16>(a) < load<u16>(b);
}
