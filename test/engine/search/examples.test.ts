// The ranking on small collections whose order and scores are known: what each rule is about, one test per
// rule.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchBody } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { SearchIndex } from "./searchindex.ts";

type Expected = [id: number, score: number][];

function indexOf(texts: Record<number, string>, settings: SettingsPatch): SearchIndex {
  const index = new SearchIndex({ searchableAttributes: ["text"], ...settings });
  index.add(Object.entries(texts).map(([id, text]) => ({ id: Number(id), text })));
  return index;
}

function expect(index: SearchIndex, query: SearchBody, expected: Expected): void {
  const { hits } = index.ranked(query);
  assert.deepEqual(
    hits.map(([id]) => id),
    expected.map(([id]) => id),
    JSON.stringify(query),
  );
  hits.forEach(([id, score], i) => {
    assert.ok(Math.abs(score - expected[i][1]) < 1e-9, `${JSON.stringify(query)}: ${id} has ${score}`);
  });
}

const ids = (index: SearchIndex, query: SearchBody) => index.ranked(query).hits.map(([id]) => id);

const FOX = "the quick brown fox jumps over the lazy dog";
const sentences = {
  3: "the quick brown",
  4: "the quick brown fox",
  5: "the quick brown fox jumps",
  6: "the quick brown fox jumps over",
  7: "the quick brown fox jumps over the",
  8: "the quick brown fox jumps over the lazy",
  9: FOX,
  10: "dog lazy the over jumps fox brown quick the",
  11: "the quick brown fox talks to the lazy dog",
};

test("words: terms go from the last one on, and what follows a missing term does not count", () => {
  const index = indexOf(sentences, { rankingRules: ["words"] });
  const ninth = (count: number) => count / 9;
  const expected: Expected = [
    [9, 1],
    [10, 1],
    [8, ninth(8)],
    [6, ninth(7)],
    [7, ninth(7)],
    [5, ninth(5)],
    [4, ninth(4)],
    [11, ninth(4)],
    [3, ninth(3)],
  ];
  expect(index, { q: FOX }, expected);
  assert.deepEqual(ids(index, { q: `extravagant ${FOX}` }), []);
});

test("words: what stands behind the tenth does not count", () => {
  const index = indexOf({ 1: "a b c d e f g h i j" }, {});
  assert.deepEqual(ids(index, { q: "a b c d e f g h i j k", matchingStrategy: "all" }), [1]);
  assert.deepEqual(ids(index, { q: "a b c d e f g h i k", matchingStrategy: "all" }), []);
});

test("words: phrases stay", () => {
  const index = indexOf(sentences, { rankingRules: ["words"] });
  const ninth = (count: number) => count / 9;
  expect(index, { q: '"the quick brown fox" jumps over the "lazy" dog' }, [
    [9, 1],
    [8, ninth(8)],
    [11, ninth(5)],
  ]);
  expect(index, { q: `"${FOX}` }, [[9, 1]]);
});

test("words: by frequency, a word put together counts for each of its terms", () => {
  const texts = {
    1: "sun flower tree",
    2: "sunflower",
    3: "sunflower",
    4: "sunflower",
    5: "tree",
    6: "tree",
  };
  const index = indexOf(texts, { rankingRules: ["words"] });
  assert.deepEqual(ids(index, { q: "sun flower tree ", matchingStrategy: "frequency" }), [1, 5, 6]);
});

const network = {
  14: "netwolk interconections sunflawar",
  15: "network interconnections sunflawer",
  16: "network interconnection sunflower",
  17: "network interconnection sun flower",
  18: "network interconnection sunflowering",
  19: "network interconnection sun flowering",
  20: "network interconnection sunflowar",
};

test("typo: prefixes are free, a split is one typo, two words as one cost two", () => {
  const index = indexOf(network, { rankingRules: ["typo"] });
  const query = { q: "network interconnection sunflower", matchingStrategy: "all" as const };
  expect(index, query, [
    [16, 1],
    [18, 1],
    [17, 5 / 6],
    [20, 5 / 6],
    [15, 4 / 6],
    [14, 1 / 6],
  ]);
  const split = index.ranked({ ...query, q: "network interconnection sun flower" });
  assert.deepEqual(
    split.hits.map(([id]) => id),
    [17, 19, 16, 18, 20, 15],
  );
});

