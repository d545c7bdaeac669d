// Runs the ranking rules, nested, until the page is full: each bucket of a rule that overlaps the page is
// sorted by the next rule. Called by collection.ts and ../listing.ts.
import type { Bitmaps } from "../bitmaps.ts";
import { CoreRule, type SmallBucket, splitTogether } from "./corerule.ts";
import type { Distinct } from "./distinct.ts";
import { Documents } from "./documents.ts";
import { type Leading, leadingDocuments } from "./leaders.ts";
import { SAMPLED_DOCUMENTS_MIN } from "./limits.ts";
import type { NamedRule, Paths, Rank } from "./rule.ts";
import { mergedScore } from "./scores.ts";
import type { SearchCore } from "./searchcore.ts";

/** A document of the page with the ranks that the rules gave it. */
export interface Hit {
  docid: number;
  ranks: readonly Rank[];
}

interface DriverOptions {
  /** Number of documents before the page. */
  offset: number;
  /** After this many documents, counted from the first one, ranking may stop. */
  wanted: number;
  /** The ranks are needed: so buckets of one document are ranked by all rules, too. */
  ranked: boolean;
  /** Documents with a lower score are no hits; null: all are hits. */
  threshold: number | null;
  /** Only one document of each value is a hit; null: all are hits. */
  distinct: Distinct | null;
  /** Time of performance.now() at which ranking stops; the remaining documents then follow by docid. */
  deadline: number;
  /** The search, for short cuts; null: all documents of a bucket are ranked. */
  leading: SearchCore | null;
}

/** Buckets of up to this many documents are ranked together with neighbouring ones. */
const SMALL_DOCUMENTS_MAX = 256;
/** Short cuts look for at most this many documents, including those before the page. */
const LEADERS_MAX = 200;
/** With more buckets than this, rules run one at a time, so that the deadline is checked in between. */
const BUCKETS_MAX = 500;
const SKIPPED: Rank = { rule: "skipped", rank: 0, max: 1 };

export class Driver {
  /** The hits from `offset` on, up to `wanted`. */
  readonly hits: Hit[] = [];
  /** Number of documents whose place is decided, in the page or before it. */
  #placed = 0;
  /** Bitmap of the matching documents that the threshold has refused so far; 0 while there are none. */
  #refused = 0;
  /** Time ran out. */
  isDegraded = false;
  readonly #bitmaps: Bitmaps;
  readonly #rules: readonly NamedRule[];
  readonly #options: DriverOptions;
  /** Whether buckets may be ranked together: thresholds and distinct need one bucket after another. */
  readonly #mayJoin: boolean;
  /** After a short cut has failed, none is tried again. */
  #mayLead: boolean;

  constructor(bitmaps: Bitmaps, rules: readonly NamedRule[], options: DriverOptions) {
    this.#bitmaps = bitmaps;
    this.#rules = rules;
    this.#options = options;
    this.#mayJoin = options.threshold === null && options.distinct === null;
    this.#mayLead = this.#mayJoin && options.leading !== null;
  }

