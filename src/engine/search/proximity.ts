// The rule Proximity: documents where neighbouring terms of the query stand near each other come first. Only
// pairs count, each by its nearest occurrences in any field. Called by rulelist.ts.
import { RANKING_NONE } from "../../core/ranking.ts";
import type { Item } from "./graph.ts";
import { type GraphRule, graphRule, type StepCost } from "./graphrule.ts";
import type { Occurrences, Source } from "./occurrences.ts";
import type { Phrase } from "./parse.ts";
import type { Ranking, Rule } from "./rule.ts";
import type { Ranges } from "./vocabulary.ts";

/** Cost of a pair whose words are not near. */
const FAR = 3;
/** Largest distances seen: forward, and of swapped words. */
const FORWARD_MAX = 3;
const BACKWARD_MAX = 2;

export function proximityRule(ranking: Ranking): Rule {
  const { occurrences } = ranking;
  const rule: GraphRule = {
    name: "proximity",
    most: (previous, item) => item.node.size - 1 + (isAdjacent(previous, item) ? FAR : 0),
    step: (previous, item, certain) => {
      const constant = item.node.size - 1;
      if (previous && isAdjacent(previous, item)) {
        return { constant, costs: new Pair(occurrences, previous, item).costs(certain) };
      }
      return certain ? { constant, costs: 0 } : matchCost(occurrences, item, constant);
    },
    looksAround: (previous, item) =>
      previous !== null && isAdjacent(previous, item) && new Pair(occurrences, previous, item).looksAround,
  };
  return graphRule(ranking, rule);
}

const isAdjacent = (previous: Item | null, item: Item): boolean =>
  previous?.node.last === item.node.first - 1;

function matchCost(occurrences: Occurrences, item: Item, constant: number): StepCost {
  const costs = occurrences.costs(RANKING_NONE);
  occurrences.lower(costs, occurrences.matching.documents(item), 0);
  return { constant, costs };
}

const firstSlot = ({ slots }: Phrase): string | null => slots[0];
const lastSlot = ({ slots }: Phrase): string | null => slots[slots.length - 1];

/** Two neighbouring items in the documents at hand. */
class Pair {
  readonly #occurrences: Occurrences;
  readonly #left: Item;
  readonly #right: Item;
  #costs = 0;

  constructor(occurrences: Occurrences, left: Item, right: Item) {
    this.#occurrences = occurrences;
    this.#left = left;
    this.#right = right;
  }

  /** What other documents hold may decide whether a word on the left counts: see `#loose` and `#alive`. */
  get looksAround(): boolean {
    const { matching } = this.#occurrences;
    if (!matching.lookups.everywhere && this.#formsOfRight() >= 2) return true;
    return this.#right.node.prefix?.cached === true && matching.forms(this.#left).phrases.length > 0;
  }

  /** 0 to 3 for each document; a document that is not `certain` to match may match no option. */
  costs(certain: boolean): number {
    const { matching } = this.#occurrences;
    if (certain) this.#costs = this.#occurrences.costs(FAR);
    else {
      this.#costs = this.#occurrences.costs(RANKING_NONE);
      this.#occurrences.lower(this.#costs, matching.documents(this.#right), FAR);
    }
    const left = this.#alive(this.#occurrences.sources(this.#left, lastSlot));
    const right = this.#occurrences.sources(this.#right, firstSlot);
    if (!left.length || !right.length) return this.#costs;
    const leftKeys = this.#occurrences.keys(left);
    const rightKeys = this.#occurrences.keys(right);
    if (matching.lookups.options.byAttribute) this.#share(leftKeys, rightKeys);
    else {
      this.#near(leftKeys, rightKeys, FORWARD_MAX, -1);
      this.#backward({ left, right, leftKeys, rightKeys });
      this.#loose();
    }
    return this.#costs;
  }

  /** Swapped words cost one more. Of the words behind a cached prefix only the prefix itself is seen so. */
  #backward(sides: { left: Source[]; right: Source[]; leftKeys: number; rightKeys: number }): void {
    const { exact, typos, phrases } = this.#occurrences.matching.forms(this.#right);
    const isCached = this.#right.node.prefix?.cached === true;
    let from = sides.rightKeys;
    if (isCached || phrases.length) {
      const words = isCached ? plainSources(exact, typos) : sides.right.filter(({ filter }) => filter === 0);
      if (!words.length) return;
      from = this.#occurrences.keys(words);
    }
    const words = sides.left.filter(({ filter }) => filter === 0);
    if (!words.length) return;
    const to = words.length === sides.left.length ? sides.leftKeys : this.#occurrences.keys(words);
    this.#near(from, to, BACKWARD_MAX, 0);
  }

  /**
   * Before a cached prefix the last word of a phrase counts in every document, once some candidate passes the
   * phrase.
   */
  #loose(): void {
    const { exact, prefix } = this.#occurrences.matching.forms(this.#right);
    if (!this.#right.node.prefix?.cached) return;
    const { matching } = this.#occurrences;
    const { lookups } = matching;
    const sources: Source[] = [];
    for (const phrase of matching.forms(this.#left).phrases) {
      const slot = lastSlot(phrase);
      const word = slot === null ? null : lookups.vocabulary.find(slot);
      const passes = word && lookups.bitmaps.meet(lookups.phrase(phrase), this.#occurrences.documents.bitmap);
      if (passes) sources.push({ ranges: word.ranges, filter: 0 });
    }
    const ranges = prefix ?? exact;
    if (!sources.length || !ranges) return;
    const right = this.#occurrences.keys([{ ranges, filter: 0 }]);
    this.#near(this.#occurrences.keys(sources), right, FORWARD_MAX, -1);
  }

  /**
   * Left words without those whose look-up finds documents, but no candidate: once the right side has several
   * forms.
   */
  #alive(sources: Source[]): Source[] {
    const { lookups } = this.#occurrences.matching;
    if (lookups.everywhere || this.#formsOfRight() < 2) return sources;
    const { bitmaps } = lookups;
    const { exact } = this.#occurrences.matching.forms(this.#left);
    return sources.filter(({ ranges, filter }) => {
      if (filter) return true;
      const found = bitmaps.create();
      lookups.add(found, ranges, this.#left.node.ngram || ranges !== exact);
      return !bitmaps.any(found) || bitmaps.meet(found, this.#occurrences.documents.bitmap);
    });
  }

  #formsOfRight(): number {
    const { exact, prefix, typos, phrases } = this.#occurrences.matching.forms(this.#right);
    const others = typos.length + phrases.length;
    if (this.#right.node.prefix?.cached || !prefix) return others + Number(exact !== null);
    // Words of several segments may be the same: two of one segment are not.
    return others + Math.max(...prefix.map(({ from, to }) => to - from));
  }

  #near(a: number, b: number, most: number, more: number): void {
    const { core } = this.#occurrences.matching.lookups.bitmaps.reader.share;
    core.exports.rankingNear(a, b, this.#occurrences.documents.count, most, more, this.#costs);
  }

  #share(a: number, b: number): void {
    const { bitmaps, fieldFlags, fields } = this.#occurrences.matching.lookups;
    const { count } = this.#occurrences.documents;
    bitmaps.reader.share.core.exports.rankingShare(a, b, count, fieldFlags, fields.length, this.#costs);
  }
}

const plainSources = (exact: Ranges | null, typos: readonly Ranges[]): Source[] =>
  [...(exact ? [exact] : []), ...typos].map((ranges) => ({ ranges, filter: 0 }));