test("proximity: swapped, separated and far words", () => {
  const texts = {
    0: FOX,
    1: "the quickbrown fox jumps over the lazy dog",
    2: "the really quick brown fox jumps over the very lazy dog",
    3: "the brown quick fox jumps over the lazy dog",
    4: "brown quick fox jumps over the lazy dog",
    5: "the. quick brown fox jumps over the lazy. dog",
    6: "the, quick, brown, fox, jumps, over, the, lazy, dog",
    7: "the quick brown. quick brown fox. brown fox jumps. fox jumps over. over the lazy. the lazy dog.",
  };
  const index = indexOf(texts, { rankingRules: ["words", "proximity"] });
  const cost = { 0: 0, 7: 0, 1: 1, 2: 2, 3: 3, 4: 5, 5: 6, 6: 24 };
  const expected = [0, 7, 1, 2, 3, 4, 5, 6].map((id): [number, number] => [id, (25 - cost[id as 0]) / 25]);
  expect(index, { q: FOX, matchingStrategy: "all" }, expected);
});

test("typo before proximity: only the forms that won may be near", () => {
  const texts = {
    0: "beautigul summer. beautiful x y z summer",
    1: "beautiful summer",
    2: "beautigul sommer. beautigul x summer",
    3: "beautiful sommer",
  };
  const index = indexOf(texts, { rankingRules: ["words", "typo", "proximity"] });
  expect(index, { q: "beautiful summer", matchingStrategy: "all" }, [
    [1, 1],
    [0, 13 / 16],
    [3, 12 / 16],
    [2, 11 / 16],
  ]);
});

test("exactness: the whole field, its beginning, single words", () => {
  const texts = {
    0: "what a lovely view from this balcony, I love it",
    1: "this balcony is overlooking the sea",
    2: "this balcony",
  };
  const index = indexOf(texts, { rankingRules: ["exactness"] });
  expect(index, { q: "this balcony" }, [
    [2, 1],
    [1, 15 / 18],
    [0, 12 / 18],
  ]);
});

test("exactness: how many words a field had before the document was replaced does not count", () => {
  const index = indexOf({ 1: "hero", 2: "sidekick" }, { rankingRules: ["exactness"] });
  index.add([{ id: 1, text: "hero again" }]);
  expect(index, { q: "hero", matchingStrategy: "all" }, [[1, 4 / 6]]);
});

test("exactness: a phrase of up to thirty words can be the whole field", () => {
  for (const [count, best] of [
    [30, 1],
    [31, 4 / 6],
  ] as const) {
    const text = Array.from({ length: count }, (_, i) => `w${i}`).join(" ");
    const index = indexOf({ 1: text }, { rankingRules: ["exactness"] });
    expect(index, { q: `"${text}"`, matchingStrategy: "all" }, [[1, best]]);
  }
});

test("exactness before typo: exact words leave no room for typos", () => {
  const texts = {
    0: "expraordinarily quick brown fox",
    1: "extraordinarily quick brown fox",
    2: "extra quick brown fox",
    3: "expraordinarily quack brown fox",
  };
  const index = indexOf(texts, { rankingRules: ["exactness", "typo"] });
  assert.deepEqual(ids(index, { q: "quick brown fox extra" }), [2, 1, 0, 3]);
});

test("exactness before typo: an exact word stays one for the rules after both", () => {
  const texts = { 0: "quick x y z brown", 1: "brown quick", 2: "quick brown", 3: "quick brwn" };
  const index = indexOf(texts, { rankingRules: ["exactness", "typo", "proximity"] });
  assert.deepEqual(ids(index, { q: "quick brown", matchingStrategy: "all" }), [2, 1, 0, 3]);
});

