// Runs a rule over the documents of one bucket: yields its buckets one by one, best first, so that only those
// needed for the page are made. Called by the host (src/engine/search/corerule.ts) and by together.ts.
import { allocRecord } from "./arena";
import { claimingPaths } from "./choices";
import { claimedDocuments, Claims } from "./claims";
import { CostGroups, newCostGroups, nextGroup } from "./cost-groups";
import { bitmapOf, listOf, newDocuments } from "./documents";
import { Evaluation, evaluate, rankOf } from "./evaluation";
import { FieldsWalk, hasFieldLevels, newFieldsWalk, nextFields } from "./field-levels";
import { weightMax } from "./fields";
import { livingPaths, pathsMost } from "./living-paths";
import { nodeCount } from "./nodes";
import { distinctPaths, pathAt } from "./paths";
import { ATTRIBUTE_RANK, Documents, PathSet, TYPO, WORDS } from "./records";
import { LevelsWalk, newLevelsWalk, nextLevels } from "./typo-levels";
import { newWordsWalk, nextWords, onlyWords, WordsWalk, wordsMax } from "./words-rule";

/** From this many candidates on, sets of documents are cheaper than a cost for each. */
const LEVELS_DOCUMENTS_MIN: u32 = 64;

/** From this many on, a single word gets sets of documents by fields. */
const FIELDS_DOCUMENTS_MIN: u32 = 8192;

/** How the buckets are made. */
const ONE_BUCKET: i32 = 0;
const BY_WORDS: i32 = 1;
const BY_LEVELS: i32 = 2;
const BY_FIELDS: i32 = 3;
const BY_COST: i32 = 4;
const ENDED: i32 = 5;

/** The current bucket comes first: src/engine/search/corerule.ts reads it. */
@unmanaged
export class RuleRun {
  /** A list, a bitmap, or both; 0 for the form that is missing. */
  count: u32;
  list: usize;
  bitmap: usize;
  paths: PathSet;
  rank: u32;
  max: u32;
  kind: i32;
  documents: Documents;
  evaluation: Evaluation;
  groups: CostGroups;
  wordsWalk: WordsWalk;
  levelsWalk: LevelsWalk;
  fieldsWalk: FieldsWalk;
}

/**
 * Starts a rule over documents that are given as a list, as a bitmap, or as both (otherwise 0). `paths`: the
 * paths of the query that are left.
 */
export function searchRule(rule: i32, count: u32, list: usize, bitmap: usize, paths: PathSet): RuleRun {
  const run = changetype<RuleRun>(allocRecord(offsetof<RuleRun>()));
  run.documents = newDocuments(count, list, bitmap);
  if (rule == WORDS) beginWords(run);
  else if (!beginSets(run, rule, paths)) beginCosts(run, rule, paths);
  return run;
}

/** Moves to the next bucket; 0 after the last. */
export function searchNext(run: RuleRun): i32 {
  if (run.kind == BY_COST) return i32(nextByCost(run));
  if (run.kind == BY_WORDS) return i32(nextByWords(run));
  if (run.kind == BY_LEVELS) return i32(nextByLevels(run));
  if (run.kind == BY_FIELDS) return i32(nextByFields(run));
  if (run.kind == ENDED) return 0;
  run.kind = ENDED;
  return 1;
}

function beginWords(run: RuleRun): void {
  if (nodeCount > 1) {
    run.kind = BY_WORDS;
    run.wordsWalk = newWordsWalk(run.documents);
    return;
  }
  const max = wordsMax();
  oneBucket(run, onlyWords(), max, max);
}

/** Uses sets of documents instead of a cost for each; false when the rule or the paths do not allow it. */
function beginSets(run: RuleRun, rule: i32, paths: PathSet): bool {
  if (rule == TYPO) return beginLevels(run, paths);
  return rule == ATTRIBUTE_RANK && beginFields(run, paths);
}

/** Levels of typos for one path over many documents; false when there are several paths or few documents. */
function beginLevels(run: RuleRun, paths: PathSet): bool {
  if (run.documents.count < LEVELS_DOCUMENTS_MIN) return false;
  const living = livingPaths(TYPO, paths);
  if (living.count != 1) return false;
  run.kind = BY_LEVELS;
  run.levelsWalk = newLevelsWalk(bitmapOf(run.documents), pathAt(living, 0), pathsMost(TYPO, paths));
  return true;
}

/** Levels of fields for one word; false when the documents are few, or the paths are more than one word. */
function beginFields(run: RuleRun, paths: PathSet): bool {
  if (run.documents.count < FIELDS_DOCUMENTS_MIN) return false;
  const living = livingPaths(ATTRIBUTE_RANK, paths);
  if (living.count != 1 || !hasFieldLevels(pathAt(living, 0))) return false;
  run.kind = BY_FIELDS;
  run.max = 1 + pathsMost(ATTRIBUTE_RANK, paths);
  run.fieldsWalk = newFieldsWalk(bitmapOf(run.documents), pathAt(living, 0));
  return true;
}

function beginCosts(run: RuleRun, rule: i32, paths: PathSet): void {
  const documents = run.documents;
  const evaluation = evaluate(rule, documents, paths);
  run.evaluation = evaluation;
  if (evaluation.isConstant) {
    const cost = evaluation.constant;
    oneBucket(run, claimingPaths(evaluation, cost, 0, 0), rankOf(evaluation, cost), evaluation.max);
    return;
  }
  run.kind = BY_COST;
  run.max = evaluation.max;
  run.groups = newCostGroups(listOf(documents), documents.count, evaluation.totals);
}

/** Makes all documents the only bucket. */
function oneBucket(run: RuleRun, paths: PathSet, rank: u32, max: u32): void {
  run.kind = ONE_BUCKET;
  run.count = run.documents.count;
  run.list = run.documents.list;
  run.bitmap = run.documents.bitmap;
  run.paths = paths;
  run.rank = rank;
  run.max = max;
}

function nextByCost(run: RuleRun): bool {
  const groups = run.groups;
  if (!nextGroup(groups)) return false;
  run.count = groups.size;
  run.list = groups.list;
  run.bitmap = 0;
  run.paths = claimingPaths(run.evaluation, groups.cost, groups.indexes, groups.size);
  run.rank = rankOf(run.evaluation, groups.cost);
  return true;
}

/** Takes over the bucket that was claimed. */
function takeClaimed(run: RuleRun, claims: Claims): void {
  const documents = claimedDocuments(claims);
  run.count = documents.count;
  run.list = documents.list;
  run.bitmap = documents.bitmap;
  run.paths = distinctPaths(claims.paths);
}

function nextByWords(run: RuleRun): bool {
  const walk = run.wordsWalk;
  if (!nextWords(walk)) return false;
  takeClaimed(run, walk.claims);
  run.max = walk.max;
  run.rank = walk.max - walk.cost + 1;
  return true;
}

function nextByLevels(run: RuleRun): bool {
  const walk = run.levelsWalk;
  if (!nextLevels(walk)) return false;
  takeClaimed(run, walk.claims);
  run.max = walk.most + 1;
  run.rank = walk.most + 2 - walk.base - walk.typos;
  return true;
}

function nextByFields(run: RuleRun): bool {
  const walk = run.fieldsWalk;
  if (!nextFields(walk)) return false;
  takeClaimed(run, walk.claims);
  const cost = walk.weight - 1;
  run.rank = cost > weightMax ? 1 : run.max - cost;
  return true;
}
