// Buckets of few documents, what rules said of them, and growing lists of them. Called by together.ts and
// bucket-groups.ts.
import { allocRecord } from "./arena";
import { Evaluation } from "./evaluation";
import { PathSet } from "./records";

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
export class BucketList {
  start: usize;
  count: u32;
  capacity: u32;
  /** Documents of all of them. */
  documents: u32;
}

/** A list that will have some more than `count` buckets. */
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