test("attribute: fields in order, then places", () => {
  const index = new SearchIndex({ searchableAttributes: ["title", "plot"], rankingRules: ["attribute"] });
  index.add([
    { id: 1, title: "x", plot: "quick brown" },
    { id: 2, title: "quick brown", plot: "x" },
    { id: 3, title: "fox brown quick the", plot: "x" },
    { id: 4, title: "do you know about the quick brown fox", plot: "x" },
  ]);
  const score = (position: number) => (2 * 21 + position) / (3 * 21);
  expect(index, { q: "quick brown", matchingStrategy: "all" }, [
    [2, 1],
    [3, score(19)],
    [4, score(15)],
    [1, 21 / 63],
  ]);
});

test("attribute: sentences are as far apart in the query as in a text", () => {
  const index = indexOf({ 1: "quick. brown", 2: "quick brown" }, { rankingRules: ["attribute"] });
  const { hits } = index.ranked({ q: "quick. brown", matchingStrategy: "all" });
  assert.deepEqual(hits[0], [1, 1]);
});

test("exactness: any of many fields may be the query", () => {
  const names = Array.from({ length: 40 }, (_, i) => `a${i}`);
  const index = new SearchIndex({ searchableAttributes: names, rankingRules: ["exactness"] });
  index.add([Object.fromEntries([["id", 1], ...names.map((name) => [name, name === "a39" ? "hero" : "x"])])]);
  expect(index, { q: "hero" }, [[1, 1]]);
});

test("attribute: the last of very many fields are told apart, with a threshold, too", () => {
  const names = Array.from({ length: 1200 }, (_, i) => `a${i}`);
  const index = new SearchIndex({ searchableAttributes: names, rankingRules: ["attributeRank"] });
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, [`a${1199 - id}`]: "hero" }));
  index.add(documents);
  const expected = documents.map(({ id }) => id).reverse();
  assert.deepEqual(ids(index, { q: "hero", limit: 300 }), expected);
  assert.deepEqual(ids(index, { q: "hero", limit: 300, rankingScoreThreshold: 0 }), expected);
});

test("attribute: fields named behind tens of thousands of others are worse than those before", () => {
  const names = Array.from({ length: 70_000 }, (_, i) => `a${i}`);
  const index = new SearchIndex({ searchableAttributes: names, rankingRules: ["attributeRank"] });
  index.add([
    { id: 1, a69000: "hero" },
    { id: 2, a6000: "hero" },
  ]);
  assert.deepEqual(ids(index, { q: "hero" }), [2, 1]);
});

test("a ranking rule may sort by the field of the empty name, which most documents lack", () => {
  const index = new SearchIndex({ rankingRules: [":desc"] });
  index.add([{ id: 1 }, { id: 2, "": 3 }, { id: 3, "": 5 }]);
  assert.deepEqual(ids(index, {}), [3, 2, 1]);
});

test("what another bucket holds does not make a word count, though both are split at once", () => {
  const rankingRules = ["n:asc", "words", "typo", "proximity", "attributeRank", "wordPosition", "exactness"];
  const loose = new SearchIndex({ rankingRules });
  const b = Array.from(
    { length: 110 },
    (_, i) => `b${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`,
  );
  loose.add([
    { id: 1, text: "https x bitmaps", n: 1 },
    { id: 2, text: "httpsy. x bitmaps", n: 2 },
    { id: 3, text: b.join(" ") },
  ]);
  const scoreOf = (query: SearchBody) =>
    loose
      .ranked(query)
      .hits.find(([id]) => id === 2)?.[1]
      .toFixed(6);
  // `https x`, which the first word of the query may stand for, is a phrase of the first document only.
  assert.equal(scoreOf({ q: "httpsx b" }), "0.698633");
  assert.equal(scoreOf({ q: "httpsx b", rankingScoreThreshold: 0 }), "0.698633");

  const strict = new SearchIndex({
    searchableAttributes: ["name", "summary"],
    rankingRules: ["attributeRank", "proximity"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 4, twoTypos: 7 }, disableOnAttributes: ["summary"] },
  });
  strict.add([
    { id: 1, name: "confi1", summary: "tonfig" },
    { id: 2, name: "cofnig tonfig" },
    { id: 3, name: "conxfig", summary: "tonfig cofnig" },
    { id: 4, name: "tonfigs" },
  ]);
  assert.deepEqual(ids(strict, { q: "config t" }), [2, 1, 3]);
});

