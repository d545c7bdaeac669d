// The rule Words: documents that match more of the query come first. A path may skip a term that the matching
// strategy lets go; terms that were to go before it must then be skipped too, to its right. Also the matched
// set of a search: what is left of the graph when all that can go has gone. Called by rulelist.ts and
// search.ts.
import type { Node } from "./derive.ts";
import { Documents } from "./documents.ts";
import { ALL, distinctPaths, type Item, type Items, type Path } from "./graph.ts";
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
  return (documents) => new WordsBuckets(matching, query, documents).buckets();
}

class WordsBuckets {
  readonly #matching: Matching;
  readonly #query: Query;
  readonly #documents: Documents;
  /** Candidates that no bucket has. */
  #left = 0;
  /** Items that match something, by their first term, shorter ones first. */
  readonly #items: Item[][];
  /** Room for a bitmap at each depth of the walk. */
  #steps: number[] = [];
  readonly #max: number;
  readonly #removable: number;
  #found = 0;
  #paths: Path[] = [];

  constructor(matching: Matching, query: Query, documents: Documents) {
    this.#matching = matching;
    this.#query = query;
    this.#documents = documents;
    this.#items = Array.from({ length: query.terms }, (_, id) =>
      query.nodes
        .filter(({ from }) => from === id)
        .map((node) => query.items.of(node, ALL))
        .filter((item) => matching.documents(item) !== 0),
    );
    const single = query.nodes.filter(({ ngram }) => !ngram);
    this.#removable = single.filter((node) => query.removal.isRemovable(node)).length;
    const words = single.flatMap(({ phrase }) => phrase?.slots.filter((word) => word !== null) ?? []).length;
    this.#max = 1 + Math.max(0, words - 1) + this.#removable;
  }

  *buckets(): Generator<Bucket> {
    const { bitmaps } = this.#matching.lookups;
    const { nodes, terms } = this.#query;
    if (nodes.length === 1) {
      // Its documents are all there are.
      const rank = { rule: "words" as const, rank: this.#max, max: this.#max };
      yield { documents: this.#documents, paths: this.#items[0].map((item) => [item]), rank };
      return;
    }
    this.#left = bitmaps.create(this.#documents.bitmap);
    this.#steps = Array.from({ length: terms }, () => bitmaps.room());
    for (let cost = 0; cost <= this.#removable && bitmaps.any(this.#left); cost++) {
      bitmaps.exclude(this.#left);
      this.#found = 0;
      this.#paths = [];
      this.#walk(0, this.#left, cost, 0, []);
      if (!this.#found) continue;
      const documents = Documents.ofBitmap(bitmaps, this.#found);
      const rank = { rule: "words" as const, rank: this.#max - cost, max: this.#max };
      yield { documents, paths: distinctPaths(this.#paths), rank };
    }
  }

  /**
   * Claims the candidates of all choices of `cost` from term `id` on; nothing removed before `floor` may be
   * matched.
   */
  #walk(id: number, candidates: number, cost: number, floor: number, kept: Path): void {
    if (id === this.#query.terms) {
      if (cost === 0) this.#claim(candidates, kept);
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

  #claim(candidates: number, path: Path): void {
    const { bitmaps } = this.#matching.lookups;
    const claimed = bitmaps.intersection(candidates, this.#left);
    if (!bitmaps.any(claimed)) return;
    bitmaps.andNot(this.#left, claimed);
    if (this.#found) bitmaps.or(this.#found, claimed);
    else this.#found = claimed;
    this.#paths.push(path);
  }
}
