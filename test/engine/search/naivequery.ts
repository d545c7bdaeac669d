// What the terms of a query stand for, by the definitions: every word of the index is looked at. Used by
// naiveranker.ts.
import type { Phrase, Term } from "../../../src/engine/search/parse.ts";
import { type Allowed, type NaiveDocument, type NaiveIndex, tokenizer } from "./naiveindex.ts";

export interface NaiveNode {
  from: number;
  to: number;
  first: number;
  last: number;
  size: number;
  text: string;
  ngram: boolean;
  phrase: Phrase | null;
  exact: string | null;
  isCached: boolean;
  /** By typos: 0 without the text itself, 1, 2. */
  words: [string[], string[], string[]];
  split: Phrase | null;
  synonyms: Phrase[];
  budget: number;
}

const PREFIX_WORDS_MAX = 1000;
const ONE_MAX = 150;
const TWO_MAX = 50;

export class NaiveQuery {
  readonly index: NaiveIndex;
  readonly allowed: Allowed;
  readonly restricted: boolean;

  constructor(index: NaiveIndex, names: string[] | null) {
    this.index = index;
    this.restricted = names !== null;
    this.allowed = (field) => !names || names.includes(field);
  }

  /** Look-up of a word: everywhere, or where typos are tolerated. */
  has(document: NaiveDocument, word: string, derived: boolean): boolean {
    const { disableOnAttributes } = this.index.settings.typoTolerance;
    return document.occurrences.some((one) => {
      if (one.word !== word || !this.allowed(one.field)) return false;
      if (!derived) return true;
      return this.restricted
        ? !disableOnAttributes.includes(one.field)
        : !this.index.isExact(word, one.field);
    });
  }

  /** True when b follows a at a distance of at most `most`; by attribute: when they share a field. */
  isNear(document: NaiveDocument, a: string, b: string, most: number): boolean {
    if (this.index.settings.proximityPrecision === "byAttribute") {
      const fields = (word: string) =>
        document.occurrences.filter((one) => one.word === word).map(({ field }) => field);
      return fields(a).some((field) => this.allowed(field) && fields(b).includes(field));
    }
    const distance = this.index.near(a, b, document);
    return distance !== undefined && distance <= most;
  }

  passes(document: NaiveDocument, { slots }: Phrase): boolean {
    return slots.every((left, i) => {
      if (left === null) return true;
      if (!this.has(document, left, false)) return false;
      return slots.every((right, j) => {
        if (right === null || j <= i || j > i + 2) return true;
        return this.isNear(document, left, right, j - i);
      });
    });
  }