test("two words that are one somewhere count in the fields where typos are not tolerated, too", () => {
  const settings = { searchableAttributes: ["name", "text"], rankingRules: ["attribute"] };
  const index = new SearchIndex({ ...settings, typoTolerance: { disableOnAttributes: ["name"] } });
  index.add([
    { id: 1, name: "x", text: "foo bar" },
    { id: 2, name: "foobar", text: "foo bar" },
  ]);
  const query: SearchBody = { q: "foo bar", matchingStrategy: "all" };
  assert.deepEqual(ids(index, query), [2, 1]);
  index.add([{ id: 3, text: "foobar" }]);
  assert.equal(ids(index, query)[0], 2);

  const restricted = new SearchIndex({
    searchableAttributes: ["name", "text"],
    rankingRules: ["wordPosition"],
  });
  restricted.add([{ id: 1, name: "foobar", text: "bar foo" }]);
  const { hits } = restricted.ranked({ ...query, attributesToSearchOn: ["text"] });
  assert.equal(hits[0][1].toFixed(6), "0.952381");
});

test("a phrase is found where its words are searched, not where they stand otherwise", () => {
  const index = new SearchIndex({});
  index.add([
    { id: 1, title: "fox", body: "quick brown" },
    { id: 2, title: "quick brown", body: "fox" },
  ]);
  assert.deepEqual(ids(index, { q: '"quick brown"', attributesToSearchOn: ["title"] }), [2]);
});

test("numbers without typos are not put together either, unless the search names its fields", () => {
  const index = indexOf({ 1: "1999" }, { typoTolerance: { disableOnNumbers: true } });
  const query: SearchBody = { q: "19 99", matchingStrategy: "all" };
  assert.deepEqual(ids(index, query), []);
  assert.deepEqual(ids(index, { ...query, attributesToSearchOn: ["text"] }), [1]);
});

test("what stands at its place only where it is not searched comes last by the next rule", () => {
  const index = new SearchIndex({ rankingRules: ["wordPosition", "typo"] });
  index.add([
    { id: 1, title: "a field of sun and flower", body: "sunflower" },
    { id: 2, title: "sunflower" },
    { id: 3, title: "sunflowar" },
  ]);
  const { hits } = index.ranked({
    q: "sun flower",
    matchingStrategy: "all",
    attributesToSearchOn: ["title"],
  });
  assert.deepEqual(
    hits.map(([id]) => id),
    [2, 3, 1],
  );
  assert.ok(hits.every(([, score]) => score > 0 && score <= 1));
});

test("stop words count by their case, keep their places, and stay at the end of a query", () => {
  const index = new SearchIndex({ searchableAttributes: ["title"], stopWords: ["to", "The", "xyz"] });
  index.add([
    { id: 3, title: "How to Train Your Dragon: The Hidden World" },
    { id: 6, title: "How to Train Your Dragon: the Hidden World" },
  ]);
  assert.deepEqual(ids(index, { q: "xyz to the" }), [6]);
  assert.deepEqual(index.search({ q: '"to"' }).hits.length, 2);
  expect(index, { q: '"how to train your dragon"' }, [
    [3, 262 / 264],
    [6, 262 / 264],
  ]);
});

test("a threshold removes documents from the hits and from the total", () => {
  const index = indexOf(sentences, { rankingRules: ["words"] });
  const { hits, total } = index.ranked({ q: FOX, rankingScoreThreshold: 0.5 });
  assert.deepEqual([hits.map(([id]) => id), total], [[9, 10, 8, 6, 7, 5], 6]);
  assert.deepEqual(ids(index, { q: FOX, rankingScoreThreshold: 1 }), [9, 10]);
});

test("no time left: every match is still there, unranked, in order", () => {
  const index = indexOf(sentences, { rankingRules: ["words"], searchCutoffMs: 0 });
  const query = { q: "the quick brown fox" };
  const { hits, total } = index.ranked(query);
  assert.deepEqual([hits, total], [[3, 4, 5, 6, 7, 8, 9, 10, 11].map((id) => [id, 0]), 9]);
  assert.ok(index.search(query).isPartial);
});

