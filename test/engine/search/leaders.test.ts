// The short cut for terms that very many documents match (src/engine/search/leaders.ts): its pages equal
// those of a search that ranks all documents, which a threshold of 0 asks for without another effect.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Driver } from "../../../src/engine/search/driver.ts";
import { SearchIndex } from "./searchindex.ts";

const DOCUMENTS = 20_000;
const SPREAD_DOCUMENTS = 24_000;

/** Numbers that look random, the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Few words stand in most documents; `meadow` in all of them, but the best places have it only in some of the
 * last ones.
 */
function documentsOf(seed: number): object[] {
  const random = randomNumbers(seed);
  const words = "sun sunflower sunny summer the garden grows under every warm light stone river".split(" ");
  const pick = () => words[Math.floor(random() ** 2 * words.length)];
  const text = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, pick).join(" ");
  return Array.from({ length: DOCUMENTS }, (_, id) => {
    const isLate = id > 0.75 * DOCUMENTS && random() < 0.01;
    // The few titles that are `lone` and nothing else come late, too.
    const title = random() < 0.1 ? `lone ${text(2)}` : text(3);
    const late = random() < 0.5 ? "lone" : `meadow ${text(2)}`;
    return { id, title: isLate ? late : title, body: `${text(9)} lone meadow` };
  });
}

const rules = ["words", "typo", "proximity", "attributeRank", "wordPosition", "exactness"];
const settings = fc.record(
  {
    rankingRules: fc.constantFrom<string[]>(
      rules,
      ["exactness", ...rules.slice(0, 5)],
      ["typo", "wordPosition", "attribute"],
      rules.slice(0, 5),
    ),
    searchableAttributes: fc.constantFrom<string[]>(["title", "body"], ["body", "title"]),
  },
  { requiredKeys: ["searchableAttributes"] },
);
const query = fc.record(
  {
    q: fc.constantFrom(
      "s",
      "su",
      "sun",
      "sunny ",
      "sun ",
      "sumner",
      "the",
      "t",
      "meadow",
      "meado",
      "lone",
      "gardne",
      "sun the",
    ),
    attributesToSearchOn: fc.constantFrom<string[]>(["title"], ["body"]),
    limit: fc.constantFrom(1, 20, 60),
    offset: fc.constantFrom(0, 40, 300, 900),
  },
  { requiredKeys: ["q"] },
);

test("the first hits of a frequent word are those of a full ranking", () => {
  const property = fc.property(
    fc.nat(9),
    settings,
    fc.array(query, { minLength: 30 }),
    (seed, patch, queries) => {
      const index = new SearchIndex(patch);
      const documents = documentsOf(seed);
      index.add(documents.slice(0, DOCUMENTS / 2));
      index.add(documents.slice(DOCUMENTS / 2));
      index.remove(documents.flatMap((_, id) => (id % 7 === seed ? [id] : [])));
      for (const one of queries) {
        const full = index.search({ ...one, showRankingScoreDetails: true, rankingScoreThreshold: 0 });
        assert.deepEqual(index.search({ ...one, showRankingScoreDetails: true }), full, JSON.stringify(one));
      }
      index.close();
    },
  );
  fc.assert(property, { numRuns: 5, endOnFailure: true });
});

/** How a word stands in the documents that its beginning finds: all that the short cut looks at. */
const spread = fc.record({
  /** Documents that hold the word as it stands: few, more than a part that is tried, or most of them. */
  held: fc.constantFrom(0, 0.0005, 0.01, 0.1, 0.2, 0.22, 0.4, 1),
  /** Those where it is in the better field, and those where it is the whole of a field. */
  titled: fc.constantFrom(0.0005, 0.01, 0.05, 0.3, 1),
  alone: fc.constantFrom(0, 0.001, 0.02, 0.3),
  /** Where they begin, as a part of all. */
  from: fc.constantFrom(0, 0.1, 0.9),
  /** The text begins with it. */
  first: fc.constantFrom(0.01, 1),
  rankingRules: fc.constantFrom<string[]>(
    rules,
    ["exactness", ...rules.slice(0, 5)],
    ["words", "typo", "exactness"],
    ["typo", "attributeRank", "exactness", "wordPosition"],
  ),
});

type Spread = typeof spread extends fc.Arbitrary<infer T> ? T : never;

function spreadDocuments({ held, titled, alone, from, first }: Spread) {
  const random = randomNumbers(7);
  return Array.from({ length: SPREAD_DOCUMENTS }, (_, id) => {
    const isLate = id >= from * SPREAD_DOCUMENTS;
    const word = isLate && random() < held ? "sun" : ["sunny", "sunset"][id % 2];
    const text = random() < first ? `${word} x${id % 7}` : `x${id % 5} ${word}`;
    const isAlone = isLate && random() < alone;
    const isTitled = isLate && random() < titled;
    return isTitled ? { id, title: isAlone ? "sun" : text, body: "none" } : { id, title: "z", body: text };
  });
}

test("so they are wherever the word stands, and in however many documents", () => {
  const property = fc.property(spread, fc.nat(3), ({ rankingRules, ...places }, seed) => {
    const documents = spreadDocuments({ rankingRules, ...places });
    const index = new SearchIndex({ rankingRules, searchableAttributes: ["title", "body"] });
    index.add(documents.slice(0, 5000));
    index.add(documents.slice(5000));
    index.remove(documents.flatMap((_, id) => (id % 50 === seed ? [id] : [])));
    for (const q of ["sun", "sun ", "su"]) {
      for (const [offset, limit] of PAGES) {
        const one = { q, offset, limit, showRankingScoreDetails: true };
        const full = index.search({ ...one, rankingScoreThreshold: 0 });
        assert.deepEqual(index.search(one), full, JSON.stringify(one));
      }
    }
    index.close();
  });
  fc.assert(property, { numRuns: Number(process.env.LEADERS_RUNS ?? 60), endOnFailure: true });
});

const PAGES = [
  [0, 1],
  [0, 7],
  [0, 20],
  [3, 78],
  [0, 199],
];

test("where many documents are best, hundreds are looked at instead of thousands", (t) => {
  const index = new SearchIndex({ searchableAttributes: ["title"] });
  index.add(Array.from({ length: 14_000 }, (_, id) => ({ id, title: id % 2 ? "meadow" : "green meadows" })));
  const run = t.mock.method(Driver.prototype, "run");
  index.search({ q: "mead", limit: 20 });
  const counts = run.mock.calls.map(({ arguments: [documents] }) => documents.count);
  // Calls are noted as they end.
  assert.deepEqual(counts, [500, 14_000]);
  index.close();
});

test("time that runs out at any moment of a short cut ends the ranking, and nothing else", (t) => {
  const index = new SearchIndex({ searchableAttributes: ["title", "body"], searchCutoffMs: 1000 });
  index.add(documentsOf(1));
  // Between two words of a page the clock is looked at again and again: it stands still so many times.
  let left = Number.POSITIVE_INFINITY;
  t.mock.method(performance, "now", () => (left-- > 0 ? 1 : 10_000));
  let partial = 0;
  for (const q of ["meadow", "lone"]) {
    const { hits: full } = index.search({ q, showRankingScoreDetails: true });
    for (let looks = 1; looks < 40; looks++) {
      left = looks;
      const { hits, isPartial } = index.search({ q, showRankingScoreDetails: true });
      left = Number.POSITIVE_INFINITY;
      if (isPartial) partial++;
      else assert.deepEqual(hits, full, `${q}, ${looks}`);
      assert.equal(hits.length, full.length, `${q}, ${looks}`);
    }
  }
  assert.ok(partial > 10, `${partial}`);
  index.close();
});
