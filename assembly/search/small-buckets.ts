// Buckets of few documents, the ranks that rules gave them, and growing lists of them. Called by together.ts
// and bucket-groups.ts.
import { allocRecord } from "./arena";
import { Evaluation } from "./evaluation";
import { PathSet } from "./records";

/** Host. Documents that are consecutive in the ranking; the host reads and writes the first four fields. */
@unmanaged
export class SmallBucket {
  count: u32;
  /** Ascending u32 docids. */
  list: usize;
  paths: PathSet;
  /** The ranks of all of them: the newest entry of a chain. */
  ranks: Ranks;
  /**
   * The first bucket of those evaluated together; below, the next one, and, in the first bucket, the last
   * one.
   */
  first: SmallBucket;
  next: SmallBucket;
  last: SmallBucket;
  /** In the first bucket: the rule's evaluation of the documents of all of them, which `union` lists. */
  evaluation: Evaluation;
  union: usize;
  unionCount: u32;
}

/** The rank that a rule gave, linked to the rank that the previous rule gave. */
@unmanaged
export class Ranks {
  before: Ranks;
  rule: i32;
  rank: u32;
  max: u32;
}

/** Buckets in order. */
@unmanaged
export class BucketList {
  start: usize;
  count: u32;
  capacity: u32;
  /** Number of documents in all of them. */
  documents: u32;
}

/** A list that will have somewhat more than `count` buckets. */
export function newBucketList(count: u32): BucketList {
  const buckets = changetype<BucketList>(allocRecord(offsetof<BucketList>()));
  buckets.capacity = count + 16;
  buckets.start = allocRecord(<usize>buckets.capacity * offsetof<SmallBucket>());
  return buckets;
}

export function bucketAt(start: usize, index: u32): SmallBucket {
  return changetype<SmallBucket>(start + <usize>index * offsetof<SmallBucket>());
}

export function addBucket(split: BucketList, list: usize, count: u32, paths: PathSet, ranks: Ranks): void {
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

export function newRanks(before: Ranks, rule: i32, rank: u32, max: u32): Ranks {
  const ranks = changetype<Ranks>(allocRecord(offsetof<Ranks>()));
  ranks.before = before;
  ranks.rule = rule;
  ranks.rank = rank;
  ranks.max = max;
  return ranks;
}
