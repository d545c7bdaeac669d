// The best hits of the queries that one thread runs for a federated search. Most of what queries find is
// never shown: a hit that is worse than as many others as the answer can have is forgotten unwritten.
// Filled by indexsearch.ts, for groupsearch.ts.
import type { IndexHit } from "./asked.ts";
import { comparePositioned, mergedHits, type Positioned } from "./merge.ts";
import type { ScoreValue } from "./scorevalues.ts";

type HitPlace = Omit<IndexHit, "bytes">;

export class FoundHit implements HitPlace {
  readonly position: number;
  readonly order: number;
  readonly docid: number;
  readonly values: readonly ScoreValue[];
  readonly weightedScore: number;
  readonly keys: readonly string[] | null;
  /** It can be written only while its query runs. */
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

  /** JSON as it goes out; made once. */
  write(): string {
    this.#json ??= this.#make(this);
    return this.#json;
  }
}

export interface BestHits {
  /** False: neither this hit of a query can be shown, nor those behind it. */
  admits(hit: Positioned): boolean;
  /** Hits of one query, best first; the queries about an index follow each other. */
  add(hits: readonly FoundHit[]): void;
  /** All queries about an index have run. The documents that a distinct value keeps out of the answer. */
  endIndex(): readonly number[];
  /** Each best first. */
  readonly lists: readonly (readonly FoundHit[])[];
}

/**
 * `canForget`: the hits of each query are in the order of their scores, and whether one is shown does not
 * depend on those of other indexes.
 */
export const bestHits = (wanted: number, canForget: boolean): BestHits =>
  canForget ? new BestOfAll(wanted) : new BestByIndex(wanted);

/** One list over all indexes. A document that several queries find is there once. */
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
}

/**
 * A list for each index: the same whichever indexes the thread has beside it. What a distinct value drops
 * depends on the hits of all indexes, and a hybrid query finds its hits in an order of its own: so none can
 * be forgotten.
 */
class BestByIndex implements BestHits {
  readonly lists: FoundHit[][] = [];
  readonly #wanted: number;
  /** Of the queries about the index at hand. */
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
}

function writeFleeting(hits: readonly FoundHit[]): void {
  for (const hit of hits) if (hit.isFleeting) hit.write();
}
