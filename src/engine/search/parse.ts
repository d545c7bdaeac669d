// The text of a query -> terms, phrases and negatives with their query positions. Called by collection.ts.
// Rules: at most ten terms; a word at the very end is a prefix; `"` toggles a phrase; `-` before a word or
// phrase excludes it.
import { QUERY_TERMS_MAX } from "./limits.ts";
import type { QueryToken } from "./written.ts";

/** Words that must stand together; null is a hole left by a stop word. */
export interface Phrase {
  slots: (string | null)[];
}

/** A word or a phrase of the query; `first` and `last` are query positions. */
export interface Term {
  text: string;
  /** The text as it was written, if the word also stands for that. */
  written: string | null;
  phrase: Phrase | null;
  first: number;
  last: number;
  prefix: boolean;
}

export interface ParsedQuery {
  terms: Term[];
  negativeWords: string[];
  negativePhrases: Phrase[];
}

interface OpenPhrase {
  slots: (string | null)[];
  first: number;
  last: number;
  negative: boolean;
}

/** Reads the tokens of a query from left to right. */
export function parseQuery(tokens: readonly QueryToken[], prefixSearch: boolean): ParsedQuery {
  return new Parser(tokens, prefixSearch).parse();
}

const isQuote = (token: QueryToken): boolean => token.lemma.includes('"');
/** Some characters fold to nothing, such as those that select how another one looks. */
const isThere = (token: QueryToken): boolean => token.lemma !== "";
const endsWithSpace = (token: QueryToken): boolean => /\s$/u.test(token.lemma);

class Parser {
  readonly #tokens: readonly QueryToken[];
  readonly #prefixSearch: boolean;
  readonly #query: ParsedQuery = { terms: [], negativeWords: [], negativePhrases: [] };
  #position = -1;
  #phrase: OpenPhrase | null = null;
  #negative = false;

  constructor(tokens: readonly QueryToken[], prefixSearch: boolean) {
    this.#tokens = tokens;
    this.#prefixSearch = prefixSearch;
  }

  parse(): ParsedQuery {
    const { terms } = this.#query;
    for (let i = 0; i < this.#tokens.length; i++) {
      const { kind } = this.#tokens[i];
      if (kind === "none") continue;
      if (terms.length >= QUERY_TERMS_MAX) break;
      if (kind === "word" || kind === "stop") this.#word(i);
      else this.#separator(i);
    }
    this.#closePhrase();
    return this.#query;
  }

  #word(i: number): void {
    const { lemma, kind, written = null } = this.#tokens[i];
    const position = ++this.#position;
    if (this.#phrase) {
      this.#phrase.slots.push(kind === "stop" ? null : lemma);
      if (kind === "word" && this.#phrase.first < 0) this.#phrase.first = position;
      this.#phrase.last = position;
    } else if (this.#negative) {
      this.#query.negativeWords.push(lemma, ...(written === null ? [] : [written]));
      this.#negative = false;
    } else {
      const last = i === this.#tokens.length - 1;
      if (kind === "stop" && !last) return;
      const prefix = last && this.#prefixSearch;
      const place = { first: position, last: position };
      this.#query.terms.push({ text: lemma, written, phrase: null, ...place, prefix });
    }
  }

  #separator(i: number): void {
    const token = this.#tokens[i];
    if (token.kind === "hard") {
      this.#position += 7;
      if (this.#phrase) {
        const { negative } = this.#phrase;
        this.#closePhrase();
        this.#phrase = openPhrase(negative);
      }
    } else if (isQuote(token)) {
      if (this.#phrase) this.#closePhrase();
      else this.#phrase = openPhrase(this.#negative);
      this.#negative = false;
    } else {
      this.#negative = token.lemma === "-" && !this.#phrase && this.#standsAlone(i);
    }
  }

  /** True for a `-` at the beginning or after white space, directly before a word or a quote. */
  #standsAlone(i: number): boolean {
    const before = this.#tokens.slice(0, i).findLast(isThere);
    const after = this.#tokens.slice(i + 1).find(isThere);
    if (before && !endsWithSpace(before)) return false;
    return after !== undefined && (after.kind === "word" || after.kind === "stop" || isQuote(after));
  }

  #closePhrase(): void {
    const phrase = this.#phrase;
    this.#phrase = null;
    if (!phrase || phrase.slots.every((word) => word === null)) return;
    const { slots, first, last, negative } = phrase;
    if (negative) this.#query.negativePhrases.push({ slots });
    else this.#query.terms.push({ text: "", written: null, phrase: { slots }, first, last, prefix: false });
  }
}

const openPhrase = (negative: boolean): OpenPhrase => ({ slots: [], first: -1, last: -1, negative });
