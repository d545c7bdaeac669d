// A search by the definitions of the ranking, as slow as they read: for tests of src/engine/search. Buckets
// of a rule are found by trying all choices of each cost on all documents.
import { type ParsedQuery, parseQuery } from "../../../src/engine/search/parse.ts";
import { type NaiveDocument, type NaiveIndex, tokenizer } from "./naiveindex.ts";
import { type NaiveNode, NaiveQuery } from "./naivequery.ts";
import {
  ALL_LEVELS,
  type NaiveItem,
  type NaivePath,
  NaiveRules,
  type Option,
  type Options,
} from "./naiverules.ts";

export interface TestQuery {
  q: string;
  matchingStrategy?: "last" | "all" | "frequency";
  attributesToSearchOn?: string[];
  rankingScoreThreshold?: number;
  offset?: number;
  limit?: number;
  /** One document of each value of `tags`. */
  distinct?: "tags";
}

interface Bucket {
  documents: NaiveDocument[];
  paths: NaivePath[];
  rank: number;
  max: number;
}

type Rule = (universe: NaiveDocument[], paths: NaivePath[]) => Iterable<Bucket>;
type Alive = (document: NaiveDocument) => boolean;

export function naiveSearch(
  index: NaiveIndex,
  request: TestQuery,
): { hits: [id: number, score: number][]; total: number } {
  tokenizer.configure(index.settings);
  const query = new NaiveQuery(index, request.attributesToSearchOn ?? null);
  const parsed = parseQuery(tokenizer.tokenize(request.q), index.settings.prefixSearch !== "disabled");
  const nodes = query.nodes(parsed.terms);
  const ranker = new Ranker(query, nodes, parsed, request);
  const { hits, total } = ranker.run();
  const { offset = 0, limit = 20 } = request;
  return { hits: hits.slice(offset, offset + limit), total };
}

/**
 * Documents of a bucket satisfy none of its paths: wordPosition may choose a path by words that stand outside
 * attributesToSearchOn. The definitions do not say where such documents go.
 */
export class UnsatisfiedDocuments extends Error {}

class Ranker {
  readonly #query: NaiveQuery;
  readonly #nodes: NaiveNode[];
  readonly #parsed: ParsedQuery;
  readonly #request: TestQuery;
  readonly #rules: NaiveRules;
  readonly #removals: Map<NaiveNode, number>;
  readonly #refused = new Set<NaiveDocument>();
  /** Documents that share a value with one that was kept, and those that were kept. */
  readonly #excluded = new Set<NaiveDocument>();
  readonly #kept = new Set<NaiveDocument>();
  /** All paths of the query: as long as no rule has passed on a part, those that begin alike share steps. */
  #whole: NaivePath[] = [];
  readonly #isAlive: Alive = (document) => !this.#excluded.has(document);
  #hits: [number, number][] = [];

  constructor(query: NaiveQuery, nodes: NaiveNode[], parsed: ParsedQuery, request: TestQuery) {
    this.#query = query;
    this.#nodes = nodes;
    this.#parsed = parsed;
    this.#request = request;
    this.#rules = new NaiveRules(query);
    this.#removals = this.#removalOrders();
  }

