// Splits buckets of few documents together: a rule that judges each document on its own gets the documents of
// all buckets with the same paths at once, instead of one bucket after another. Most buckets have a document
// or two, and most of a rule's time is overhead per call. Called by the host (src/engine/search/corerule.ts).
import { alloc } from "./arena";
import { evaluatedGroup, groupByPaths } from "./bucket-groups";
import { claimingPaths } from "./choices";
import { listOf, newDocuments } from "./documents";
import { Evaluation, rankOf } from "./evaluation";
import { PathSet, WORDS } from "./records";
import { searchNext, searchRule } from "./rule";
import { addBucket, BucketList, bucketAt, newBucketList, newRanks, SmallBucket } from "./small-buckets";

/** The number of documents wanted: see searchTogether. */
let wanted: u32 = 0;
/** Smaller buckets are not split: a bucket of one document only if its ranks are wanted. */
let documentsMin: u32 = 0;

/**
 * Splits `count` buckets by some rules (u8 numbers), one rule after another. Buckets after the first `most`
 * documents are left out. `ranked`: a document that is alone in its bucket needs its ranks, too. `isLast`: no
 * later rule will look at paths. Writes the u32 address and u32 number of the buckets to `out`.
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
  documentsMin = ranked ? 0 : 2;
  let start = buckets;
  for (let i = 0; i < ruleCount; i++) {
    const split = splitBuckets(load<u8>(rules + <usize>i), start, count, isLast != 0 && i == ruleCount - 1);
    start = split.start;
    count = split.count;
  }
  store<u32>(out, <u32>start);
  store<u32>(out, count, 4);
}

function splitBuckets(rule: i32, start: usize, count: u32, isLast: bool): BucketList {
  const split = newBucketList(count);
  if (rule != WORDS) groupByPaths(rule, start, count, documentsMin);
  for (let i: u32 = 0; i < count && split.documents < wanted; i++) {
    const bucket = bucketAt(start, i);
    if (bucket.count < documentsMin) addBucket(split, bucket.list, bucket.count, bucket.paths, bucket.ranks);
    else if (rule == WORDS) splitAlone(split, bucket);
    else splitByCost(split, bucket, evaluatedGroup(rule, bucket.first), isLast);
  }
  return split;
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

/** Places of a bucket's documents in the list that was evaluated, u32 each. */
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

/** The least cost, from `from` on, that some documents have. */
function leastCost(evaluation: Evaluation, indexes: usize, count: u32, from: u32): u32 {
  let least: u32 = u32.MAX_VALUE;
  for (let at: usize = 0; at < (<usize>count) << 2; at += 4) {
    const cost: u32 = load<u16>(evaluation.totals + ((<usize>load<u32>(indexes + at)) << 1));
    if (cost >= from) least = min(least, cost);
  }
  return least;
}

/** Splits a bucket by the rule Words, which works on sets of documents. */
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
