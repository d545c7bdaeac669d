// Buckets of few documents, split together: a rule that looks at each document alone takes all documents at
// once whose query may be read alike, instead of one bucket after the other. Most buckets have a document or
// two, and what a rule costs is mostly the asking. Called by driver.ts.
import type { Bitmaps } from "./bitmaps.ts";
import { listed } from "./columnsort.ts";
import type { Path } from "./graph.ts";
import type { Grading, NamedRule, Rank } from "./rule.ts";

export interface SmallBucket {
  /** Ascending. */
  docids: readonly number[];
  paths: readonly Path[];
  /** What the rules before said of all of them. */
  ranks: readonly Rank[];
}

export interface SplitOptions {
  /** Buckets behind so many documents are left out. */
  wanted: number;
  /** The ranks of a document that is alone in its bucket are asked for, too. */
  ranked: boolean;
  /** No rule follows that would look at paths. */
  isLast: boolean;
}

/** The buckets that a rule makes of some buckets, in order. */
export function splitTogether(
  bitmaps: Bitmaps,
  rule: NamedRule,
  buckets: readonly SmallBucket[],
  options: SplitOptions,
): SmallBucket[] {
  const parts = new Map<SmallBucket, readonly SmallBucket[]>();
  const open = options.ranked ? buckets : buckets.filter(({ docids }) => docids.length > 1);
  for (const alike of rule.grade ? groupByPaths(rule, open) : []) {
    const docids = alike.length === 1 ? alike[0].docids : unionOf(alike);
    const grading = rule.grade!(listed(bitmaps, docids), alike[0].paths);
    const places = alike.length === 1 ? null : new Map(docids.map((docid, place) => [docid, place]));
    for (const bucket of alike) parts.set(bucket, splitByGrade(bucket, grading, places, options));
  }
  const split: SmallBucket[] = [];
  let count = 0;
  for (const bucket of buckets) {
    const isOpen = options.ranked || bucket.docids.length > 1;
    const left = options.wanted - count;
    for (const part of parts.get(bucket) ?? (isOpen ? splitAlone(bitmaps, rule, bucket, left) : [bucket])) {
      if (count >= options.wanted) return split;
      split.push(part);
      count += part.docids.length;
    }
  }
  return split;
}

/** Buckets with the same paths, which are made of the same items; alone where a rule looks around in them. */
function groupByPaths(rule: NamedRule, buckets: readonly SmallBucket[]): SmallBucket[][] {
  const groups: { members: SmallBucket[]; isAlone: boolean | null }[] = [];
  for (const bucket of buckets) {
    const group = groups.find(({ members: [first] }) => areSame(first.paths, bucket.paths));
    // Most groups have one bucket: only the second one has to know.
    if (group) group.isAlone ??= rule.looksAround?.(bucket.paths) ?? false;
    if (group?.isAlone === false) group.members.push(bucket);
    else groups.push({ members: [bucket], isAlone: null });
  }
  return groups.map(({ members }) => members);
}

function areSame(left: readonly Path[], right: readonly Path[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every((path, i) => {
    const other = right[i];
    return path.length === other.length && path.every((item, at) => item === other[at]);
  });
}

const unionOf = (buckets: readonly SmallBucket[]): number[] =>
  buckets.flatMap(({ docids }) => docids).sort((a, b) => a - b);

/** `places`: of the documents among those that were graded; null: they were graded as they stand. */
function splitByGrade(
  { docids, paths, ranks }: SmallBucket,
  { grades, rankOf, pathsOf }: Grading,
  places: ReadonlyMap<number, number> | null,
  { isLast }: SplitOptions,
): SmallBucket[] {
  const part = (grade: number, members: readonly number[], own: readonly number[]): SmallBucket => ({
    docids: own,
    paths: isLast ? paths : pathsOf(grade, members),
    ranks: [...ranks, rankOf(grade)],
  });
  const members = docids.map((docid, place) => places?.get(docid) ?? place);
  if (grades === null) return [part(0, members, docids)];
  if (docids.length === 1) return [part(grades[members[0]], members, docids)];
  const groups = new Map<number, { members: number[]; own: number[] }>();
  members.forEach((member, i) => {
    const group = groups.get(grades[member]);
    if (!group) groups.set(grades[member], { members: [member], own: [docids[i]] });
    else {
      group.members.push(member);
      group.own.push(docids[i]);
    }
  });
  const inOrder = [...groups].sort(([a], [b]) => a - b);
  return inOrder.map(([grade, group]) => part(grade, group.members, group.own));
}

function splitAlone(
  bitmaps: Bitmaps,
  rule: NamedRule,
  { docids, paths, ranks }: SmallBucket,
  wanted: number,
): SmallBucket[] {
  const parts: SmallBucket[] = [];
  const buckets = rule.buckets(listed(bitmaps, docids), paths);
  for (let count = 0; count < wanted; ) {
    const { value, done } = buckets.next();
    if (done) break;
    parts.push({
      docids: value.documents.first(value.documents.count),
      paths: value.paths,
      ranks: [...ranks, value.rank],
    });
    count += value.documents.count;
  }
  return parts;
}
