// The two halves of the rule exactness. ExactAttribute: documents where a field is the query, then those
// where a field begins with it. ExactWords: documents with more terms as they stand in the query. Called by
// rulelist.ts.
import { placeOf, RANKING_NONE } from "../../core/ranking.ts";
import { costGroups, newCosts } from "./costgroups.ts";
import { Documents } from "./documents.ts";
import { EXACT, type Item, type Items, type Path } from "./graph.ts";
import { type GraphRule, graphRule } from "./graphrule.ts";
import { exactTerm, type Matching } from "./matching.ts";
import type { Bucket, Grading, Rank, Ranking, Rule } from "./rule.ts";

/** Ranks of ExactAttribute. */
export const EXACT_MATCH = 3;
export const MATCHES_START = 2;
export const NO_EXACT_MATCH = 1;
/** Fields longer than that are not counted. */
const COUNTED_WORDS_MAX = 30;
/** Fields looked at at a time. */
const FIELD_BITS = 32;

export function exactWordsRule(ranking: Ranking, items: Items): Rule {
  const { occurrences } = ranking;
  const { matching } = occurrences;
  const rule: GraphRule = {
    name: "exactWords",
    most: (_, item) => item.node.size,
    step: (_, item, certain) => {
      const term = exactTerm(item);
      if (certain && !term) return { constant: 0, costs: occurrences.costs(item.node.size) };
      const costs = occurrences.costs(certain ? item.node.size : RANKING_NONE);
      if (!certain) occurrences.lower(costs, matching.documents(item), item.node.size);
      if (term) occurrences.lower(costs, matching.lookups.phrase(term), 0);
      return { constant: 0, costs };
    },
    narrow: (item, cost) => (cost === 0 ? items.of(item.node, EXACT) : item),
  };
  return graphRule(ranking, rule);
}

export function exactAttributeRule(ranking: Ranking): Rule {
  return {
    buckets: (documents, paths) => exactAttributeBuckets(ranking, documents, paths),
    grade: (documents, paths) => exactAttributeGrade(ranking, documents, paths),
  };
}

function* exactAttributeBuckets(
  ranking: Ranking,
  documents: Documents,
  paths: readonly Path[],
): Generator<Bucket> {
  const { bitmaps } = ranking.occurrences.matching.lookups;
  const costs = exactAttributeCosts(ranking, documents, paths);
  if (!costs) {
    yield { documents, paths, rank: exactAttributeRank(NO_EXACT_MATCH) };
    return;
  }
  for (const { cost, list, count } of costGroups(bitmaps, documents, costs)) {
    const rank = exactAttributeRank(EXACT_MATCH - cost);
    yield { documents: Documents.ofList(bitmaps, list, count), paths, rank };
  }
}

function exactAttributeGrade(ranking: Ranking, documents: Documents, paths: readonly Path[]): Grading {
  const { core } = ranking.occurrences.matching.lookups.bitmaps.reader.share;
  const costs = exactAttributeCosts(ranking, documents, paths);
  const pathsOf = () => paths;
  if (!costs) return { grades: null, rankOf: () => exactAttributeRank(NO_EXACT_MATCH), pathsOf };
  const grades = new Uint16Array(core.memory.buffer, costs, documents.count).slice();
  return { grades, rankOf: (cost) => exactAttributeRank(EXACT_MATCH - cost), pathsOf };
}

const exactAttributeRank = (rank: number): Rank => ({ rule: "exactAttribute", rank, max: EXACT_MATCH });

/** EXACT_MATCH less the rank of each document; 0 when none has more than the least. */
function exactAttributeCosts(ranking: Ranking, documents: Documents, paths: readonly Path[]): number {
  const terms = leadingTerms(paths);
  return terms ? ranking.occurrences.during(documents, () => new Places(ranking, terms).costs()) : 0;
}

/** Items with an exact term, from the first term of the query on without a gap, or null. */
function leadingTerms(paths: readonly Path[]): Item[] | null {
  const byTerm = new Map<number, Item>();
  for (const item of new Set(paths.flat())) {
    if (!byTerm.has(item.node.from) && exactTerm(item)) byTerm.set(item.node.from, item);
  }
  const items = [...byTerm.values()].sort((a, b) => a.node.from - b.node.from);
  return items.length && items.every(({ node }, i) => node.from === i) ? items : null;
}

/** A word and the place of a field where it must stand. */
interface PlacedWord {
  text: string;
  place: number;
}

class Places {
  readonly #ranking: Ranking;
  readonly #matching: Matching;
  readonly #words: PlacedWord[];
  /** Words that the field must have to be the query. */
  readonly #length: number;

  constructor(ranking: Ranking, items: readonly Item[]) {
    this.#ranking = ranking;
    this.#matching = ranking.occurrences.matching;
    this.#length = items.reduce((sum, { node }) => sum + node.last - node.first + 1, 0);
    this.#words = items.flatMap((item) => placedWords(item));
  }

  /** EXACT_MATCH less the rank of each document, or 0 when none has more than the least. */
  costs(): number {
    const { bitmaps, fields } = this.#matching.lookups;
    const { core } = bitmaps.reader.share;
    const { count } = this.#ranking.occurrences.documents;
    let costs = 0;
    for (let first = 0; first < fields.length; first += FIELD_BITS) {
      const { masks, all } = this.#masks(first);
      if (!all) continue;
      if (!costs) {
        costs = newCosts(bitmaps, count);
        core.exports.rankingFill(costs, count, EXACT_MATCH - NO_EXACT_MATCH);
      }
      core.exports.rankingBeginnings(masks, count, costs);
      this.#lowerWhole(masks, all, first, costs);
    }
    return costs;
  }

  /**
   * Bits of the fields from `first` on that hold all words of each document, 0 where one is out of place;
   * `all`: of any document.
   */
  #masks(first: number): { masks: number; all: number } {
    const { occurrences } = this.#ranking;
    const { vocabulary, bitmaps, fields } = this.#matching.lookups;
    const { exports } = bitmaps.reader.share.core;
    const { count } = occurrences.documents;
    let masks = 0;
    let all = 0;
    for (let bit = 0; bit < FIELD_BITS; bit++) if (fields[first + bit]?.allowed) all |= 1 << bit;
    for (const { text, place } of this.#words) {
      const word = vocabulary.find(text);
      if (!word || !all) return { masks, all: 0 };
      const own = occurrences.places(word.ranges, place, first);
      all = exports.rankingIntersect(masks || own, own, count, all);
      masks ||= own;
    }
    return { masks, all };
  }

  /** Lowers the costs to 0 where a field of `all` begins with the query and has no more words. */
  #lowerWhole(masks: number, all: number, first: number, costs: number): void {
    if (this.#length > COUNTED_WORDS_MAX) return;
    const { lookups } = this.#matching;
    const { reader, words } = lookups.bitmaps;
    const { rankingWhole } = reader.share.core.exports;
    const { list, count } = this.#ranking.occurrences.documents;
    for (let bit = 0; bit < FIELD_BITS; bit++) {
      if (!((all >>> bit) & 1)) continue;
      for (const { segment, tombstones } of reader.segments) {
        const counted = lookups.countedIn(segment, first + bit, this.#length);
        if (!counted) continue;
        rankingWhole(list, masks, count, bit, counted.pointer, counted.length, tombstones, words, costs);
      }
    }
  }
}

function placedWords(item: Item): PlacedWord[] {
  const { slots } = exactTerm(item)!;
  return slots.flatMap((text, offset) =>
    text === null ? [] : [{ text, place: placeOf(item.node.first + offset) }],
  );
}