  run(documents: Documents, paths: Paths): void {
    const { offset, wanted } = this.#options;
    // With a threshold or distinct, dropped documents must be found even before the page.
    const isAsked = Math.min(wanted, documents.count) > (this.#mayJoin ? offset : 0);
    if (isAsked) this.#visit(0, documents, paths, []);
  }

  /** The matching documents less those that threshold and distinct are known, so far, to drop. */
  remaining(matched: number): number {
    const { excluded } = this.#bitmaps;
    if (!this.#refused && !excluded) return matched;
    const rest = this.#bitmaps.create(matched);
    if (this.#refused) this.#bitmaps.andNot(rest, this.#refused);
    this.#bitmaps.exclude(rest);
    return rest;
  }

  #visit(at: number, documents: Documents, paths: Paths, ranks: readonly Rank[]): void {
    const { ranked, threshold, offset, wanted, deadline } = this.#options;
    const isDecided = documents.count === 1 && !ranked && threshold === null;
    if (at === this.#rules.length || isDecided) {
      this.#add(documents, ranks);
      return;
    }
    if (this.#isSmall(documents)) {
      this.#rankTogether(at, [smallBucket({ documents, paths }, ranks)]);
      return;
    }
    if (this.#lead(at, documents, paths, ranks)) return;
    const buckets = this.#rules[at].buckets(documents, paths);
    const done: Documents[] = [];
    let small: SmallBucket[] = [];
    let waiting = 0;
    const rankSmall = () => {
      if (small.length > 0) this.#rankTogether(at + 1, small);
      small = [];
      waiting = 0;
    };
    while (this.#placed + waiting < wanted) {
      if (performance.now() > deadline) {
        rankSmall();
        this.isDegraded = true;
        this.#add(documents.without(done), [...ranks, SKIPPED]);
        return;
      }
      const { value: bucket, done: isEnd } = buckets.next();
      if (isEnd) break;
      const next = [...ranks, bucket.rank];
      done.push(bucket.documents);
      if (threshold !== null && mergedScore(next) < threshold) {
        // Scores only get lower from here on: the remaining buckets of the rule are dropped, too.
        const { bitmap } = documents.without(done.slice(0, -1));
        this.#refused ||= this.#bitmaps.create();
        this.#bitmaps.or(this.#refused, bitmap);
        return;
      }
      const { count } = bucket.documents;
      if (this.#mayJoin && this.#placed + waiting + count <= offset) {
        // None of its documents can be in the page, however they are ordered. (Once small buckets wait, this
        // is no longer the case: they already reach into the page.)
        this.#placed += count;
        continue;
      }
      if (this.#isSmall(bucket.documents)) {
        small.push(smallBucket(bucket, next));
        waiting += count;
        continue;
      }
      rankSmall();
      this.#visit(at + 1, bucket.documents, bucket.paths, next);
    }
    rankSmall();
  }

  #isSmall({ count }: Documents): boolean {
    return this.#mayJoin && count <= SMALL_DOCUMENTS_MAX;
  }

  /** Runs the rules from `at` on over consecutive buckets; consecutive rules of the core run in one go. */
  #rankTogether(at: number, buckets: readonly SmallBucket[]): void {
    const { ranked, wanted, deadline } = this.#options;
    let split = buckets;
    for (let rule = at; rule < this.#rules.length; ) {
      if (performance.now() > deadline) {
        this.isDegraded = true;
        split = split.map(skipped);
        break;
      }
      const most = split.length > BUCKETS_MAX ? 1 : this.#rules.length;
      const run = coreRulesFrom(this.#rules, rule).slice(0, most);
      const isLast = rule + run.length === this.#rules.length;
      const options = { wanted: wanted - this.#placed, ranked, isLast };
      if (run.length > 0) split = splitTogether(this.#bitmaps, run, split, options);
      else split = this.#splitAlone(this.#rules[rule], split, options);
      rule += Math.max(1, run.length);
    }
    const { u32 } = this.#bitmaps.reader.share.core;
    for (const { list, count, ranks } of split) {
      const room = Math.min(count, wanted - this.#placed);
      for (let i = 0; i < room; i++) this.#place({ docid: u32[(list >>> 2) + i], ranks });
    }
  }

  /**
   * Splits some buckets by a rule outside of the core. There may be as many new buckets as documents: their
   * lists are moved together, so that the memory which the rule takes for each does not add up.
   */
  #splitAlone(
    rule: NamedRule,
    buckets: readonly SmallBucket[],
    { wanted, ranked }: { wanted: number; ranked: boolean },
  ): SmallBucket[] {
    const { core, scratch } = this.#bitmaps.reader.share;
    const most = buckets.reduce((sum, { count }) => sum + count, 0);
    let free = scratch.alloc(4 * most + 16);
    const mark = scratch.mark();
    const split: SmallBucket[] = [];
    let found = 0;
    const add = (bucket: SmallBucket) => {
      core.copy(free, bucket.list, 4 * bucket.count);
      split.push({ ...bucket, list: free });
      free += 4 * bucket.count;
      found += bucket.count;
    };
    for (const bucket of buckets) {
      if (found >= wanted) break;
      if (performance.now() > this.#options.deadline) {
        this.isDegraded = true;
        add(skipped(bucket));
      } else if (!ranked && bucket.count === 1) add(bucket);
      else {
        const parts = rule.buckets(Documents.ofList(this.#bitmaps, bucket.list, bucket.count), bucket.paths);
        while (found < wanted) {
          const { value, done } = parts.next();
          if (done) break;
          add(smallBucket(value, [...bucket.ranks, value.rank]));
        }
      }
      scratch.release(mark);
    }
    return split;
  }

  /** Places the documents up to the end of the page by a short cut; false when there is none. */
  #lead(at: number, documents: Documents, paths: Paths, ranks: readonly Rank[]): boolean {
    const { leading: core, wanted } = this.#options;
    const count = wanted - this.#placed;
    if (!this.#mayLead || core === null || count > LEADERS_MAX) return false;
    if (documents.count < SAMPLED_DOCUMENTS_MIN) return false;
    const names = this.#rules.slice(at).map(({ name }) => name);
    const leading = leadingDocuments(core, names, documents, paths);
    if (!leading) return false;
    const page = leadersOf(leading, count, (part) => this.#ranked(at, part, paths, count));
    this.#mayLead = page !== null;
    for (const { docid, ranks: own } of page ?? []) this.#place({ docid, ranks: [...ranks, ...own] });
    return page !== null;
  }

  /** The first hits of some documents under the rules from `at` on; null when time ran out. */
  #ranked(at: number, documents: Documents, paths: Paths, wanted: number): readonly Hit[] | null {
    const options = { ...this.#options, offset: 0, wanted, ranked: true, leading: null };
    const driver = new Driver(this.#bitmaps, this.#rules.slice(at), options);
    driver.run(documents, paths);
    return driver.isDegraded ? null : driver.hits;
  }

  #add(documents: Documents, ranks: readonly Rank[]): void {
    const { wanted, distinct } = this.#options;
    const room = wanted - this.#placed;
    // Without rules, documents come one by one, and those after the page are not looked at.
    const kept = distinct ? distinct.keep(documents, this.#rules.length ? documents.count : room) : documents;
    for (const docid of kept.first(room)) this.#place({ docid, ranks });
  }

  #place(hit: Hit): void {
    if (this.#placed >= this.#options.offset) this.hits.push(hit);
    this.#placed++;
  }
}

const smallBucket = (
  { documents, paths }: { documents: Documents; paths: Paths },
  ranks: readonly Rank[],
): SmallBucket => ({ list: documents.list, count: documents.count, paths, ranks });

/** A bucket that no further rule will look at. */
const skipped = (bucket: SmallBucket): SmallBucket =>
  bucket.ranks.at(-1) === SKIPPED ? bucket : { ...bucket, ranks: [...bucket.ranks, SKIPPED] };

/** The consecutive rules of the core from `at` on. */
function coreRulesFrom(rules: readonly NamedRule[], at: number): CoreRule[] {
  const run: CoreRule[] = [];
  for (const rule of rules.slice(at)) {
    if (!(rule instanceof CoreRule)) break;
    run.push(rule);
  }
  return run;
}

/**
 * The page found by a short cut; null when there is none. `rank`: returns the first hits of a part, null when
 * time ran out.
 */
function leadersOf(
  leading: Leading,
  count: number,
  rank: (part: Documents) => readonly Hit[] | null,
): readonly Hit[] | null {
  let bestShare = 1;
  for (const part of leading.parts(count)) {
    // The previous part shows how many best ones to expect; by chance there may be twice as many.
    if (bestShare * part.count * 2 < count) return null;
    const hits = rank(part);
    if (hits === null) return null;
    bestShare = hits.filter((hit) => leading.isBest(hit.ranks)).length / part.count;
    if (hits.length < count || !leading.isBest(hits[count - 1].ranks)) continue;
    const completed = leading.completed(part);
    return completed === part ? hits : completed && rank(completed);
  }
  return null;
}
