// Searches for words whose lists have many blocks: for few of their documents or for all, in sets that have
// holes, in old versions of documents. The order and the scores must be those of the naive ranker.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { randomOf } from "../../twins/clusters.ts";
import { NaiveIndex, type TestDocument } from "./naiveindex.ts";
import { naiveSearch, type TestQuery } from "./naiveranker.ts";
import { SearchIndex } from "./searchindex.ts";

const DOCUMENTS = 2 * 128 + 60;
/** Beside the ends of blocks, and a few elsewhere. */
const RARE = [0, 60, 127, 128, 200, 255, 256, DOCUMENTS - 1];
/** Distances that the ranking tells apart lie between these; numbers above 31 take two bytes. */
const PLACES = [0, 1, 3, 9, 20, 24, 31, 40, 70, 130, 300];

/** A text with words at some places, and stop words elsewhere, which keep the naive ranker quick. */
function textOf(words: readonly (readonly [place: number, word: string])[]): string {
  const all: string[] = [];
  for (const [place, word] of words) {
    while (all.length < place) all.push("x");
    all[place] = word;
  }
  return all.join(" ");
}

function documentsOf(seed: number): TestDocument[] {
  const random = randomOf(seed);
  const place = () => PLACES[Math.floor(random() * PLACES.length)];
  return Array.from({ length: DOCUMENTS }, (_, id) => {
    const texts = { title: [] as [number, string][], body: [] as [number, string][] };
    // Two thirds have the common word once, in the title; it makes runs of documents that all match.
    texts[random() < 0.7 ? "title" : "body"].push([place(), "common"]);
    if (random() < 0.2) texts.body.push([place(), "common"]);
    const [at, where] = [place(), random() < 0.5 ? texts.title : texts.body];
    // Either form is found by the other one.
    if (random() < 0.6) where.push([at + 1, random() < 0.6 ? "frequent" : "frequens"]);
    if (RARE.includes(id)) texts.body.push([place() + 2, "rare"]);
    const [title, body] = [textOf(texts.title), textOf(texts.body)];
    // Of the first ones, all have the common word, and match its phrase or its synonym.
    const isPair = /common frequent/.test(`${title}\n${body}`) || id > 200;
    return { id, title, body: isPair ? body : `${body} x x x pair`.trim(), tags: [] };
  });
}

const RULES = [
  ["words", "proximity"],
  ["attributeRank"],
  ["wordPosition"],
  ["proximity"],
  ["words", "wordPosition", "attributeRank"],
  ["exactness"],
];
const QUERIES: TestQuery[] = [
  { q: "common" },
  { q: "rare common" },
  { q: "common frequent" },
  { q: "frequent common", attributesToSearchOn: ["title"] },
  { q: "rare frequent common", matchingStrategy: "frequency" },
  { q: "rare frequent" },
  { q: "pair" },
  { q: '"common frequent" rare' },
];

function compare(index: SearchIndex, documents: readonly TestDocument[], patch: SettingsPatch): void {
  const naive = new NaiveIndex(documents, patch);
  const isShort = naive.weightMax > 1 && patch.rankingRules?.includes("attributeRank");
  for (const one of isShort ? QUERIES.slice(0, 1) : QUERIES) {
    const all = { ...one, limit: 1000 };
    const rounded = (hits: [number, number][]) => hits.map(([id, score]) => [id, Number(score.toFixed(10))]);
    const [found, expected] = [index.ranked(all), naiveSearch(naive, all)];
    assert.deepEqual(rounded(found.hits), rounded(expected.hits), JSON.stringify([one, patch]));
  }
}

RULES.forEach((rankingRules, seed) => {
  test(`documents of long lists rank as the definitions say by ${rankingRules.join(", ")}`, () => {
    // Fields with numbers of two bytes. The naive ranker tries each sum of their weights.
    const fields = Array.from({ length: [0, 70, 40][seed] ?? 0 }, (_, i) => `field${i}`);
    const patch = {
      searchableAttributes: [...fields, "title", "body"],
      rankingRules,
      stopWords: ["x"],
      synonyms: { pair: ["common frequent"] },
    };
    const first = Object.fromEntries(fields.map((name) => [name, "other"]));
    const documents: TestDocument[] = [{ id: DOCUMENTS, ...first, title: "other" }, ...documentsOf(seed)];
    const index = new SearchIndex(patch);
    index.add(documents);
    compare(index, documents, patch);
    // Some are written anew, so that their old versions stay in the blocks; others go.
    const later = documentsOf(100 + seed);
    const isNew = ({ id }: TestDocument) => id % 100 === 50 || id === 127;
    index.add(later.filter(isNew));
    const gone = documents.filter(({ id }) => id % 90 === 30).map(({ id }) => id);
    index.remove(gone);
    const all = documents.map((one) => (isNew(one) ? later[one.id] : one));
    const left = all.filter(({ id }) => !gone.includes(id));
    compare(index, left, patch);
    index.close();
  });
});