  nodes(terms: readonly Term[]): NaiveNode[] {
    const nodes: NaiveNode[] = [];
    for (let last = 0; last < terms.length; last++) {
      for (let size = 1; size <= 3 && size <= last + 1; size++) {
        const parts = terms.slice(last - size + 1, last + 1);
        const isRun = parts.every(
          (part, i) => !part.phrase && (i === 0 || part.first === parts[i - 1].last + 1),
        );
        if (size > 1 && !isRun) continue;
        const place = {
          from: last - size + 1,
          to: last,
          first: parts[0].first,
          last: parts[size - 1].last,
          size,
        };
        nodes.push({ ...place, ...this.#derive(parts) });
      }
    }
    return nodes;
  }

  #derive(parts: readonly Term[]): Omit<NaiveNode, "from" | "to" | "first" | "last" | "size"> {
    const [{ phrase }] = parts;
    const { prefix } = parts[parts.length - 1];
    const text = parts.map((part) => part.text).join("");
    const ngram = parts.length > 1;
    const nothing: NaiveNode["words"] = [[], [], []];
    if (phrase) {
      const none = { exact: null, isCached: false, words: nothing, split: null, synonyms: [], budget: 0 };
      return { text, ngram, phrase, ...none };
    }
    const { words, settings } = this.index;
    const starting = prefix ? words.filter((word) => word.startsWith(text)) : [];
    const isShort = Buffer.byteLength(text) <= 4 && settings.prefixSearch === "indexingTime";
    const isCached =
      prefix && isShort && starting.filter((word) => this.index.isTolerant(word)).length >= 100;
    const others = starting.filter((word) => word !== text).slice(0, isCached ? undefined : PREFIX_WORDS_MAX);
    const budget = Math.max(0, this.#budget(text) - (parts.length - 1));
    const [one, two] = this.#typos(text, budget, prefix);
    const synonyms = [...this.#synonyms([text])];
    if (ngram) synonyms.push(...this.#synonyms(parts.map((part) => part.text)));
    let split = this.#split(text);
    if (parts.length === 2 && split?.slots[0] === parts[0].text) split = null;
    const exact = words.includes(text) ? text : null;
    return { text, ngram, phrase, exact, isCached, words: [others, one, two], split, synonyms, budget };
  }

  #budget(text: string): number {
    const { enabled, minWordSizeForTypos, disableOnWords } = this.index.settings.typoTolerance;
    const { length } = [...text];
    if (!enabled || length < minWordSizeForTypos.oneTypo || disableOnWords.includes(text)) return 0;
    return length < minWordSizeForTypos.twoTypos ? 1 : 2;
  }

  #typos(text: string, budget: number, prefix: boolean): [string[], string[]] {
    const one: string[] = [];
    const two: string[] = [];
    for (const word of budget ? this.index.words : []) {
      const isSame = [...word][0] === [...text][0];
      const typos = distance(text, word, prefix, isSame ? budget : 1);
      const cost = isSame ? typos : typos + 1;
      if (typos === 0 || cost > budget || typos > (isSame ? budget : 1) || !this.index.isTolerant(word))
        continue;
      if (cost === 1 && one.length < ONE_MAX) one.push(word);
      if (cost === 2 && two.length < TWO_MAX) two.push(word);
    }
    return [one, two];
  }

  #synonyms(key: readonly string[]): Phrase[] {
    const lemmas = (text: string) =>
      tokenizer
        .tokenize(text)
        .filter(({ kind }) => kind === "word")
        .map(({ lemma }) => lemma);
    const values = Object.entries(this.index.settings.synonyms)
      .filter(([name]) => lemmas(name).join(" ") === key.join(" "))
      .flatMap(([, list]) => list);
    return [...new Set(values)]
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((value) => ({ slots: lemmas(value) }))
      .filter(({ slots }) => slots.length > 0);
  }

  #split(text: string): Phrase | null {
    const letters = [...text];
    let best: Phrase | null = null;
    let most = 0;
    for (let i = 1; i < letters.length; i++) {
      const [left, right] = [letters.slice(0, i).join(""), letters.slice(i).join("")];
      const count = this.index.documents.filter((document) => this.isNear(document, left, right, 1)).length;
      if (count > most) best = { slots: [left, right] };
      most = Math.max(most, count);
    }
    return best;
  }
}

/**
 * Optimal string alignment; for a prefix reading of `b` stops once `a` is within `most` and none of its
 * beginnings nearer.
 */
export function distance(a: string, b: string, prefix: boolean, most: number): number {
  const [left, right] = [[...a], [...b]];
  const rows: number[][] = [left.map((_, i) => i).concat(left.length)];
  for (let j = 1; j <= right.length; j++) {
    rows.push([j]);
    for (let i = 1; i <= left.length; i++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1;
      let least = Math.min(rows[j - 1][i - 1] + same, rows[j][i - 1] + 1, rows[j - 1][i] + 1);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) least = Math.min(least, rows[j - 2][i - 2] + 1);
      rows[j].push(least);
    }
    const whole = rows[j][left.length];
    if (prefix && whole <= most && rows[j].every((beginning) => beginning >= whole)) return whole;
  }
  return rows[right.length][left.length];
}
