// Finds the matches in one text of a document: the text is split into tokens in place, and from what each
// word means to the query (matchwords.ts) matches are made, first come, first served. Called by hittexts.ts;
// the findings are for cropping.ts and highlighting.ts.
import type { Core } from "../../core/core.ts";
import { TOKEN_HARD, TOKEN_KIND_BITS, TOKEN_WORDS, type Tokenizer } from "../../core/tokenizer.ts";
import type { Text } from "./coretext.ts";
import { headBytes } from "./headbytes.ts";
import type { MatchWords, Positions, Sequence, WordMatch } from "./matchwords.ts";
import { TokenList } from "./tokenlist.ts";

/** A word, a part of one, or a sequence of words that matches. */
export interface Match {
  /** Range of bytes in the text. */
  start: number;
  end: number;
  firstToken: number;
  lastToken: number;
  /** Numbers of words, separators not counted. */
  firstWord: number;
  lastWord: number;
  /** Query positions for which it stands. */
  positions: Positions;
}

/** A word of the text that the query knows. */
interface Candidate {
  known: WordMatch;
  start: number;
  end: number;
  token: number;
  word: number;
}

export class TextMatches {
  /** Tokens of the last scanned text; if it had no matches, possibly only as many as were asked for. */
  readonly tokens = new TokenList();
  readonly #core: Core;
  readonly #tokenizer: Tokenizer;
  readonly #words: MatchWords;

  constructor(core: Core, tokenizer: Tokenizer, words: MatchWords) {
    this.#core = core;
    this.#tokenizer = tokenizer;
    this.#words = words;
  }

  /** Finds the matches, in order. Without a query, at least `wordsWanted` words of the text become tokens. */
  scan(text: Text, wordsWanted = 0): Match[] {
    const { tokens } = this;
    tokens.clear();
    if (this.#words.isEmpty && !wordsWanted) return [];
    const candidates: Candidate[] = [];
    const { exports } = this.#core;
    const { handle } = this.#tokenizer;
    exports.tokenizerStart(handle, text.address, text.length, this.#tokenizer.localeCode(text.locales));
    const records = exports.tokenizerTokens(handle) >>> 2;
    for (let words = 0; ; ) {
      const count = exports.tokenizerNext(handle);
      if (count <= 0) break;
      words = this.#look(records, count, words, candidates);
      if (this.#words.isEmpty && words > wordsWanted) break;
    }
    return candidates.length ? this.#matches(text, candidates) : [];
  }

  /** Takes over a batch of token records; returns the number of words so far. */
  #look(records: number, count: number, wordsBefore: number, candidates: Candidate[]): number {
    const { u8, u32 } = this.#core;
    const { tokens } = this;
    const known = this.#words;
    let word = wordsBefore;
    for (let record = records; record < records + count * TOKEN_WORDS; record += TOKEN_WORDS) {
      const kind = u32[record + 3] & ((1 << TOKEN_KIND_BITS) - 1);
      const start = u32[record + 2];
      const isSeparator = kind >= TOKEN_HARD;
      tokens.add(start, kind);
      if (isSeparator) continue;
      const lemma = u32[record];
      const bytes = u32[record + 1];
      if (bytes && known.mayBegin(u8[lemma], bytes > 1 ? u8[lemma + 1] : 0)) {
        const match = known.of(Buffer.from(u8.buffer, lemma, bytes).toString());
        const end = start + (u32[record + 3] >>> TOKEN_KIND_BITS);
        if (match) candidates.push({ known: match, start, end, token: tokens.count - 1, word });
      }
      word++;
    }
    const last = records + (count - 1) * TOKEN_WORDS;
    tokens.end = u32[last + 2] + (u32[last + 3] >>> TOKEN_KIND_BITS);
    return word;
  }

  #matches(text: Text, candidates: readonly Candidate[]): Match[] {
    const matches: Match[] = [];
    for (let i = 0; i < candidates.length; ) {
      const { known } = candidates[i];
      const sequence = known.sequences.find((sequence) => stands(sequence, candidates, i));
      const length = sequence?.words.length ?? 1;
      if (sequence || known.lemmaBytes >= 0) {
        const positions = sequence?.positions ?? known.positions;
        const match = matchOf(candidates[i], candidates[i + length - 1], positions);
        if (!sequence && known.lemmaBytes !== Infinity) {
          match.end = match.start + headBytes(this.#core, this.#tokenizer, text, match, known);
        }
        matches.push(match);
      }
      i += length;
    }
    return matches;
  }
}

/** True when the words of a sequence follow each other, starting at a candidate. */
function stands({ words }: Sequence, candidates: readonly Candidate[], from: number): boolean {
  if (from + words.length > candidates.length) return false;
  const { word } = candidates[from];
  return words.every((text, i) => {
    const candidate = candidates[from + i];
    return candidate.word === word + i && candidate.known.lemma === text;
  });
}

const matchOf = (first: Candidate, last: Candidate, positions: Positions): Match => ({
  start: first.start,
  end: last.end,
  firstToken: first.token,
  lastToken: last.token,
  firstWord: first.word,
  lastWord: last.word,
  positions,
});
