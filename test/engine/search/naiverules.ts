// The ranking rules by their definitions: a rule gives each step of a path its options; all choices of a cost
// are tried, depth first, and each claims the documents that satisfy all its conditions. Used by
// naiveranker.ts.
import type { Phrase } from "../../../src/engine/search/parse.ts";
import type { NaiveDocument } from "./naiveindex.ts";
import type { NaiveNode, NaiveQuery } from "./naivequery.ts";

/** A node with the levels of typos it may use; `only`: the word itself alone. */
export interface NaiveItem {
  node: NaiveNode;
  levels: readonly number[];
  only: boolean;
}

export type NaivePath = readonly NaiveItem[];

export interface Option {
  cost: number;
  test: (document: NaiveDocument) => boolean;
  leaves: NaiveItem;
}

export type Options = (
  previous: NaiveItem | null,
  item: NaiveItem,
  universe: readonly NaiveDocument[],
) => Option[];

export const ALL_LEVELS: readonly number[] = [0, 1, 2];
const DISTANCES = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

export class NaiveRules {
  readonly #query: NaiveQuery;

  constructor(query: NaiveQuery) {
    this.#query = query;
  }

  /** Single words of an item at its levels, the text itself included. */
  words({ node, levels, only }: NaiveItem): { word: string; level: number }[] {
    const words: { word: string; level: number }[] = [];
    if ((only || levels.includes(0)) && node.exact !== null) words.push({ word: node.exact, level: 0 });
    for (const level of only ? (node.isCached && node.exact !== null ? [0] : []) : levels) {
      words.push(...node.words[level].map((word) => ({ word, level })));
    }
    return words;
  }

  /** Phrases of an item; a split is a typo. */
  phrases({ node, levels, only }: NaiveItem): { phrase: Phrase; level: number }[] {
    const level = only ? 0 : Math.min(...levels);
    const phrases = [...(node.phrase ? [node.phrase] : []), ...node.synonyms].map((phrase) => ({
      phrase,
      level,
    }));
    if (!only && levels.includes(1) && node.split) phrases.push({ phrase: node.split, level: 1 });
    return phrases;
  }

  matches(document: NaiveDocument, item: NaiveItem, at?: number): boolean {
    const isAt = ({ level }: { level: number }) => at === undefined || level === at;
    return (
      this.words(item).some(
        (one) => isAt(one) && this.#query.has(document, one.word, item.node.ngram || one.level > 0),
      ) || this.phrases(item).some((one) => isAt(one) && this.#query.passes(document, one.phrase))
    );
  }

  exactTerm({ node, levels, only }: NaiveItem): Phrase | null {
    if (node.phrase) return node.phrase;
    return !node.ngram && node.exact !== null && (only || levels.includes(0)) ? { slots: [node.text] } : null;
  }

  typo: Options = (_, item) => {
    const { node, levels, only } = item;
    const base = node.size === 1 ? 0 : node.size;
    let most = node.budget === 2 && levels.includes(2) && !only ? 2 : levels.includes(1) && !only ? 1 : 0;
    if (node.budget === 0) most = 1;
    if (node.phrase) most = 0;
    return Array.from({ length: most + 1 }, (_, typos) => ({
      cost: base + typos,
      test: (document: NaiveDocument) => this.matches(document, item, typos),
      leaves: only ? item : { ...item, levels: levels.filter((level) => level === typos) },
    }));
  };

  proximity: Options = (previous, item, universe) => {
    const base = item.node.size - 1;
    const matches = (document: NaiveDocument) => this.matches(document, item);
    if (previous?.node.last !== item.node.first - 1) return [{ cost: base, test: matches, leaves: item }];
    const near = [0, 1, 2].map((cost) => ({
      cost: base + cost,
      test: (document: NaiveDocument) => this.#pair(previous, item, cost, document, universe),
      leaves: item,
    }));
    return [...near, { cost: base + 3, test: matches, leaves: item }];
  };

  attributeRank: Options = (_, item) => {
    const { index, allowed } = this.#query;
    const costs = new Set([index.weightMax * item.node.size]);
    for (const field of index.fields) costs.add(index.weight(field) * item.node.size);
    // Of choices that cost the same, that comes first whose first items cost less.
    const ascending = [...costs].sort((a, b) => a - b);
    return ascending.map((cost) => ({
      cost,
      test: (document) =>
        this.#occurs(
          document,
          item,
          (one) => allowed(one.field) && index.weight(one.field) * item.node.size === cost,
        ),
      leaves: item,
    }));
  };

  wordPosition: Options = (_, item) =>
    Array.from({ length: 10 * item.node.size + 1 }, (_, cost) => ({
      cost,
      test: (document) =>
        this.#occurs(document, item, (one) => positionCost(item.node, one.position) === cost),
      leaves: item,
    }));

  exactWords: Options = (_, item) => {
    const term = this.exactTerm(item);
    const exact = {
      cost: 0,
      test: (document: NaiveDocument) => term !== null && this.#query.passes(document, term),
    };
    return [
      { ...exact, leaves: { ...item, only: true } },
      { cost: item.node.size, test: (document) => this.matches(document, item), leaves: item },
    ];
  };

