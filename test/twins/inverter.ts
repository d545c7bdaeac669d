// The inverted index of some documents with maps and arrays: words and positions as section 1.7 of the
// ranking reference says.
import type { Token } from "../../src/core/tokenizer.ts";
import type { Posting } from "./postings.ts";

const WHITE_SPACE = /^\p{White_Space}+|\p{White_Space}+$/gu;

/** The tokens of one value of a field; none for null and containers. */
export interface Leaf {
  field: number;
  tokens: readonly Token[];
}

export interface IndexedDocument {
  docid: number;
  leaves: readonly Leaf[];
}

/** Postings by term; the bytes of a term are the characters of a latin-1 string. */
export function invert(documents: readonly IndexedDocument[]): Map<string, Posting[]> {
  const terms = new Map<string, Posting[]>();
  const add = (term: string, docid: number, key: number): void => {
    const postings = terms.get(term) ?? [];
    terms.set(term, postings);
    if (postings.at(-1)?.docid !== docid) postings.push({ docid, keys: [] });
    postings.at(-1)?.keys.push(key);
  };
  for (const { docid, leaves } of documents) {
    const starts = new Map<number, number>();
    const counts = new Map<number, number>();
    for (const { field, tokens } of leaves) {
      const last = starts.get(field);
      starts.set(field, last === undefined ? 0 : last + 8);
      counts.set(field, counts.get(field) ?? 0);
      for (const { word, position } of wordsOf(tokens, starts.get(field) as number)) {
        const key = field * 65536 + position;
        for (const term of [word, ...beginning(word)]) add(term, docid, key);
        starts.set(field, position);
        counts.set(field, (counts.get(field) as number) + 1);
      }
    }
    for (const [field, count] of counts) {
      if (count <= 30) add(String.fromCharCode(0, field >> 8, field & 255, count), docid, 0);
    }
  }
  return terms;
}

/** The pseudo-term of the character that a word (its bytes) begins with. */
function beginning(word: string): string[] {
  const first = word.charCodeAt(0);
  return first < 0xe0 ? [`\0${word.slice(0, first < 0x80 ? 1 : 2)}`] : [];
}

function wordsOf(tokens: readonly Token[], start: number): { word: string; position: number }[] {
  const words: { word: string; position: number }[] = [];
  let position = start;
  let step = 0;
  for (const { lemma, kind } of tokens) {
    if (lemma === "") continue;
    if (kind === "hard" && step > 0) step = 8;
    if (kind !== "word" && kind !== "stop") continue;
    position += step;
    step = 1;
    const word = Buffer.from(lemma.replace(WHITE_SPACE, "")).toString("latin1");
    const isEmitted = kind === "word" && word !== "" && word.length <= 250 && position < 65536;
    if (isEmitted) words.push({ word, position });
  }
  return words;
}
