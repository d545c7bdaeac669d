// The paths that the bucket of one cost passes on: those that were the first to claim one of its documents,
// in the order of their choices. Called by rule.ts and together.ts.
import { rankingChoices } from "../ranking-costs";
import { alloc } from "./arena";
import { Evaluation } from "./evaluation";
import {
  addPath,
  distinctPaths,
  itemAt,
  newPath,
  newPathList,
  pathAt,
  setItem,
  singlePath,
  wholePaths,
} from "./paths";
import { EXACT_ATTRIBUTE, Path, PathSet } from "./records";
import { isNarrowing, narrowed } from "./steps";

/** Most distinct choices of one bucket that are told apart. */
const CHOICES_MAX: u32 = 4096;

/**
 * The paths that claim documents of a cost, given by their u32 indexes in the list that was evaluated.
 * `indexes` 0: all documents, at constant cost.
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
  const most = min(CHOICES_MAX, count);
  const rows = alloc(2 * <usize>width * <usize>most);
  const found = rankingChoices(indexes, count, evaluation.firsts, evaluation.rows, width, rows, most);
  const choices = found < 0 ? most : <u32>found;
  const order = sortChoices(evaluation, rows, width, choices);
  const claiming = newPathList();
  for (let i: usize = 0; i < <usize>choices; i++) {
    const row = rows + 2 * <usize>width * <usize>load<u16>(order + (i << 1));
    addPath(claiming, narrowedPath(evaluation.rule, pathAt(living, load<u16>(row)), row + 2));
  }
  return distinctPaths(claiming);
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

/** Numbers of the choices, u16 each, in order: Shell's sort. */
function sortChoices(evaluation: Evaluation, rows: usize, width: u32, count: u32): usize {
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
        if (!comesBefore(evaluation, rowAt(rows, width, choice), rowAt(rows, width, before))) break;
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

/**
 * Paths that begin alike share these steps in the whole graph of the query, which is walked depth first: at
 * the first step where two choices differ, their options decide. Paths that a rule has passed on are apart
 * from one another: all choices of the first come before those of the second.
 */
function comesBefore(evaluation: Evaluation, a: usize, b: usize): bool {
  const left = pathAt(evaluation.living, load<u16>(a));
  const right = pathAt(evaluation.living, load<u16>(b));
  const isWhole = evaluation.paths == wholePaths;
  for (let at: u32 = 0; at < left.length && at < right.length; at++) {
    if (isWhole ? itemAt(left, at) != itemAt(right, at) : left != right) break;
    const place: usize = 2 + ((<usize>at) << 1);
    const x: u32 = load<u16>(a + place);
    const y: u32 = load<u16>(b + place);
    if (x != y) return x < y;
  }
  return load<u16>(a) < load<u16>(b);
}
