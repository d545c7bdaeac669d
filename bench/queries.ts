// Queries made from the data itself, the same in every run: words of it, cut, mistyped and combined.
import type { Dataset } from "./datasets.ts";

export interface QueryClass {
  name: string;
  queries: string[];
}

const SEED = 12_345;
const LETTERS = "etaoinshrdlu";

export function makeQueries(dataset: Dataset, perClass: number): QueryClass[] {
  const random = makeRandom(SEED);
  const below = (count: number) => Math.floor(random() * count);
  const words = () => {
    for (;;) {
      const document = dataset.documents[below(dataset.documents.length)];
      const text = dataset.fields.map((field) => document[field] ?? "").join(" ");
      const found = text.toLowerCase().match(/[a-z]{5,}/g);
      if (found) return found;
    }
  };
  const word = () => {
    const found = words();
    return found[below(found.length)];
  };
  const repeat = (make: () => string) => Array.from({ length: perClass }, make);
  return [
    { name: "one word", queries: repeat(word) },
    { name: "prefix", queries: repeat(() => word().slice(0, 4)) },
    { name: "one typo", queries: repeat(() => mistype(word(), below)) },
    { name: "two words", queries: repeat(() => words().slice(0, 2).join(" ")) },
    { name: "three of one document", queries: repeat(() => words().slice(-3).reverse().join(" ")) },
    { name: "two of two documents", queries: repeat(() => `${word()} ${word()}`) },
  ];
}

/** Replaces a letter; the first one stays, because engines take a typo there for a larger mistake. */
function mistype(word: string, below: (count: number) => number): string {
  const at = 1 + below(word.length - 1);
  return word.slice(0, at) + LETTERS[below(LETTERS.length)] + word.slice(at + 1);
}

/** Numbers in [0, 1) by a linear congruential generator (constants of Numerical Recipes). */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
