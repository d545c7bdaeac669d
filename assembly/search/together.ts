// Buckets of few documents, split together: a rule that looks at each document alone takes all documents at
// once whose query may be read alike, instead of one bucket after the other. Most buckets have a document or
// two, and what a rule costs is mostly the asking. Called by the host (src/engine/search/corerule.ts).
import { sortKeys } from "../ranking-near";
import { alloc, allocRecord } from "./arena";
import { newDocuments } from "./context";
import { listOf } from "./documents";
import { claimingPaths, Evaluation, evaluate, previousOf, rankOf } from "./evaluation";
import { areSamePaths, itemAt, pathAt } from "./paths";
import { PathSet, PROXIMITY, WORDS } from "./records";
import { searchNext, searchRule } from "./rule";
import { stepLooksAround } from "./steps";

/** Host. Documents that follow each other; the host reads and writes the first four. */
@unmanaged
export class SmallBucket {
  count: u32;
  /** Ascending u32 docids. */
  list: usize;
  paths: PathSet;
  /** What the rules said of all of them: the newest of a chain. */
  ranks: Ranks;
  /** The first one of those that are evaluated together, the next one, and, of the first, the last. */
  first: SmallBucket;
  next: SmallBucket;
  last: SmallBucket;
  /** Of the first one: what the rule says of the documents of all of them, which `union` lists. */
  evaluation: Evaluation;
  union: usize;
  unionCount: u32;
}

/** What a rule said, and what the rule before it did. */
@unmanaged
export class Ranks {
  before: Ranks;
  rule: i32;
  rank: u32;
  max: u32;
}

/** Buckets in order. */
@unmanaged
class BucketList {
  start: usize;
  count: u32;
  capacity: u32;
  /** Documents of all of them. */
  documents: u32;
}

/** What is asked for: see searchTogether. */
let wanted: u32 = 0;
let isRanked: bool = false;

/**
 * Splits `count` buckets by some rules (u8 numbers) one after the other. Buckets behind `most` documents are
 * left out. `ranked`: the ranks of a document that is alone in its bucket are asked for, too. `isLast`: no
 * rule follows that would look at paths. Writes u32 address and u32 number of the buckets to `out`.
 */
export function searchTogether(
  rules: usize,
  ruleCount: i32,
  buckets: usize,
  count: u32,
  most: u32,
  ranked: i32,
  isLast: i32,
  out: usize,
): void {
  wanted = most;
  isRanked = ranked != 0;
  let start = buckets;
  for (let i = 0; i < ruleCount; i++) {
    const split = splitBuckets(load<u8>(rules + <usize>i), start, count, isLast != 0 && i == ruleCount - 1);
    start = split.start;
    count = split.count;
  }
  store<u32>(out, <u32>start);
  store<u32>(out, count, 4);
}

function bucketAt(start: usize, index: u32): SmallBucket {
  return changetype<SmallBucket>(start + <usize>index * offsetof<SmallBucket>());
}

function splitBuckets(rule: i32, start: usize, count: u32, isLast: bool): BucketList {
  const split = changetype<BucketList>(allocRecord(offsetof<BucketList>()));
  split.capacity = count + 16;
  split.start = allocRecord(<usize>split.capacity * offsetof<SmallBucket>());
  if (rule != WORDS) groupByPaths(rule, start, count);
  for (let i: u32 = 0; i < count && split.documents < wanted; i++) {
    const bucket = bucketAt(start, i);
    if (!isAskedAbout(bucket)) addBucket(split, bucket.list, bucket.count, bucket.paths, bucket.ranks);
    else if (rule == WORDS) splitAlone(split, bucket);
    else splitByCost(split, bucket, evaluatedGroup(rule, bucket.first), isLast);
  }
  return split;
}

/** A document alone is not asked about unless its ranks are. */
function isAskedAbout(bucket: SmallBucket): bool {
  return isRanked || bucket.count > 1;
}

/** Puts buckets with the same paths together; alone where a rule looks around in them. */
function groupByPaths(rule: i32, start: usize, count: u32): void {
  const firsts = alloc((<usize>count) << 2);
  let groups: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const bucket = bucketAt(start, i);
    bucket.first = bucket;
    bucket.last = bucket;
    bucket.next = changetype<SmallBucket>(0);
    bucket.evaluation = changetype<Evaluation>(0);
    if (!isAskedAbout(bucket)) continue;
    let group: u32 = 0;
    while (group < groups && !areSamePaths(firstOf(firsts, group).paths, bucket.paths)) group++;
    const first = group < groups ? firstOf(firsts, group) : bucket;
    // Most groups have one bucket: only the second one has to know.
    if (first == bucket || pathsLookAround(rule, bucket.paths)) {
      store<u32>(firsts + ((<usize>(groups++)) << 2), <u32>changetype<usize>(bucket));
      continue;
    }
    bucket.first = first;
    first.last.next = bucket;
    first.last = bucket;
  }
}

function firstOf(firsts: usize, group: u32): SmallBucket {
  return changetype<SmallBucket>(<usize>load<u32>(firsts + ((<usize>group) << 2)));
}

function pathsLookAround(rule: i32, paths: PathSet): bool {
  if (rule != PROXIMITY) return false;
  for (let i: u32 = 0; i < paths.count; i++) {
    const path = pathAt(paths, i);
    for (let at: u32 = 1; at < path.length; at++) {
      if (stepLooksAround(rule, previousOf(path, at), itemAt(path, at))) return true;
    }
  }
  return false;
}

