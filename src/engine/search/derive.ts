// Turns the terms of a query into the nodes of its graph: each term, and each run of two or three
// neighbouring terms written as one word, with everything that it may stand for: the word itself, words it
// begins, words one or two typos away, two words it splits into, synonyms. Called by collection.ts; the rules
// are those of the reference ranking.
import type { Tokenizer } from "../../core/tokenizer.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ManifestState } from "../../segment/manifeststate.ts";
import { remembered } from "../remembered.ts";
import { KNOWN_MAX, SYNONYM_WORDS_MAX, SYNONYMS_MAX, WORD_BYTES_MAX } from "./limits.ts";
import type { Phrase, Term } from "./parse.ts";
import type { Node } from "./querynode.ts";
import type { SearchCore } from "./searchcore.ts";
import type { Vocabulary, Word } from "./vocabulary.ts";

type Derivations = Pick<Node, "exact" | "prefix" | "one" | "two" | "split" | "synonyms" | "budget">;

const writtenOf = ({ written, text }: Term): string => written ?? text;

/** Tables of synonyms, made once for the settings of an index as read from its manifest. */
const synonymTables = new WeakMap<Settings, Map<string, Phrase[]>>();
/** Words for which no typos are allowed, likewise. */
const exactWordSets = new WeakMap<Settings, Set<string>>();

export class Deriver {
  readonly #settings: Settings;
  readonly #vocabulary: Vocabulary;
  readonly #search: SearchCore;
  readonly #tokenizer: Tokenizer;
  #synonyms: Map<string, Phrase[]> | null = null;

  constructor(settings: Settings, search: SearchCore, tokenizer: Tokenizer) {
    this.#settings = settings;
    this.#vocabulary = search.vocabulary;
    this.#search = search;
    this.#tokenizer = tokenizer;
  }

