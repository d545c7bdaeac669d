// Tells which words of a text match the query: what its nodes (derive.ts) stand for, arranged so that one
// folded word at a time can be looked up. Called by textmatches.ts for the texts of hits.
import type { Term } from "./parse.ts";
import type { Node } from "./querynode.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Query positions, ascending. */
export type Positions = readonly number[];

/** A run of words that matches as a whole. */
export interface Sequence {
  words: readonly string[];
  positions: Positions;
}

/** What a folded word means for the query. */
export interface WordMatch {
  lemma: string;
  /** When it matches by itself, the number of bytes of the lemma that match, Infinity for all; else -1. */
  lemmaBytes: number;
  positions: Positions;
  /** Sequences that begin with it, in the order in which to try them. */
  sequences: readonly Sequence[];
}

/** A term that also matches longer words that begin with it. */
interface PrefixTerm {
  node: Node;
  positions: Positions;
  /** Number of characters that were typed: a longer match is cut there. */
  characters: number;
  typos: readonly string[];
}

const NO_POSITIONS: Positions = [];
const BYTE_VALUES = 256;

export class MatchWords {
  readonly #vocabulary: Vocabulary;
  readonly #exact = new Map<string, Positions>();
  readonly #prefixTerms: PrefixTerm[] = [];
  readonly #sequences = new Map<string, Sequence[]>();
  readonly #sequenceWords = new Set<string>();
  /** One bit for each pair of first bytes; the second byte is 0 for words of one byte. */
  readonly #heads = new Uint8Array((BYTE_VALUES * BYTE_VALUES) / 8);
  readonly #known = new Map<string, WordMatch | null>();

  constructor(nodes: readonly Node[], terms: readonly Term[], vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    const ordered = [...nodes.filter(({ ngram }) => !ngram), ...nodes.filter(({ ngram }) => ngram)];
    for (const node of ordered) this.#addSequences(node, positionsOf(node));
    // Words that stand for a larger part of the query are tried first.
    for (const node of ordered.toSorted((a, b) => b.last - b.first - (a.last - a.first))) {
      if (terms[node.to].prefix) this.#addPrefix(node, positionsOf(node));
      else this.#addExact(node, positionsOf(node));
    }
  }

  /** True when no text can have a match. */
  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#prefixTerms.length === 0 && this.#sequences.size === 0;
  }

  /** False when no word that begins with these bytes matches; `second` is 0 for a word of one byte. */
  mayBegin(first: number, second: number): boolean {
    const head = first * BYTE_VALUES + second;
    return (this.#heads[head >> 3] & (1 << (head & 7))) !== 0;
  }

  /** The match of a folded word, null when it has none. */
  of(lemma: string): WordMatch | null {
    let match = this.#known.get(lemma);
    if (match === undefined) {
      match = this.#find(lemma);
      this.#known.set(lemma, match);
    }
    return match;
  }

  #addSequences({ phrase, synonyms, split }: Node, positions: Positions): void {
    const phrases = phrase ? [phrase] : split ? [...synonyms, split] : synonyms;
    for (const { slots } of phrases) {
      // In the texts of hits, stop words are words like any other: none of them can fill a hole.
      const words = slots.filter((word) => word !== null);
      if (words.length < slots.length) continue;
      const begun = this.#sequences.get(words[0]);
      if (begun) begun.push({ words, positions });
      else this.#sequences.set(words[0], [{ words, positions }]);
      for (const word of words) {
        this.#sequenceWords.add(word);
        this.#addHead(word, false);
      }
    }
  }

  #addExact({ exact, one, two }: Node, positions: Positions): void {
    for (const word of [...(exact ? [exact] : []), ...one, ...two]) {
      if (!this.#exact.has(word.text)) this.#exact.set(word.text, positions);
      this.#addHead(word.text, false);
    }
  }

  #addPrefix(node: Node, positions: Positions): void {
    const typos = [...node.one, ...node.two].map(({ text }) => text).sort();
    this.#prefixTerms.push({ node, positions, characters: [...node.text].length, typos });
    if (node.prefix) this.#addHead(node.text, true);
    for (const text of typos) this.#addHead(text, true);
  }

  #addHead(text: string, isPrefix: boolean): void {
    const [first, second] = Buffer.from(text);
    const at = first * BYTE_VALUES;
    if (isPrefix && second === undefined) this.#heads.fill(0xff, at >> 3, (at + BYTE_VALUES) >> 3);
    else this.#heads[(at + (second ?? 0)) >> 3] |= 1 << ((second ?? 0) & 7);
  }

  #find(lemma: string): WordMatch | null {
    const sequences = this.#sequences.get(lemma) ?? [];
    const exact = this.#exact.get(lemma);
    if (exact) return { lemma, lemmaBytes: Infinity, positions: exact, sequences };
    for (const term of this.#prefixTerms) {
      const word = this.#begins(term, lemma);
      if (word === null) continue;
      const typed = [...word].slice(0, term.characters).join("");
      const lemmaBytes = typed.length < lemma.length ? Buffer.byteLength(typed) : Infinity;
      return { lemma, lemmaBytes, positions: term.positions, sequences };
    }
    if (!this.#sequenceWords.has(lemma)) return null;
    return { lemma, lemmaBytes: -1, positions: NO_POSITIONS, sequences };
  }

  /** The word of a term that a lemma begins with, or null. */
  #begins({ node, typos }: PrefixTerm, lemma: string): string | null {
    if (node.prefix && lemma.startsWith(node.text)) {
      if (node.exact || node.prefix.cached || this.#holdsHead(lemma, node.text)) return node.text;
    }
    return typos.find((text) => lemma.startsWith(text)) ?? null;
  }

  /** Whether the index has a word that begins with a text and that a lemma begins with. */
  #holdsHead(lemma: string, text: string): boolean {
    for (let length = lemma.length; length > text.length; length--) {
      if (this.#vocabulary.find(lemma.slice(0, length))) return true;
    }
    return false;
  }
}

const positionsOf = ({ first, last }: Node): Positions =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