  /** 3: a field is the query; 2: a field begins with it; 1: neither. */
  exactAttribute(paths: readonly NaivePath[], document: NaiveDocument): number {
    const { index, allowed } = this.#query;
    const items = paths.flat().filter((item) => this.exactTerm(item));
    const terms = [...new Map(items.toReversed().map((item) => [item.node.from, item])).values()];
    terms.sort((a, b) => a.node.from - b.node.from);
    if (!terms.length || terms.some(({ node }, i) => node.from !== i)) return 1;
    const length = terms.reduce((sum, { node }) => sum + node.last - node.first + 1, 0);
    const words = terms.flatMap((item) =>
      this.exactTerm(item)!.slots.flatMap((word, i) =>
        word === null ? [] : [{ word, at: item.node.first + i }],
      ),
    );
    const isPlaced = words.every(({ word, at }) =>
      document.occurrences.some((one) => one.word === word && bucket(one.position) === bucket(at)),
    );
    const fields = index.fields.filter(
      (field) =>
        allowed(field) &&
        words.every(({ word }) =>
          document.occurrences.some((one) => one.word === word && one.field === field),
        ),
    );
    if (!isPlaced || !fields.length) return 1;
    return length <= 30 && fields.some((field) => index.wordCount(document, field) === length) ? 3 : 2;
  }

  #occurs(
    document: NaiveDocument,
    item: NaiveItem,
    test: (one: { field: string; position: number }) => boolean,
  ) {
    const words = this.words(item).map(({ word }) => word);
    for (const { phrase } of this.phrases(item)) {
      const first = phrase.slots.find((word) => word !== null);
      if (first && this.#query.passes(document, phrase)) words.push(first);
    }
    return document.occurrences.some((one) => words.includes(one.word) && test(one));
  }

  #pair(
    left: NaiveItem,
    right: NaiveItem,
    cost: number,
    document: NaiveDocument,
    universe: readonly NaiveDocument[],
  ) {
    const query = this.#query;
    const isByAttribute = query.index.settings.proximityPrecision === "byAttribute";
    const lefts = this.#leftWords(left, right, universe);
    const rights = this.words(right).map(({ word }) => word);
    const ends = (item: NaiveItem, slot: (phrase: Phrase) => string | null) =>
      this.phrases(item).flatMap(({ phrase }) => {
        const word = slot(phrase);
        return word !== null && query.passes(document, phrase) ? [word] : [];
      });
    const before = [...lefts, ...ends(left, ({ slots }) => slots[slots.length - 1])];
    const after = [...rights, ...ends(right, ({ slots }) => slots[0])];
    const isAt = (a: string, b: string, distance: number) =>
      isByAttribute ? query.isNear(document, a, b, 3) : query.index.near(a, b, document) === distance;
    if (before.some((a) => after.some((b) => isAt(a, b, cost + 1)))) return true;
    if (isByAttribute) return false;
    const prefix = right.node.isCached ? right.node.words[0] : [];
    const swapped = rights.filter((word) => !prefix.includes(word));
    if (cost > 0 && swapped.some((a) => lefts.some((b) => isAt(a, b, cost)))) return true;
    if (!right.node.isCached) return false;
    // Before a cached prefix a phrase counts everywhere, once it passes somewhere.
    const loose = this.phrases(left).filter(({ phrase }) =>
      universe.some((one) => query.passes(one, phrase)),
    );
    const starting = rights.filter((word) => prefix.includes(word) || word === right.node.exact);
    return loose.some(({ phrase: { slots } }) => {
      const last = slots[slots.length - 1];
      return last !== null && starting.some((word) => isAt(last, word, cost + 1));
    });
  }

  /**
   * Words of the left side; with several forms on the right, not those found nowhere but outside the
   * candidates.
   */
  #leftWords(left: NaiveItem, right: NaiveItem, universe: readonly NaiveDocument[]): string[] {
    const prefix = right.node.isCached ? right.node.words[0] : [];
    const plain = this.words(right).filter(({ word }) => !prefix.includes(word));
    const isOne = plain.length + this.phrases(right).length < 2;
    return this.words(left)
      .filter(({ word, level }) => {
        const isFound = (document: NaiveDocument) =>
          this.#query.has(document, word, left.node.ngram || level > 0);
        return isOne || universe.some(isFound) || !this.#query.index.documents.some(isFound);
      })
      .map(({ word }) => word);
  }
}

/** Position as the ranking knows it: exact up to 15, then coarser and coarser. */
function bucket(position: number): number {
  if (position < 16) return position;
  if (position < 24) return 24;
  let power = 32;
  while (power < position) power *= 2;
  return Math.min(power, 65535);
}

function positionCost({ first, size }: NaiveNode, position: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) {
    const distance = Math.abs(bucket(position) - first) + i;
    const cost = DISTANCES.findIndex((most) => distance <= most);
    sum += cost < 0 ? DISTANCES.length : cost;
  }
  return sum;
}