  run() {
    const { negativeWords, negativePhrases } = this.#parsed;
    const allowed = this.#query.index.documents.filter(
      (document) =>
        !negativeWords.some((word) => this.#query.has(document, word, false)) &&
        !negativePhrases.some((phrase) => this.#query.passes(document, phrase)),
    );
    const paths = this.#nodes.length ? this.#paths(0) : [];
    this.#whole = paths;
    const required = paths.map((path) => path.filter(({ node }) => this.#removals.get(node) === Infinity));
    const matched = allowed.filter(
      (document) =>
        !paths.length || required.some((path) => path.every((item) => this.#rules.matches(document, item))),
    );
    this.#visit(0, paths.length ? this.#ruleList() : [], matched, paths, [1, 1]);
    const counts = (one: NaiveDocument) =>
      this.#kept.has(one) || (!this.#excluded.has(one) && !this.#refused.has(one));
    return { hits: this.#hits, total: matched.filter(counts).length };
  }

  #visit(
    at: number,
    rules: Rule[],
    documents: NaiveDocument[],
    paths: NaivePath[],
    score: [number, number],
  ): void {
    const { offset = 0, limit = 20, rankingScoreThreshold = null } = this.#request;
    if (at === rules.length) {
      const room = offset + limit - this.#hits.length;
      const kept = this.#request.distinct
        ? this.#distinct(documents, rules.length ? Infinity : room)
        : documents;
      for (const { id } of kept.slice(0, room)) this.#hits.push([id, score[0] / score[1]]);
      return;
    }
    let left = documents;
    for (const { documents: members, paths: next, rank, max } of documents.length
      ? rules[at](documents, paths)
      : []) {
      if (this.#hits.length >= offset + limit) return;
      const merged: [number, number] = [Math.max(0, score[0] - 1) * max + rank, score[1] * max];
      if (rankingScoreThreshold !== null && merged[0] / merged[1] < rankingScoreThreshold) {
        for (const document of left) this.#refused.add(document);
        return;
      }
      left = left.filter((document) => !members.includes(document));
      this.#visit(at + 1, rules, members, next, merged);
    }
  }

  /** The first document of each value, which excludes all others. */
  #distinct(documents: NaiveDocument[], most: number): NaiveDocument[] {
    const kept: NaiveDocument[] = [];
    for (const document of documents) {
      if (kept.length >= most) break;
      if (!this.#isAlive(document)) continue;
      kept.push(document);
      this.#kept.add(document);
      const shares = ({ groups }: NaiveDocument) => groups.some((value) => document.groups.includes(value));
      for (const other of this.#query.index.documents) if (shares(other)) this.#excluded.add(other);
    }
    return kept;
  }

  #paths(at: number): NaivePath[] {
    if (at === this.#parsed.terms.length) return [[]];
    const starting = this.#nodes.filter(({ from }) => from === at);
    return starting.flatMap((node) =>
      this.#paths(node.to + 1).map((path) => [{ node, levels: ALL_LEVELS, only: false }, ...path]),
    );
  }

  #removalOrders(): Map<NaiveNode, number> {
    const { terms } = this.#parsed;
    const strategy = this.#request.matchingStrategy ?? "last";
    let orders = terms.map((_, id) => terms.length - id);
    if (strategy === "frequency") {
      const counts = terms.map((_, id) => this.#frequency(id) || Infinity);
      const sorted = [...new Set(counts)].sort((a, b) => (a === b ? 0 : b > a ? 1 : -1));
      orders = counts.map((count) => sorted.indexOf(count));
    }
    const isFixed = this.#nodes.some(({ phrase }) => phrase);
    const removals = this.#nodes.map((node): [NaiveNode, number] => {
      const order = Math.max(...orders.slice(node.from, node.to + 1));
      const stays =
        node.phrase || strategy === "all" || terms.length < 2 || (!isFixed && order === Math.max(...orders));
      return [node, stays ? Infinity : order];
    });
    return new Map(removals);
  }

  #frequency(id: number): number {
    const covering = this.#nodes.filter(({ from, to }) => from <= id && id <= to);
    const items = covering.map((node) => ({ node, levels: ALL_LEVELS, only: false }));
    return this.#query.index.documents.filter((document) =>
      items.some((item) => this.#rules.matches(document, item)),
    ).length;
  }

  #ruleList(): Rule[] {
    const rules = new Map<string, Rule>();
    const add = (name: string, rule: Rule) => {
      if (!rules.has(name)) rules.set(name, rule);
    };
    const graph =
      (options: Options): Rule =>
      (universe, paths) =>
        graphBuckets(
          options,
          universe,
          paths === this.#whole ? [paths] : paths.map((path) => [path]),
          this.#isAlive,
        );
    for (const name of this.#query.index.settings.rankingRules) {
      if (name === "sort") continue;
      if (this.#request.matchingStrategy !== "all")
        add("words", (universe, paths) => this.#words(universe, paths));
      if (name === "typo") add(name, graph(this.#rules.typo));
      if (name === "proximity") add(name, graph(this.#rules.proximity));
      if (name === "attribute" || name === "attributeRank")
        add("attributeRank", graph(this.#rules.attributeRank));
      if (name === "attribute" || name === "wordPosition")
        add("wordPosition", graph(this.#rules.wordPosition));
      if (name !== "exactness") continue;
      add("exactAttribute", (universe, paths) => this.#exactAttribute(universe, paths));
      add("exactWords", graph(this.#rules.exactWords));
    }
    return [...rules.values()];
  }

  *#exactAttribute(universe: NaiveDocument[], paths: NaivePath[]): Generator<Bucket> {
    for (const rank of [3, 2, 1]) {
      const isOf = (document: NaiveDocument) => this.#rules.exactAttribute(paths, document) === rank;
      const documents = universe.filter((document) => this.#isAlive(document) && isOf(document));
      if (documents.length) yield { documents, paths, rank, max: 3 };
    }
  }

  /** Words: choices are which nodes of a path to skip. */
  *#words(universe: NaiveDocument[], paths: NaivePath[]): Generator<Bucket> {
    const single = this.#nodes.filter(({ ngram }) => !ngram);
    const phraseWords = single.flatMap(
      ({ phrase }) => phrase?.slots.filter((slot) => slot !== null) ?? [],
    ).length;
    const removable = single.filter((node) => this.#removals.get(node) !== Infinity).length;
    const max = 1 + Math.max(0, phraseWords - 1) + removable;
    let left = universe;
    for (let cost = 0; left.length; cost++) {
      left = left.filter(this.#isAlive);
      const bucket: Bucket = { documents: [], paths: [], rank: max - cost, max };
      const walk = (trie: NaivePath[], kept: NaiveItem[], spent: number, floor: number): void => {
        if (spent > cost) return;
        if (trie.some((path) => path.length === 0)) {
          if (spent === cost)
            left = claim(bucket, left, kept, (document) =>
              kept.every((item) => this.#rules.matches(document, item)),
            );
          return;
        }
        for (const [item, rest] of branches(trie)) {
          const removal = this.#removals.get(item.node)!;
          if (removal !== Infinity) walk(rest, kept, spent + item.node.size, Math.max(floor, removal));
          if (removal >= floor) walk(rest, [...kept, item], spent, floor);
        }
      };
      walk(paths, [], 0, 0);
      if (bucket.documents.length) yield sorted(bucket);
    }
  }
}

/**
 * The buckets of a rule that gives every step options. `tries`: paths that share the steps by
 * which they begin, in one list.
 */
function* graphBuckets(
  options: Options,
  universe: NaiveDocument[],
  tries: NaivePath[][],
  isAlive: Alive,
): Generator<Bucket> {
  const costs = tries
    .flat()
    .map((path) =>
      path.reduce(
        (sum, item, i) =>
          sum + Math.max(...options(path[i - 1] ?? null, item, universe).map(({ cost }) => cost)),
        0,
      ),
    );
  const most = Math.max(0, ...costs);
  const known = new Map<string, Option[]>();
  const optionsOf = (previous: NaiveItem | null, item: NaiveItem) => {
    const key = `${previous && keyOf(previous)} ${keyOf(item)}`;
    if (!known.has(key)) known.set(key, options(previous, item, universe));
    return known.get(key)!;
  };
  let left = universe;
  for (let cost = 0; cost <= most && left.length; cost++) {
    left = left.filter(isAlive);
    const bucket: Bucket = { documents: [], paths: [], rank: most + 1 - cost, max: most + 1 };
    const walk = (
      trie: NaivePath[],
      previous: NaiveItem | null,
      leaves: NaiveItem[],
      spent: number,
      some: NaiveDocument[],
    ) => {
      if (spent > cost || !some.length) return;
      if (trie.some((path) => path.length === 0)) {
        if (spent === cost) left = claim(bucket, left, leaves, (document) => some.includes(document));
        return;
      }
      for (const [item, rest] of branches(trie)) {
        for (const option of optionsOf(previous, item)) {
          const next = spent + option.cost > cost ? [] : some.filter((document) => option.test(document));
          walk(rest, item, [...leaves, option.leaves], spent + option.cost, next);
        }
      }
    };
    for (const trie of tries) walk(trie, null, [], 0, left);
    if (bucket.documents.length) yield sorted(bucket);
  }
  if (left.some(isAlive)) throw new UnsatisfiedDocuments();
}

/** Gives the documents that satisfy a choice to the bucket; returns those left. */
function claim(
  bucket: Bucket,
  left: NaiveDocument[],
  path: NaivePath,
  satisfies: (document: NaiveDocument) => boolean,
): NaiveDocument[] {
  const claimed = left.filter(satisfies);
  if (!claimed.length) return left;
  bucket.documents.push(...claimed);
  if (!bucket.paths.some((known) => pathKey(known) === pathKey(path))) bucket.paths.push(path);
  return left.filter((document) => !claimed.includes(document));
}

/** Documents of a bucket stand in the order of their numbers. */
function sorted(bucket: Bucket): Bucket {
  return { ...bucket, documents: bucket.documents.toSorted((a, b) => a.id - b.id) };
}

/** What paths begin with, in order, with the rests of the paths behind it. */
function branches(paths: readonly NaivePath[]): [NaiveItem, NaivePath[]][] {
  const groups = new Map<string, [NaiveItem, NaivePath[]]>();
  for (const [item, ...rest] of paths) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, [item, []]);
    groups.get(key)![1].push(rest);
  }
  return [...groups.values()];
}

const keyOf = ({ node, levels, only }: NaiveItem): string =>
  `${node.from}-${node.to}:${only ? "only" : levels.join("")}`;
const pathKey = (path: NaivePath): string => path.map(keyOf).join(" ");
