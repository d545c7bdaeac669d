// Groups small buckets whose documents a rule can look at together, since they share their paths. Called by
// together.ts.
import { sortKeys } from "../ranking-near";
import { alloc } from "./arena";
import { newDocuments } from "./documents";
import { Evaluation, evaluate } from "./evaluation";
import { areSamePaths, itemAt, pathAt, previousOf } from "./paths";
import { PathSet, PROXIMITY } from "./records";
import { bucketAt, SmallBucket } from "./small-buckets";
import { stepLooksAround } from "./steps";

/**
 * Groups buckets of at least `least` documents that have the same paths; a bucket stays alone if the rule's
 * costs depend on the other documents in it.
 */
export function groupByPaths(rule: i32, start: usize, count: u32, least: u32): void {
  const firsts = alloc((<usize>count) << 2);
  let groups: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const bucket = bucketAt(start, i);
    bucket.first = bucket;
    bucket.last = bucket;
    bucket.next = changetype<SmallBucket>(0);
    bucket.evaluation = changetype<Evaluation>(0);
    if (bucket.count < least) continue;
    let group: u32 = 0;
    while (group < groups && !areSamePaths(firstOf(firsts, group).paths, bucket.paths)) group++;
    const first = group < groups ? firstOf(firsts, group) : bucket;
    // Most groups have a single bucket: so this is only checked when a second one is found.
    if (first == bucket || pathsLookAround(rule, bucket.paths)) {
      store<u32>(firsts + ((<usize>(groups++)) << 2), <u32>changetype<usize>(bucket));
      continue;
    }
    bucket.first = first;
    first.last.next = bucket;
    first.last = bucket;
  }
}

/** The first bucket of a group, with the rule's evaluation of the documents of the whole group. */
export function evaluatedGroup(rule: i32, first: SmallBucket): SmallBucket {
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
