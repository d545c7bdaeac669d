// Several phrases in a query, long ones, and ones with stop words; words that are joined, split, or numbers:
// the order and the scores must be those of the naive ranker.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { randomOf } from "../../twins/clusters.ts";
import { NaiveIndex, type TestDocument } from "./naiveindex.ts";
import { naiveSearch, type TestQuery } from "./naiveranker.ts";
import { SearchIndex } from "./searchindex.ts";

/** Documents whose two fields have up to `most` words each. */
function documentsOf(words: string, count: number, most: number): TestDocument[] {
  const random = randomOf(count);
  const all = words.split(" ");
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => all[Math.floor(random() * all.length)]);
  return Array.from({ length: count }, (_, id) => ({ id, title: text().join(" "), body: text().join(" ") }));
}

function compare(
  documents: readonly TestDocument[],
  patch: SettingsPatch,
  queries: readonly TestQuery[],
): void {
  const index = new SearchIndex(patch);
  index.add(documents.slice(0, 30));
  index.add(documents.slice(30));
  const naive = new NaiveIndex(documents, patch);
  for (const one of queries) {
    const rounded = (hits: [number, number][]) => hits.map(([id, score]) => [id, Number(score.toFixed(10))]);
    const all = { ...one, limit: 1000 };
    const [found, expected] = [index.ranked(all), naiveSearch(naive, all)];
    assert.ok(expected.hits.length > 0, one.q);
    assert.deepEqual(rounded(found.hits), rounded(expected.hits), one.q);
  }
  index.close();
}

test("all words of a phrase are near each other, in each of several phrases", () => {
  const documents = documentsOf("sun flower dog the net", 120, 9);
  const queries = [
    '"sun flower dog"',
    '"sun flower dog net"',
    '"sun the flower"',
    '"sun the flower" "sun flower"',
    '"sun flower" "sun the flower"',
    '"sun flower" "sun dog"',
    '"sun dog" "net dog" "sun flower"',
    '"sun sun flower"',
    '"sun the dog net"',
  ];
  for (const proximityPrecision of ["byWord", "byAttribute"] as const)
    compare(
      documents,
      { proximityPrecision, stopWords: ["the"] },
      queries.map((q) => ({ q })),
    );
});

test("a word that can be split has synonyms as well", () => {
  const documents = documentsOf("quick brown quickbrown fox dog lazy", 120, 7);
  const synonyms = { quickbrown: ["fox dog", "lazy fox", "dog lazy fox"] };
  const queries = ["quickbrown", "quickbrown lazy", "dog quickbrown"].map((q) => ({ q }));
  for (const rankingRules of [
    ["proximity"],
    ["attributeRank"],
    ["wordPosition"],
    ["words", "typo", "proximity"],
  ])
    compare(documents, { synonyms, rankingRules, searchableAttributes: ["title", "body"] }, queries);
});

test("of words that begin alike, only the numbers are left out where numbers have no typos", () => {
  const documents = documentsOf("12 12a 123 12b3 1 2 x", 60, 2);
  const queries = [{ q: "1 2" }, { q: "x 1 2" }, { q: "12" }];
  for (const disableOnNumbers of [false, true])
    compare(documents, { typoTolerance: { disableOnNumbers } }, queries);
});

test("a word of no document is in none of very many", () => {
  const index = new SearchIndex({ typoTolerance: { enabled: false } });
  index.add(Array.from({ length: 40_000 }, (_, id) => ({ id, title: "sun" })));
  for (const q of ["flower", "flower sun", "sun flower", "flower dog sun"])
    assert.equal(index.search({ q, matchingStrategy: "all" }).total, 0, q);
  index.close();
});
