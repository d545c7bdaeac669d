// The ranking rules of relevancy, which the core runs (assembly/search): they give each document a rank, and
// narrow the query down to paths, identified here by an address. Called by rulelist.ts and driver.ts.
//
// - words: documents that match more of the query come first; terms are dropped as the strategy says.
// - typo: those that need fewer typos come first. A term joined with its neighbours costs as many as it has
//   terms.
// - proximity: those where neighbouring terms of the query are near each other. Only pairs count, each by
//   its nearest occurrences in any field.
// - attributeRank: those whose terms are in fields named earlier in searchableAttributes.
// - wordPosition: those whose terms are at the same places as in the query.
// - exactAttribute: those where a field equals the query, then those where a field begins with it.
// - exactWords: those with more terms exactly as in the query.
import { BUCKET_LEN, RANKS_LEN, RUN_LEN } from "../../core/search.ts";
import type { Bitmaps } from "../bitmaps.ts";
import { Documents } from "./documents.ts";
import type { Bucket, NamedRule, Paths, Rank, RuleName } from "./rule.ts";
import type { SearchCore } from "./searchcore.ts";

/** In the order in which assembly/search/records.ts numbers them. */
const NAMES = [
  "words",
  "typo",
  "proximity",
  "attributeRank",
  "wordPosition",
  "exactAttribute",
  "exactWords",
] as const satisfies readonly RuleName[];

export type CoreRuleName = (typeof NAMES)[number];

/** Ranks of exactAttribute. */
export const EXACT_MATCH = 3;
export const MATCHES_START = 2;
export const NO_EXACT_MATCH = 1;

/** A few documents that are consecutive in the ranking, as address and length of an ascending list. */
export interface SmallBucket {
  list: number;
  count: number;
  paths: Paths;
  /** The ranks that earlier rules gave all of them. */
  ranks: readonly Rank[];
}

interface SplitOptions {
  /** Buckets after the first `wanted` documents are left out. */
  wanted: number;
  /** A document alone in its bucket needs its ranks, too. */
  ranked: boolean;
  /** No later rule will look at the paths. */
  isLast: boolean;
}

/** Rule number of the first entry of a chain, whose rank is the index of the bucket that was passed in. */
const ROOT = 0xffffffff;

export class CoreRule implements NamedRule {
  readonly name: CoreRuleName;
  readonly number: number;
  readonly #bitmaps: Bitmaps;

  /** @param search has begun, and knows its nodes by the time the rule is asked for buckets */
  constructor({ bitmaps }: SearchCore, name: CoreRuleName) {
    this.#bitmaps = bitmaps;
    this.name = name;
    this.number = NAMES.indexOf(name);
  }

  *buckets(documents: Documents, paths: Paths): Generator<Bucket> {
    const bitmaps = this.#bitmaps;
    const { core } = bitmaps.reader.share;
    const { exports } = core;
    const { knownList, knownBitmap } = documents;
    const run = exports.searchRule(this.number, documents.count, knownList, knownBitmap, paths);
    const at = run >>> 2;
    for (;;) {
      exports.searchExclude(bitmaps.excluded);
      if (exports.searchNext(run) === 0) return;
      const [count, list, bitmap, left, rank, max] = core.u32.subarray(at, at + RUN_LEN);
      yield {
        documents: Documents.of(bitmaps, count, bitmap, list),
        paths: left,
        rank: { rule: this.name, rank, max },
      };
    }
  }
}

/** Splits buckets by rules of the core, one rule after another; returns the resulting buckets in order. */
export function splitTogether(
  bitmaps: Bitmaps,
  rules: readonly CoreRule[],
  buckets: readonly SmallBucket[],
  { wanted, ranked, isLast }: SplitOptions,
): SmallBucket[] {
  const { core, scratch } = bitmaps.reader.share;
  const numbers = scratch.alloc(rules.length);
  rules.forEach(({ number }, i) => {
    core.u8[numbers + i] = number;
  });
  const out = scratch.alloc(8);
  core.exports.searchTogether(
    numbers,
    rules.length,
    writeBuckets(bitmaps, buckets),
    buckets.length,
    wanted,
    Number(ranked),
    Number(isLast),
    out,
  );
  const [start, count] = core.u32.subarray(out >>> 2, (out >>> 2) + 2);
  const ranksOf = ranksReader(core.u32, buckets);
  return Array.from({ length: count }, (_, i) => {
    const at = (start >>> 2) + BUCKET_LEN * i;
    const [size, list, paths, ranks] = core.u32.subarray(at, at + 4);
    return { list, count: size, paths, ranks: ranksOf(ranks) };
  });
}

function writeBuckets(bitmaps: Bitmaps, buckets: readonly SmallBucket[]): number {
  const { core, scratch } = bitmaps.reader.share;
  const start = scratch.allocZeroed(4 * BUCKET_LEN * buckets.length);
  const roots = scratch.alloc(4 * RANKS_LEN * buckets.length);
  buckets.forEach(({ count, list, paths }, i) => {
    const root = roots + 4 * RANKS_LEN * i;
    core.u32.set([0, ROOT, i, 0], root >>> 2);
    core.u32.set([count, list, paths, root], (start >>> 2) + BUCKET_LEN * i);
  });
  return start;
}

/** Reads chains of ranks, each appended to those that its bucket had; many share their beginning. */
function ranksReader(u32: Uint32Array, buckets: readonly SmallBucket[]): (ranks: number) => readonly Rank[] {
  const known = new Map<number, readonly Rank[]>();
  const read = (ranks: number): readonly Rank[] => {
    let list = known.get(ranks);
    if (list === undefined) {
      const [before, rule, rank, max] = u32.subarray(ranks >>> 2, (ranks >>> 2) + RANKS_LEN);
      list = rule === ROOT ? buckets[rank].ranks : [...read(before), { rule: NAMES[rule], rank, max }];
      known.set(ranks, list);
    }
    return list;
  };
  return read;
}
