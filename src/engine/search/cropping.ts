// Which part of a text is shown when it is too long: a number of words around the best run of matches. Called
// by highlighting.ts. The rules are those of the reference search.
import type { Match } from "./textmatches.ts";
import type { TokenList } from "./tokenlist.ts";

/** A range of bytes of a text. */
export interface Window {
  from: number;
  to: number;
}

/** Distance between two matches that is counted at most, in words. */
const GAP_MAX = 7;

/** The window of `size` words (at least 1) around the best matches; from the beginning if there are none. */
export function cropWindow(tokens: TokenList, matches: readonly Match[], size: number): Window {
  if (!matches.length) return grow(tokens, 0, 0, size);
  const run = bestRun(matches, size);
  const first = run[0];
  const last = run[run.length - 1];
  const words = last.lastWord - first.firstWord + 1;
  if (words > size) return shortened(tokens, last, words - size);
  return grow(tokens, first.firstToken, last.lastToken + 1, size - words);
}

/** The run of matches within `size` words that covers most of the query; the first such run on ties. */
function bestRun(matches: readonly Match[], size: number): readonly Match[] {
  const run = new Run(matches);
  let best: readonly [from: number, to: number] = [0, 1];
  let bestScore: Score = [-Infinity, 0, 0];
  const consider = () => {
    if (run.from === run.to || !isBetter(run.score, bestScore)) return;
    [best, bestScore] = [[run.from, run.to], run.score];
  };
  for (let i = 0; i < matches.length; i++) {
    if (!fits(matches, run.from, i, size)) {
      consider();
      while (run.from <= i && !fits(matches, run.from, i, size)) run.dropFirst();
    }
    if (run.from <= i) run.takeNext();
  }
  // A last match that fills the window by itself is passed over, as the reference does.
  const isFilled = run.from === matches.length - 1 && wordsOf(matches[run.from]) === size;
  if (!isFilled) consider();
  return matches.slice(...best);
}

const wordsOf = ({ firstWord, lastWord }: Match): number => lastWord - firstWord + 1;

const fits = (matches: readonly Match[], from: number, to: number, size: number): boolean =>
  from > to || matches[to].lastWord - matches[from].firstWord < size;

/** Number of query positions covered, distances (negative), number of pairs in the order of the query. */
type Score = readonly [met: number, closeness: number, ordered: number];

/**
 * Matches [from, to), with a score that is kept up to date as matches enter and leave: runs may be as long as
 * the text.
 */
class Run {
  from = 0;
  to = 0;
  readonly #matches: readonly Match[];
  /** How many matches cover each query position. */
  readonly #met = new Map<number, number>();
  #closeness = 0;
  #ordered = 0;

  constructor(matches: readonly Match[]) {
    this.#matches = matches;
  }

  get score(): Score {
    return [this.#met.size, this.#closeness, this.#ordered];
  }

  takeNext(): void {
    this.#count(this.to, 1);
    if (this.to > this.from) this.#countPair(this.to - 1, 1);
    this.to++;
  }

  /** Drops the first match; an empty run moves on past the next match. */
  dropFirst(): void {
    if (this.from === this.to) {
      this.from = ++this.to;
      return;
    }
    this.#count(this.from, -1);
    if (this.from + 1 < this.to) this.#countPair(this.from, -1);
    this.from++;
  }

  #count(at: number, sign: 1 | -1): void {
    const { firstWord, lastWord, positions } = this.#matches[at];
    for (const position of new Set(positions)) {
      const times = (this.#met.get(position) ?? 0) + sign;
      if (times === 0) this.#met.delete(position);
      else this.#met.set(position, times);
    }
    this.#closeness -= sign * (lastWord - firstWord);
    this.#ordered += sign * (lastWord - firstWord);
  }

  #countPair(at: number, sign: 1 | -1): void {
    const [match, next] = [this.#matches[at], this.#matches[at + 1]];
    this.#closeness -= sign * Math.min(GAP_MAX, next.firstWord - match.lastWord);
    if (next.positions[0] > match.positions[0]) this.#ordered += sign;
  }
}

function isBetter(a: Score, b: Score): boolean {
  const place = a.findIndex((value, i) => value !== b[i]);
  return place >= 0 && a[place] > b[place];
}

/** A match that is too long loses words at its end; the text before it stays. */
function shortened(tokens: TokenList, { lastToken }: Match, surplus: number): Window {
  let cut = lastToken + 1;
  for (let left = surplus; left > 0; ) if (!tokens.isSeparator(--cut)) left--;
  return { from: 0, to: tokens.start(tokens.isSeparator(cut - 1) ? cut - 1 : cut) };
}

/** Grows a window of tokens [from, to) on both sides until it has gained this many words. */
function grow(tokens: TokenList, from: number, to: number, words: number): Window {
  let left = from - 1;
  let right = to;
  for (let rest = words; rest > 0 && (left >= 0 || right < tokens.count); ) {
    const side = sideToTake(tokens, left, right);
    const isWord = !tokens.isSeparator(side === "right" ? right : left);
    if (side !== "right") {
      left--;
      if (isWord) rest--;
    }
    // After the last word there should be no separator in front of the marker.
    if (side === "right" || (side === "both" && (isWord ? rest > 0 : rest > 1))) {
      right++;
      if (isWord) rest--;
    }
  }
  return { from: tokens.start(left + 1), to: tokens.start(right) };
}

function sideToTake(tokens: TokenList, left: number, right: number): "left" | "right" | "both" {
  if (left < 0) return "right";
  if (right >= tokens.count) return "left";
  const isLeftWord = !tokens.isSeparator(left);
  const isRightWord = !tokens.isSeparator(right);
  if (isLeftWord !== isRightWord) return isLeftWord ? "left" : "right";
  if (isLeftWord || tokens.isHard(left) === tokens.isHard(right)) return "both";
  return tokens.isHard(left) ? "right" : "left";
}
