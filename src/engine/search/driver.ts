// Runs the ranking rules inside each other until the page is full: each bucket of a rule is sorted by the
// next one. Called by search.ts.
import type { Documents } from "./documents.ts";
import type { Path } from "./graph.ts";
import type { Rank, Rule } from "./rule.ts";
import { mergedScore } from "./scores.ts";

/** A document of the page with what the rules said of it. */
export interface Hit {
  docid: number;
  ranks: readonly Rank[];
}

export interface DriverOptions {
  /** Hits to find, from the first one on. */
  wanted: number;
  /** Ranks are asked for: buckets of one document are ranked to the end, too. */
  ranked: boolean;
  /** Documents whose score stays below are no hits; null: all are. */
  threshold: number | null;
  /** Time of performance.now() when ranking stops; what is left then follows by docid. */
  deadline: number;
}

const SKIPPED: Rank = { rule: "skipped", rank: 0, max: 1 };

export class Driver {
  readonly hits: Hit[] = [];
  /** Matching documents that the threshold has refused so far. */
  refused = 0;
  /** Time ran out. */
  degraded = false;
  readonly #rules: readonly Rule[];
  readonly #options: DriverOptions;

  constructor(rules: readonly Rule[], options: DriverOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  run(documents: Documents, paths: readonly Path[]): void {
    if (documents.count > 0 && this.#options.wanted > 0) this.#visit(0, documents, paths, []);
  }

  #visit(at: number, documents: Documents, paths: readonly Path[], ranks: readonly Rank[]): void {
    const { ranked, threshold, wanted, deadline } = this.#options;
    const isDecided = documents.count === 1 && !ranked && threshold === null;
    if (at === this.#rules.length || isDecided) {
      this.#add(documents, ranks);
      return;
    }
    const buckets = this.#rules[at](documents, paths);
    const done: Documents[] = [];
    while (this.hits.length < wanted) {
      if (performance.now() > deadline) {
        this.degraded = true;
        this.#add(documents.without(done), [...ranks, SKIPPED]);
        return;
      }
      const { value: bucket, done: isEnd } = buckets.next();
      if (isEnd) return;
      const next = [...ranks, bucket.rank];
      done.push(bucket.documents);
      if (threshold !== null && mergedScore(next) < threshold) {
        // Scores only fall from here on: the rest of the rule goes, too.
        const kept = done.slice(0, -1).reduce((sum, { count }) => sum + count, 0);
        this.refused += documents.count - kept;
        return;
      }
      this.#visit(at + 1, bucket.documents, bucket.paths, next);
    }
  }

  #add(documents: Documents, ranks: readonly Rank[]): void {
    for (const docid of documents.first(this.#options.wanted - this.hits.length))
      this.hits.push({ docid, ranks });
  }
}