  /**
   * Nodes in creation order: for each term the term itself, then the 2-gram and the 3-gram that end with it.
   */
  nodes(terms: readonly Term[]): Node[] {
    const nodes: Node[] = [];
    const add = (from: number, to: number, part: Omit<Node, "from" | "to" | "first" | "last" | "size">) => {
      const place = { first: terms[from].first, last: terms[to].last, size: to - from + 1 };
      nodes.push({ from, to, ...place, ...part });
    };
    terms.forEach((term, i) => {
      const { text, written, phrase, prefix } = term;
      if (phrase) {
        add(i, i, { text, phrase, ngram: false, ...NOTHING });
        return;
      }
      const fits = Buffer.byteLength(text) <= WORD_BYTES_MAX;
      add(i, i, {
        text,
        phrase,
        ngram: false,
        ...(fits ? this.#derive(text, prefix, [text], written) : NOTHING),
      });
      for (const size of [2, 3]) {
        const parts = terms.slice(Math.max(0, i - size + 1), i + 1);
        if (parts.length < size || !parts.every((part, k) => k === 0 || follows(parts[k - 1], part)))
          continue;
        const joined = parts.map((part) => part.text).join("");
        if (parts[0].phrase || Buffer.byteLength(joined) > WORD_BYTES_MAX) continue;
        const words = parts.map((part) => part.text);
        const isWritten = parts.some((part) => part.written !== null);
        add(i - size + 1, i, {
          text: joined,
          phrase: null,
          ngram: true,
          ...this.#derive(joined, prefix, words, isWritten ? parts.map(writtenOf).join("") : null),
        });
      }
    });
    return nodes;
  }

  #derive(text: string, isPrefix: boolean, parts: readonly string[], written: string | null): Derivations {
    const exact = this.#vocabulary.find(text);
    const prefix = isPrefix
      ? this.#vocabulary.prefix(text, this.#settings.prefixSearch === "indexingTime")
      : null;
    const budget = Math.max(0, this.#budget(text) - (parts.length - 1));
    const { one, two } = budget ? this.#typos(text, budget, isPrefix) : { one: [], two: [] };
    const synonyms = limited(this.#synonymsOf(text));
    if (parts.length > 1) synonyms.push(...this.#synonymsOf(parts.join(" ")));
    if (written !== null && this.#vocabulary.find(written)) synonyms.push({ slots: [written] });
    const split = this.#split(text, parts.length === 2 ? parts[0] : null);
    return { exact, prefix, one, two, split, synonyms, budget };
  }

  #budget(text: string): number {
    const { enabled, minWordSizeForTypos } = this.#settings.typoTolerance;
    if (!enabled) return 0;
    const length = [...text].length;
    if (length < minWordSizeForTypos.oneTypo) return 0;
    if (this.#isExact(text)) return 0;
    return length < minWordSizeForTypos.twoTypos ? 1 : 2;
  }

  #isExact(text: string): boolean {
    const { disableOnWords } = this.#settings.typoTolerance;
    const make = () => new Set(disableOnWords.map((word) => this.#tokenizer.foldTokens(word)));
    return remembered(exactWordSets, this.#settings, make).has(text);
  }

  #typos(text: string, budget: number, isPrefix: boolean): Typos {
    const known = knownOf(typos, this.#search.bitmaps.reader.state);
    const key = `${budget} ${isPrefix} ${text}`;
    let words = known.get(key);
    if (!words) {
      words = this.#vocabulary.typos(text, budget, isPrefix);
      known.set(key, words);
    }
    return words;
  }

  #split(text: string, asked: string | null): Phrase | null {
    // With `byAttribute` the split depends on the fields of the search; otherwise only on the index.
    if (this.#search.options.byAttribute) return this.#bestSplit(text, asked);
    const known = knownOf(splits, this.#search.bitmaps.reader.state);
    const key = asked === null ? text : `${asked}\0${text}`;
    let split = known.get(key);
    if (split === undefined) {
      split = this.#bestSplit(text, asked);
      known.set(key, split);
    }
    return split;
  }

  /**
   * The two words of the index into which a text can be split, by how often they occur together, unless the
   * query itself contains that split.
   */
  #bestSplit(text: string, asked: string | null): Phrase | null {
    const letters = Buffer.from(text);
    const bytes = this.#search.split(letters, asked === null ? 0 : Buffer.byteLength(asked));
    if (bytes === 0) return null;
    return { slots: [letters.toString("utf8", 0, bytes), letters.toString("utf8", bytes)] };
  }

  #synonymsOf(key: string): Phrase[] {
    this.#synonyms ??= remembered(synonymTables, this.#settings, () => this.#synonymTable());
    return this.#synonyms.get(key) ?? [];
  }

  #synonymTable(): Map<string, Phrase[]> {
    const words = (text: string) =>
      this.#tokenizer
        .tokenize(text)
        .filter(({ kind }) => kind === "word")
        .map(({ lemma }) => lemma);
    const values = new Map<string, Set<string>>();
    for (const [key, list] of Object.entries(this.#settings.synonyms)) {
      const lemmas = words(key).join(" ");
      if (lemmas) values.set(lemmas, new Set([...(values.get(lemmas) ?? []), ...list]));
    }
    const table = new Map<string, Phrase[]>();
    for (const [key, set] of values) {
      const phrases = [...set].sort(compareBytes).map((value) => ({ slots: words(value) }));
      table.set(
        key,
        phrases.filter(({ slots }) => slots.length > 0),
      );
    }
    return table;
  }
}

/** Findings that depend only on the version of an index. */
type Known<Derived> = WeakMap<ManifestState, Map<string, Derived>>;

interface Typos {
  one: Word[];
  two: Word[];
}

const splits: Known<Phrase | null> = new WeakMap();
const typos: Known<Typos> = new WeakMap();

function knownOf<Derived>(all: Known<Derived>, state: ManifestState): Map<string, Derived> {
  const known = all.get(state);
  if (known && known.size < KNOWN_MAX) return known;
  const fresh = new Map<string, Derived>();
  all.set(state, fresh);
  return fresh;
}

const NOTHING: Derivations = {
  exact: null,
  prefix: null,
  one: [],
  two: [],
  split: null,
  synonyms: [],
  budget: 0,
};

const follows = (a: Term, b: Term): boolean => !a.phrase && !b.phrase && b.first === a.last + 1;
const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The first values found by a look-up, bounded in number and in words. */
function limited(phrases: readonly Phrase[]): Phrase[] {
  let words = 0;
  return phrases.slice(0, SYNONYMS_MAX).filter(({ slots }) => {
    if (words + slots.length > SYNONYM_WORDS_MAX) return false;
    words += slots.length;
    return true;
  });
}
