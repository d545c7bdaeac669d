// Documents of frequent words that are kept between searches (assembly/search/kept-words.ts): whatever was
// asked before, and however the index has changed since, a search finds what holds its words now.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SearchIndex } from "./searchindex.ts";

const DOCUMENTS = 3000;
/** Each stands in enough documents to be kept; all of them together have no room. */
const WORDS = Array.from({ length: 60 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`);

/** Texts by id. */
type Texts = Map<number, Set<string>>;

class KeptIndex {
  readonly #index = new SearchIndex({
    typoTolerance: { enabled: false },
    pagination: { maxTotalHits: 10 * DOCUMENTS },
  });
  readonly #texts: Texts = new Map();

  /** Puts documents in, or others in their place. */
  add(firstId: number, seed: number): void {
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
      const id = firstId + i;
      const text = WORDS.filter((_, word) => (Math.imul(id + 1, 2654435761) + seed * word * 40503) % 11 < 9);
      this.#texts.set(id, new Set(text));
      return { id, text: text.join(" ") };
    });
    this.#index.add(documents);
  }

  remove(rest: number): void {
    const ids = [...this.#texts.keys()].filter((id) => id % 7 === rest);
    this.#index.remove(ids);
    for (const id of ids) this.#texts.delete(id);
  }

  merge(): void {
    this.#index.merge();
  }

  check(words: readonly string[], without: string): void {
    const found = [...this.#texts].filter(
      ([, text]) => words.every((word) => text.has(word)) && !text.has(without),
    );
    const q = `${words.join(" ")} -${without} `;
    const { hits, total } = this.#index.search({
      q,
      limit: 50,
      matchingStrategy: "all",
      attributesToRetrieve: ["id"],
    });
    assert.equal(total, found.length, q);
    const ids = new Set(found.map(([id]) => id));
    assert.ok(
      hits.every(({ id }) => ids.has(id)),
      q,
    );
  }

  close(): void {
    this.#index.close();
  }
}

const word = fc.constantFrom(...WORDS);
const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ add: fc.nat(3), seed: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.constant({ merge: true }) },
  {
    weight: 27,
    arbitrary: fc.record({ words: fc.uniqueArray(word, { minLength: 1, maxLength: 9 }), without: word }),
  },
);

test("frequent words are found as the index stands", () => {
  const steps = fc.array(fc.tuple(fc.nat(1), step), { minLength: 150, maxLength: 200, size: "max" });
  const property = fc.property(steps, (steps) => {
    const indexes = [new KeptIndex(), new KeptIndex()];
    for (const [i, index] of indexes.entries()) index.add(0, i + 1);
    for (const [i, one] of steps) {
      if ("add" in one) indexes[i].add(one.add * DOCUMENTS, one.seed);
      else if ("remove" in one) indexes[i].remove(one.remove);
      else if ("merge" in one) indexes[i].merge();
      else indexes[i].check(one.words, one.without);
    }
    for (const index of indexes) index.close();
  });
  fc.assert(property, { numRuns: 4, endOnFailure: true });
});
