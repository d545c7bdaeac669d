// The rule Words: documents that match more of the query come first. A path may skip a term that the matching
// strategy lets go; terms that were to go before it must then be skipped too, to its right. Also the matched
// set of a search: what is left of the graph when all that can go has gone. Called by rulelist.ts and
// collection.ts.

import { Claims } from "./claims.ts";
import type { Node } from "./derive.ts";
import type { Documents } from "./documents.ts";
import { ALL, type Item, type Items, type Path } from "./graph.ts";
import type { Matching } from "./matching.ts";
import type { Removal } from "./removal.ts";
import type { Bucket, Rule } from "./rule.ts";

/** The terms of a query as the rule sees them. */
export interface Query {
  nodes: readonly Node[];
  items: Items;
  /** Number of terms. */
  terms: number;
  removal: Removal;
}

/** Documents of `universe` that match the terms which cannot be let go. */
export function matchedDocuments(matching: Matching, query: Query, universe: number): number {
  const { bitmaps } = matching.lookups;
  const reached: number[] = [universe];
  for (let id = 0; id < query.terms; id++) {
    if (!reached[id]) continue;
    const reach = (at: number, documents: number) => {
      reached[at] = bitmaps.union([reached[at] ?? 0, documents]);
    };
    for (const node of query.nodes) {
      if (node.from !== id) continue;
      const documents = matching.documents(query.items.of(node, ALL));
      if (query.removal.isRemovable(node)) reach(node.to + 1, reached[id]);
      else if (documents) reach(node.to + 1, bitmaps.intersection(reached[id], documents));
    }
  }
  return reached[query.terms] || bitmaps.create();
}

export function wordsRule(matching: Matching, query: Query): Rule {
  return {
    buckets: (documents) =>
      query.nodes.length === 1
        ? onlyBucket(matching, query, documents)
        : new WordsBuckets(matching, query, documents).buckets(),
  };
}

/** The documents of a single term are all there are. */
function* onlyBucket(matching: Matching, query: Query, documents: Documents): Generator<Bucket> {
  const { max } = ranksOf(query);
  const paths = itemsFrom(matching, query, 0).map((item) => [item]);
  yield { documents, paths, rank: { rule: "words", rank: max, max } };
}

/** Items that match something and begin with term `id`, shorter ones first. */
const itemsFrom = (matching: Matching, { nodes, items }: Query, id: number): Item[] =>
  nodes
    .filter(({ from }) => from === id)
    .map((node) => items.of(node, ALL))
    .filter((item) => matching.documents(item) !== 0);

/** The best rank, and how many terms can go. */
function ranksOf({ nodes, removal }: Query): { max: number; removable: number } {
  const single = nodes.filter(({ ngram }) => !ngram);
  const removable = single.filter((node) => removal.isRemovable(node)).length;
  const words = single.flatMap(({ phrase }) => phrase?.slots.filter((word) => word !== null) ?? []).length;
  return { max: 1 + Math.max(0, words - 1) + removable, removable };
}

class WordsBuckets {
  readonly #matching: Matching;
  readonly #query: Query;
  readonly #claims: Claims;
  /** By first term: see itemsFrom. */
  readonly #items: Item[][];
  /** Room for a bitmap at each depth of the walk. */
  readonly #steps: number[];
  readonly #max: number;
  readonly #removable: number;

  constructor(matching: Matching, query: Query, documents: Documents) {
    const { bitmaps } = matching.lookups;
    this.#matching = matching;
    this.#query = query;
    this.#claims = new Claims(bitmaps, documents);
    this.#items = Array.from({ length: query.terms }, (_, id) => itemsFrom(matching, query, id));
    this.#steps = Array.from({ length: query.terms }, () => bitmaps.room());
    const { max, removable } = ranksOf(query);
    this.#max = max;
    this.#removable = removable;
  }

  *buckets(): Generator<Bucket> {
    for (let cost = 0; cost <= this.#removable && this.#claims.begin(); cost++) {
      this.#walk(0, this.#claims.left, cost, 0, []);
      const bucket = this.#claims.bucket({ rule: "words", rank: this.#max - cost, max: this.#max });
      if (bucket) yield bucket;
    }
  }

  /**
   * Claims the candidates of all choices of `cost` from term `id` on; nothing removed before `floor` may be
   * matched.
   */
  #walk(id: number, candidates: number, cost: number, floor: number, kept: Path): void {
    if (id === this.#query.terms) {
      if (cost === 0) this.#claims.claim(candidates, kept);
      return;
    }
    const { bitmaps } = this.#matching.lookups;
    const { removal, nodes } = this.#query;
    const term = nodes.find((node) => node.from === id && !node.ngram)!;
    if (cost > 0 && removal.isRemovable(term)) {
      this.#walk(id + 1, candidates, cost - 1, Math.max(floor, removal.orderOf(term)), kept);
    }
    for (const item of this.#items[id]) {
      if (removal.orderOf(item.node) < floor || cost > this.#query.terms - item.node.to - 1) continue;
      const step = this.#steps[kept.length];
      bitmaps.intersect(step, candidates, this.#matching.documents(item));
      if (bitmaps.any(step)) this.#walk(item.node.to + 1, step, cost, floor, [...kept, item]);
    }
  }
}
