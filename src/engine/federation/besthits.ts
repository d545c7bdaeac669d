// The best hits of the queries that one thread runs for a federated search. Most hits are never shown: one
// that is worse than as many others as the answer can hold is dropped before it is written. Filled by
// indexsearch.ts, for groupsearch.ts.
import type { ScoreValue } from "../search/scorevalues.ts";
import type { IndexHit } from "./asked.ts";
import { comparePositioned, mergedHits, type Positioned } from "./merge.ts";

type HitPlace = Omit<IndexHit, "bytes">;

export class FoundHit implements HitPlace {
  readonly position: number;
  readonly order: number;
  readonly docid: number;
  readonly values: readonly ScoreValue[];
  readonly weightedScore: number;
  readonly keys: readonly string[] | null;
  /** True when the hit can only be written while its query runs. */
  readonly isFleeting: boolean;
  readonly #make: (hit: FoundHit) => string;
  #json: string | null = null;

  constructor(place: HitPlace, isFleeting: boolean, make: (hit: FoundHit) => string) {
    this.position = place.position;
    this.order = place.order;
    this.docid = place.docid;
    this.values = place.values;
    this.weightedScore = place.weightedScore;
    this.keys = place.keys;
    this.isFleeting = isFleeting;
    this.#make = make;
  }

  /** JSON as it is sent; made once. */
  write(): string {
    this.#json ??= this.#make(this);
    return this.#json;
  }
}

export interface BestHits {
  /** False when neither this hit of a query nor those after it can be shown. */
  admits(hit: Positioned): boolean;
  /** Adds hits of one query, best first; all queries about an index come in a row. */
  add(hits: readonly FoundHit[]): void;
  /**
   * Called when all queries about an index have run. Returns the documents that a distinct value keeps out of
   * the answer.
   */
  endIndex(): readonly number[];
  /**
   * Called when all indexes were searched: leaves out as many of the first hits, where their order is known.
   * Returns how many.
   */
  pass(count: number): number;
  /** The lists, each best first. */
  readonly lists: readonly (readonly FoundHit[])[];
}

/**
 * `canForget`: the hits of each query are ordered by their scores, and whether one is shown does not depend
 * on those of other indexes.
 */
export const bestHits = (wanted: number, canForget: boolean): BestHits =>
  canForget ? new BestOfAll(wanted) : new BestByIndex(wanted);

/** One list across all indexes. A document that several queries find is in it once. */
class BestOfAll implements BestHits {
  readonly #wanted: number;
  #best: FoundHit[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  get lists(): FoundHit[][] {
    return [this.#best];
  }

  admits(hit: Positioned): boolean {
    const { length } = this.#best;
    return length < this.#wanted || (length > 0 && comparePositioned(hit, this.#best[length - 1]) < 0);
  }

  add(hits: readonly FoundHit[]): void {
    if (hits.length === 0) return;
    const [{ order, isFleeting }] = hits;
    const best: FoundHit[] = [];
    const seen = new Set<number>();
    for (const hit of mergedHits([this.#best, hits])) {
      if (best.length === this.#wanted) break;
      if (hit.order === order) {
        if (seen.has(hit.docid)) continue;
        seen.add(hit.docid);
      }
      best.push(hit);
    }
    this.#best = best;
    if (isFleeting) writeFleeting(best);
  }

  endIndex(): number[] {
    return [];
  }

  pass(count: number): number {
    const { length } = this.#best;
    this.#best = this.#best.slice(count);
    return length - this.#best.length;
  }
}

/**
 * One list for each index: the same whichever other indexes the thread searches. Which hits a distinct value
 * drops depends on the hits of all indexes, and a hybrid query finds its hits in an order of its own: so no
 * hit can be dropped early.
 */
class BestByIndex implements BestHits {
  readonly lists: FoundHit[][] = [];
  readonly #wanted: number;
  /** Hits of the queries about the current index. */
  #queries: (readonly FoundHit[])[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  admits(): boolean {
    return true;
  }

  add(hits: readonly FoundHit[]): void {
    writeFleeting(hits);
    this.#queries.push(hits);
  }

  endIndex(): number[] {
    const dropped: number[] = [];
    const best: FoundHit[] = [];
    const seen = new Set<number>();
    const keys = new Set<string>();
    for (const hit of mergedHits(this.#queries)) {
      if (best.length === this.#wanted) break;
      if (seen.has(hit.docid)) continue;
      seen.add(hit.docid);
      if (hit.keys?.some((key) => keys.has(key))) {
        dropped.push(hit.docid);
        continue;
      }
      for (const key of hit.keys ?? []) keys.add(key);
      best.push(hit);
    }
    this.lists.push(best);
    this.#queries = [];
    return dropped;
  }

  pass(): number {
    return 0;
  }
}

function writeFleeting(hits: readonly FoundHit[]): void {
  for (const hit of hits) if (hit.isFleeting) hit.write();
}
