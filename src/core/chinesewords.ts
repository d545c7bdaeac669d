// Splits Chinese text into words, as the segmenter jieba does without its model of unknown words: of all ways
// to split a piece it takes the one whose words together are the most frequent (github.com/fxsjy/jieba,
// README, HMM switched off). Called by segmenter.ts and tools/words.mjs.
import { unitsAt } from "./codeunits.ts";
import type { WordTrie } from "./wordtrie.ts";

/** A weight is 1 plus this many times the binary logarithm of a word's frequency. */
const WEIGHT_STEPS = 6;
/** Sum of the frequencies of all words in jieba's dictionary. */
const FREQUENCIES = 60_101_964;
/** Cost of each word, apart from its own weight: the fewer words, the better. */
const WORD_COST = 1 + Math.round(WEIGHT_STEPS * Math.log2(FREQUENCIES));
/** Weight of a character that is no word: it counts as one of frequency 1. */
const UNKNOWN_WEIGHT = 1;
const LETTERS = /^[0-9A-Za-z]+$/;

/** The weight that the files of words store for a frequency. */
export function weightOf(frequency: number): number {
  return 1 + Math.round(WEIGHT_STEPS * Math.log2(frequency));
}

/**
 * Words of a piece, in order; joined they are the piece. Long words would hide their parts from searches:
 * words of more than two characters are split into the shortest words of the dictionary.
 */
export function cutChinese(words: WordTrie, piece: string): string[] {
  const cuts: string[] = [];
  for (const word of bestWords(words, piece)) {
    if (word.length <= 2 || LETTERS.test(word)) cuts.push(word);
    else cuts.push(...shortWords(words, word));
  }
  return cuts;
}

/**
 * Words of two characters are preferred to words of three, from left to right; the rest is single characters.
 */
export function shortWords(words: WordTrie, word: string): string[] {
  const cuts: string[] = [];
  for (let at = 0; at < word.length; at += cuts[cuts.length - 1].length) {
    const candidates = [word.slice(at, at + 2), word.slice(at, at + 3)];
    cuts.push(candidates.find((candidate) => words.has(candidate)) ?? word[at]);
  }
  return cuts;
}

/** The best way to split; among equally good ways, the one with longer words at the beginning. */
function bestWords(words: WordTrie, piece: string): string[] {
  const { length } = piece;
  /** Score of the best way from each place on. */
  const scores = new Int32Array(length + 1);
  const ends = new Int32Array(length);
  for (let at = length - 1; at >= 0; at--) {
    let end = at + unitsAt(piece, at);
    let best = UNKNOWN_WEIGHT - WORD_COST + scores[end];
    let isKnown = false;
    for (let node = 0, to = at; to < length; ) {
      node = words.next(node, piece.charCodeAt(to++));
      if (node === 0) break;
      const weight = words.weightAt(node);
      const score = weight - WORD_COST + scores[to];
      if (weight === 0 || (isKnown && score < best)) continue;
      best = score;
      end = to;
      isKnown = true;
    }
    scores[at] = best;
    ends[at] = end;
  }
  return joinLetters(piece, ends);
}

/** The words that end at `ends`; consecutive single letters and digits of ASCII are joined. */
function joinLetters(piece: string, ends: Int32Array): string[] {
  const words: string[] = [];
  let letters = "";
  for (let at = 0; at < piece.length; at = ends[at]) {
    const word = piece.slice(at, ends[at]);
    if (word.length === 1 && LETTERS.test(word)) {
      letters += word;
      continue;
    }
    if (letters) words.push(letters);
    letters = "";
    words.push(word);
  }
  if (letters) words.push(letters);
  return words;
}
