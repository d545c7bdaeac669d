// When words alone answer a hybrid search, which list equal hits come from, and what a threshold leaves of
// similar documents: at the edges, where the peer's engine was asked for what is expected here.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Fixture, openFixture } from "../network/fixture.ts";

interface Found {
  hits: { id: number }[];
  semanticHitCount?: number;
  estimatedTotalHits?: number;
}

const embedders = (dimensions: number) => ({ e: { source: "userProvided", dimensions } });
const document = (id: number, t: string, e: number[] | null, more: object = {}) => ({
  id,
  t,
  ...more,
  _vectors: { e },
});

async function openHybrid(
  t: TestContext,
  documents: readonly object[],
  settings: object = {},
): Promise<Fixture> {
  const fixture = await openFixture();
  t.after(() => fixture.close());
  await fixture.fill("x", documents, { embedders: embedders(2), ...settings });
  return fixture;
}

async function search(fixture: Fixture, body: object, semanticRatio: number): Promise<[number[], number]> {
  const hybrid = { embedder: "e", semanticRatio };
  const found = await fixture.ask<Found>("POST /indexes/x/search", { ...body, hybrid });
  return told(found);
}

const told = ({ hits, semanticHitCount }: Found): [number[], number] => [
  hits.map(({ id }) => id),
  semanticHitCount!,
];

const REDS = [document(1, "red", [1, 0]), document(2, "red", [0, 1]), document(3, "red", [1, 1])];

describe("a page that is longer than there are documents, and not for the settings", () => {
  const cases: [name: string, body: object, expected: [number[], number]][] = [
    ["by default", {}, [[2, 1, 3], 1]],
    ["from an offset on", { offset: 1, limit: 3 }, [[1, 3], 0]],
    ["by number", { page: 1, hitsPerPage: 10 }, [[2, 1, 3], 1]],
    ["without a word in its text", { q: "!!!" }, [[2, 3, 1], 3]],
  ];
  for (const [name, body, expected] of cases) {
    it(`is never full of good hits by words: ${name}`, async (t) => {
      const fixture = await openHybrid(t, REDS);
      assert.deepEqual(await search(fixture, { q: "red", vector: [0, 1], ...body }, 0.5), expected);
    });
  }

  it("is never full in a federated search", async (t) => {
    const fixture = await openHybrid(t, REDS);
    const hybrid = { embedder: "e", semanticRatio: 0.5 };
    const queries = [{ indexUid: "x", q: "red", vector: [0, 1], hybrid }];
    const found = await fixture.ask<Found>("POST /multi-search", { federation: {}, queries });
    assert.deepEqual(told(found), [[2, 1, 3], 1]);
  });
});

it("a page that good hits by words fill is theirs, also where it ends with the last document", async (t) => {
  const fixture = await openHybrid(t, REDS);
  assert.deepEqual(await search(fixture, { q: "red", vector: [0, 1], limit: 3 }, 0.5), [[1, 2, 3], 0]);
});

it("a page that the settings cut to so many documents is full of them", async (t) => {
  const fixture = await openHybrid(t, REDS, { pagination: { maxTotalHits: 3 } });
  const query = { q: "red", vector: [0, 1] };
  assert.deepEqual(await search(fixture, { ...query, limit: 20 }, 0.5), [[1, 2, 3], 0]);
  const queries = [{ indexUid: "x", ...query, hybrid: { embedder: "e", semanticRatio: 0.5 } }];
  const found = await fixture.ask<Found>("POST /multi-search", { federation: {}, queries });
  assert.deepEqual(told(found), [[1, 2, 3], 0]);
});

it("half a query is not good enough at a ratio of 0.1: weights have 32 bits", async (t) => {
  const reds = [0, 1, 2].map((id) => document(id, "red", [0, 1], { n: 5 - id }));
  const greens = [10, 11, 12].map((id) => document(id, "green", [1, id - 10], { n: 19 - id }));
  const settings = { rankingRules: ["sort", "words"], sortableAttributes: ["n"] };
  const fixture = await openHybrid(t, [...reds, ...greens], settings);
  const body = { q: "red blue", sort: ["n:desc"], vector: [1, 0], limit: 3 };
  assert.deepEqual(await search(fixture, body, 0.1), [[10, 11, 12], 3]);
});

it("weights of 32 bits decide between hits that are equal with 64 of them", async (t) => {
  const documents = [document(1, "red blue", [0, 1]), document(2, "x", [1, 0])];
  const fixture = await openHybrid(t, documents, { rankingRules: ["words"] });
  assert.deepEqual(await search(fixture, { q: "red blue green", vector: [1, 0] }, 0.4), [[1, 2], 1]);
});

it("a threshold cuts the total of similar documents where the page has met it", async (t) => {
  const vectors = [[1, 0, 0], [0, 1, 0.5], [0, 1, 0], [1, 1, 0], null];
  const documents = vectors.map((e, i) => document(i + 1, "", e));
  const fixture = await openHybrid(t, documents, { embedders: embedders(3) });
  const similar = async (offset: number) => {
    const body = { id: 1, embedder: "e", rankingScoreThreshold: 0.8, offset };
    const { hits, estimatedTotalHits } = await fixture.ask<Found>("POST /indexes/x/similar", body);
    return [hits.map(({ id }) => id), estimatedTotalHits];
  };
  const found = [await similar(0), await similar(2), await similar(20)];
  assert.deepEqual(found, [
    [[4], 1],
    [[], 2],
    [[], 4],
  ]);
});
