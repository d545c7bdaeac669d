// Cuts Chinese text into words, as the segmenter jieba does without its model of unknown words: of all ways
// to cut a piece the one whose words are the most frequent together (github.com/fxsjy/jieba, README, HMM
// switched off). Called by segmenter.ts and tools/words.mjs.
import { unitsAt } from "./codeunits.ts";
import type { WordTrie } from "./wordtrie.ts";

/** A weight is 1 plus so many times the binary logarithm of a word's frequency. */
const WEIGHT_STEPS = 4;
/** Frequencies of all words of jieba's dictionary together. */
const FREQUENCIES = 60_101_964;
/** What a word costs beside its own weight: the fewer words, the better. */
const WORD_COST = 1 + Math.round(WEIGHT_STEPS * Math.log2(FREQUENCIES));
/** Of a character that is no word: it counts as one of frequency 1. */
const UNKNOWN_WEIGHT = 1;
const LETTERS = /^[0-9A-Za-z]+$/;

/** The weight of a word of a frequency, in the files of words. */
export function weightOf(frequency: number): number {
  return 1 + Math.round(WEIGHT_STEPS * Math.log2(frequency));
}

/**
 * Words of a piece, in order; together they are the piece. Long words would hide their parts from searches:
 * those of more than two characters are cut into the shortest words of the dictionary.
 */
export function cutChinese(words: WordTrie, piece: string): string[] {
  const cuts: string[] = [];
  for (const word of bestWords(words, piece)) {
    if (word.length <= 2 || LETTERS.test(word)) cuts.push(word);
    else cuts.push(...shortWords(words, word));
  }
  return cuts;
}

/** Words of two characters before words of three, from left to right; else single characters. */
export function shortWords(words: WordTrie, word: string): string[] {
  const cuts: string[] = [];
  for (let at = 0; at < word.length; at += cuts[cuts.length - 1].length) {
    const candidates = [word.slice(at, at + 2), word.slice(at, at + 3)];
    cuts.push(candidates.find((candidate) => words.has(candidate)) ?? word[at]);
  }
  return cuts;
}

/** Of ways that are as good, the one whose words are longer at the beginning. */
function bestWords(words: WordTrie, piece: string): string[] {
  const { length } = piece;
  /** Of the best way from each place on. */
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

/** The words that end at `ends`, single letters and digits of ASCII in one as far as they go. */
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
