// Which documents match an item of the query graph, by the typos they need; and which words and phrases it
// stands for. Called by collection.ts and the rules.
import type { Node } from "./derive.ts";
import { EXACT, type Item, ONE, TWO, ZERO } from "./graph.ts";
import type { Lookups } from "./lookups.ts";
import type { Phrase } from "./parse.ts";
import type { Ranges, Word } from "./vocabulary.ts";

/** Bitmaps of the documents that match an item, by the fewest typos they need; 0 where nothing can match. */
export type Levels = readonly [number, number, number];

/** What an item may stand for. */
interface Forms {
  /** The text itself as a word. */
  exact: Ranges | null;
  /** Words that begin with the text, itself included. */
  prefix: Ranges | null;
  typos: readonly Ranges[];
  phrases: readonly Phrase[];
}

export class Matching {
  readonly lookups: Lookups;
  readonly #levels = new Map<number, Levels>();
  readonly #documents = new Map<number, number>();
  readonly #forms = new Map<number, Forms>();
  /** By node and level: documents of its single words. */
  readonly #words = new Map<number, number>();

  constructor(lookups: Lookups) {
    this.lookups = lookups;
  }

  levels(item: Item): Levels {
    const known = this.#levels.get(item.key);
    if (known) return known;
    const levels = this.#makeLevels(item);
    this.#levels.set(item.key, levels);
    return levels;
  }

  /** Documents of an item at any level; 0: none. */
  documents(item: Item): number {
    let documents = this.#documents.get(item.key);
    if (documents === undefined) {
      documents = this.lookups.bitmaps.union(this.levels(item));
      this.#documents.set(item.key, documents);
    }
    return documents;
  }

  forms(item: Item): Forms {
    const known = this.#forms.get(item.key);
    if (known) return known;
    const forms = formsOf(item);
    this.#forms.set(item.key, forms);
    return forms;
  }

  /** True when the vocabulary has something that an item stands for. */
  hasForms(item: Item): boolean {
    const { exact, prefix, typos, phrases } = this.forms(item);
    return exact !== null || prefix !== null || typos.length > 0 || phrases.length > 0;
  }

  #makeLevels({ node, allowed }: Item): Levels {
    const { bitmaps } = this.lookups;
    const parts: [number[], number[], number[]] = [[], [], []];
    if (allowed & ZERO) parts[0].push(this.#wordsAt(node, 0));
    else if (allowed & EXACT && node.exact) {
      parts[0].push(node.prefix?.cached ? this.#wordsAt(node, 0) : this.#some(this.lookups.word(node.text)));
    }
    if (allowed & ONE) {
      parts[1].push(this.#wordsAt(node, 1));
      if (node.split) parts[1].push(this.#some(this.lookups.phrase(node.split)));
    }
    if (allowed & TWO) parts[2].push(this.#wordsAt(node, 2));
    const lowest = allowed & (ZERO | EXACT) ? 0 : allowed & ONE ? 1 : 2;
    for (const phrase of node.phrase ? [node.phrase] : node.synonyms) {
      parts[lowest].push(this.#some(this.lookups.phrase(phrase)));
    }
    return [bitmaps.union(parts[0]), bitmaps.union(parts[1]), bitmaps.union(parts[2])];
  }

  /** Documents of the single words of a node at a level. */
  #wordsAt(node: Node, level: number): number {
    const key = node.index * 4 + level;
    let documents = this.#words.get(key);
    if (documents !== undefined) return documents;
    if (level === 0) documents = this.#plainWords(node);
    else documents = this.#typoWords(level === 1 ? node.one : node.two);
    this.#words.set(key, documents);
    return documents;
  }

  /** Documents of the text itself and of what begins with it: one range covers both. */
  #plainWords({ text, exact, prefix, ngram }: Node): number {
    if (!prefix && exact && !ngram) return this.#some(this.lookups.word(text));
    const ranges = prefix?.ranges ?? exact?.ranges;
    if (!ranges) return 0;
    const documents = this.lookups.bitmaps.create();
    this.lookups.add(documents, ranges, ngram);
    return this.#some(documents);
  }

  #typoWords(words: readonly Word[]): number {
    if (!words.length) return 0;
    const documents = this.lookups.bitmaps.create();
    for (const { ranges } of words) this.lookups.add(documents, ranges, true);
    return this.#some(documents);
  }

  #some(documents: number): number {
    return this.lookups.bitmaps.any(documents) ? documents : 0;
  }
}

function formsOf({ node, allowed }: Item): Forms {
  const exact = allowed & (ZERO | EXACT) && node.exact ? node.exact.ranges : null;
  const isPrefix = allowed & ZERO || (exact && node.prefix?.cached);
  const typos = [...(allowed & ONE ? node.one : []), ...(allowed & TWO ? node.two : [])];
  const phrases = node.phrase ? [node.phrase] : [...node.synonyms];
  if (allowed & ONE && node.split) phrases.push(node.split);
  return {
    exact,
    prefix: isPrefix ? (node.prefix?.ranges ?? null) : null,
    typos: typos.map(({ ranges }) => ranges),
    phrases,
  };
}

/** The exact term of an item as a phrase of one or more slots, or null. */
export function exactTerm({ node, allowed }: Item): Phrase | null {
  if (node.phrase) return node.phrase;
  if (node.ngram || !node.exact || !(allowed & (ZERO | EXACT))) return null;
  return { slots: [node.text] };
}