test("a `-` excludes what follows it, whatever characters without a trace stand beside it", () => {
  const index = indexOf({ 1: "bar foo", 2: "bar" }, {});
  for (const q of ["bar -foo", "bar \uFE0F-foo", "bar -\u06DAfoo"])
    assert.deepEqual(ids(index, { q }), [2], q);
  for (const q of ["bar\uFE0F-foo", "bar-foo"]) assert.deepEqual(ids(index, { q }), [1, 2], q);
  // A phrase of two sentences is two phrases.
  assert.deepEqual(ids(index, { q: 'bar -"qux. foo"' }), [2]);
});

test("by attribute, a word is split as the searched fields have it, whatever came before", () => {
  const index = new SearchIndex({ searchableAttributes: ["a", "b"], proximityPrecision: "byAttribute" });
  index.add([
    { id: 1, a: "sun flower" },
    { id: 2, b: "sunf lower" },
  ]);
  const found = (name: string) => ids(index, { q: "sunflower", attributesToSearchOn: [name] });
  for (let round = 0; round < 2; round++) assert.deepEqual([found("a"), found("b")], [[1], [2]]);
});

test("synonyms of one word have a hundred words together: what is too long is left out", () => {
  const letters = Array.from("abcdefghijklmnopq");
  const long = ["a", "b"].flatMap((first) => letters.map((letter) => `k${first}${letter} strong leaf`));
  const values = [...long, "yarrow", "zest"];
  const index = new SearchIndex({ synonyms: { tea: values } });
  index.add(values.map((text, id) => ({ id, text })));
  // 33 of three words, and the first of one.
  const expected = [...long.keys()].slice(0, 33).concat(values.indexOf("yarrow"));
  assert.deepEqual(
    ids(index, { q: "tea ", limit: 100 }).sort((a, b) => a - b),
    expected,
  );
});

test("exactness: no field begins with a query of which a word in between is not exact", () => {
  const texts = { 1: "the quick brown fox", 2: "quick brown fox", 3: "fox quick brown" };
  const index = indexOf(texts, { rankingRules: ["exactness"] });
  assert.deepEqual(ids(index, { q: "quick brwon fox" }), [1, 2, 3]);
  const [first, ...rest] = index.ranked({ q: "quick brwon fox" }).hits.map(([, score]) => score);
  assert.ok(rest.every((score) => score === first));
  assert.deepEqual(ids(index, { q: "quick brown fox" }), [2, 1, 3]);
  index.close();
});

test("typo: of many documents, those with the most typos are the last, and none is missing", () => {
  const words = ["sunflower", "sunflowr", "sunflow"];
  const texts = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [i, words[i % 3]]));
  const index = indexOf(texts, { rankingRules: ["typo"] });
  const found = index.ranked({ q: "sunflower", limit: 100 }).hits.map(([id]) => id % 3);
  assert.deepEqual(
    found,
    [0, 1, 2].flatMap((typos) => Array.from({ length: 30 }, () => typos)),
  );
  index.close();
});

test("of paths that a rule passed on, the first claims all that it can before the next one does", () => {
  const documents = [
    { id: 0, title: "ab ghij ghij ij abcdef abcd ghij", body: "cdef ij gh ij abcd cd ij" },
    { id: 2, title: "cdefgh ab ghij", body: "ij cdef abcd abcd ghij ghij cd" },
    { id: 3, title: "cd ij", body: "ab cdefgh ij efgh abcdef ab ef" },
    { id: 11, title: "cdefgh cd", body: "abcd ij cdefgh ab" },
  ];
  const index = new SearchIndex({
    searchableAttributes: ["body", "title"],
    rankingRules: ["wordPosition", "proximity", "typo"],
    typoTolerance: { enabled: false },
    proximityPrecision: "byAttribute",
  });
  index.add(documents);
  // With the choices of both paths mixed, document 2 has 0.97845684.
  expect(index, { q: "ab cd ef gh ij" }, [
    [3, 0.9795263559969443],
    [0, 0.97886427298192],
    [2, 0.9784313725490196],
    [11, 0.9636476812947401],
  ]);
  index.close();
});