/** The first bucket of a group, with what a rule says of the documents of all. */
function evaluatedGroup(rule: i32, first: SmallBucket): SmallBucket {
  if (changetype<usize>(first.evaluation)) return first;
  let documents: u32 = 0;
  for (let own = first; changetype<usize>(own); own = own.next) documents += own.count;
  first.union = first.list;
  first.unionCount = documents;
  if (documents > first.count) {
    first.union = alloc(((<usize>documents) << 2) + 16);
    let end = first.union;
    for (let own = first; changetype<usize>(own); own = own.next) {
      memory.copy(end, own.list, (<usize>own.count) << 2);
      end += (<usize>own.count) << 2;
    }
    sortKeys(first.union, end);
  }
  first.evaluation = evaluate(rule, newDocuments(documents, first.union, 0), first.paths);
  return first;
}

function splitByCost(split: BucketList, bucket: SmallBucket, first: SmallBucket, isLast: bool): void {
  const evaluation = first.evaluation;
  if (evaluation.isConstant) {
    const paths = isLast ? bucket.paths : claimingPaths(evaluation, evaluation.constant, 0, 0);
    addRanked(split, bucket, evaluation, evaluation.constant, bucket.list, bucket.count, paths);
    return;
  }
  const indexes = indexesOf(bucket, first);
  const list = alloc((<usize>bucket.count) << 2);
  const members = alloc((<usize>bucket.count) << 2);
  let placed: u32 = 0;
  let cost = leastCost(evaluation, indexes, bucket.count, 0);
  while (placed < bucket.count && split.documents < wanted) {
    const begin = placed;
    for (let i: usize = 0; i < <usize>bucket.count; i++) {
      const index = load<u32>(indexes + (i << 2));
      if (<u32>load<u16>(evaluation.totals + ((<usize>index) << 1)) != cost) continue;
      store<u32>(list + ((<usize>placed) << 2), load<u32>(bucket.list + (i << 2)));
      store<u32>(members + ((<usize>(placed++)) << 2), index);
    }
    const own = (<usize>begin) << 2;
    const size = placed - begin;
    const paths = isLast ? bucket.paths : claimingPaths(evaluation, cost, members + own, size);
    addRanked(split, bucket, evaluation, cost, list + own, size, paths);
    if (placed < bucket.count) cost = leastCost(evaluation, indexes, bucket.count, cost + 1);
  }
}

/** Where the documents of a bucket stand in the list that was evaluated, u32 each. */
function indexesOf(bucket: SmallBucket, first: SmallBucket): usize {
  const indexes = alloc((<usize>bucket.count) << 2);
  const isWhole = bucket.count == first.unionCount;
  let low: u32 = 0;
  for (let i: u32 = 0; i < bucket.count; i++) {
    const docid = load<u32>(bucket.list + ((<usize>i) << 2));
    for (let high = isWhole ? low : first.unionCount - 1; low < high; ) {
      const middle = (low + high) >>> 1;
      if (load<u32>(first.union + ((<usize>middle) << 2)) < docid) low = middle + 1;
      else high = middle;
    }
    store<u32>(indexes + ((<usize>i) << 2), low++);
  }
  return indexes;
}

/** The least cost of some documents from `from` on. */
function leastCost(evaluation: Evaluation, indexes: usize, count: u32, from: u32): u32 {
  let least: u32 = u32.MAX_VALUE;
  for (let at: usize = 0; at < (<usize>count) << 2; at += 4) {
    const cost: u32 = load<u16>(evaluation.totals + ((<usize>load<u32>(indexes + at)) << 1));
    if (cost >= from) least = min(least, cost);
  }
  return least;
}

/** Splits a bucket by the rule Words, which looks at sets of documents. */
function splitAlone(split: BucketList, bucket: SmallBucket): void {
  const run = searchRule(WORDS, bucket.count, bucket.list, 0, bucket.paths);
  while (split.documents < wanted && searchNext(run)) {
    const list = listOf(newDocuments(run.count, run.list, run.bitmap));
    addBucket(split, list, run.count, run.paths, newRanks(bucket.ranks, WORDS, run.rank, run.max));
  }
}

function addRanked(
  split: BucketList,
  bucket: SmallBucket,
  evaluation: Evaluation,
  cost: u32,
  list: usize,
  count: u32,
  paths: PathSet,
): void {
  const rank = rankOf(evaluation, cost);
  addBucket(split, list, count, paths, newRanks(bucket.ranks, evaluation.rule, rank, evaluation.max));
}

function newRanks(before: Ranks, rule: i32, rank: u32, max: u32): Ranks {
  const ranks = changetype<Ranks>(allocRecord(offsetof<Ranks>()));
  ranks.before = before;
  ranks.rule = rule;
  ranks.rank = rank;
  ranks.max = max;
  return ranks;
}

function addBucket(split: BucketList, list: usize, count: u32, paths: PathSet, ranks: Ranks): void {
  if (split.count == split.capacity) {
    const bytes = <usize>split.capacity * offsetof<SmallBucket>();
    const larger = allocRecord(2 * bytes);
    memory.copy(larger, split.start, bytes);
    split.start = larger;
    split.capacity <<= 1;
  }
  const bucket = bucketAt(split.start, split.count++);
  bucket.count = count;
  bucket.list = list;
  bucket.paths = paths;
  bucket.ranks = ranks;
  split.documents += count;
}
