// In which order hits of words and of vectors come, when their scores are of different kinds.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { VectorIndex } from "./vectorindex.ts";

const HYBRID = { embedder: "e", semanticRatio: 0.5 };

async function openIndex(rankingRules: string[]) {
  const index = new VectorIndex();
  const embedders = { e: { source: "userProvided", dimensions: 2 } as const };
  await index.settings({ rankingRules, embedders });
  const search = (body: SearchBody): number[] =>
    index
      .search({ q: "boat", vector: [1, 0], hybrid: HYBRID, ...body })
      .hits.map(({ id }: { id: number }) => id);
  return { index, search };
}

test("hits without a score of words stand behind those of vectors, before what has no vector", async () => {
  // Every hit has all words: words have no rank, and their hits are in order of the field.
  const { index, search } = await openIndex(["words", "n:asc"]);
  await index.add([
    { id: 1, n: 1, t: "tree", _vectors: { e: null } },
    { id: 2, n: 2, t: "boat", _vectors: { e: null } },
    { id: 3, n: 3, t: "tree", _vectors: { e: [0.5, 1] } },
    { id: 4, n: 4, t: "tree", _vectors: { e: [1, 0] } },
    { id: 5, n: 5, t: "boat", _vectors: { e: null } },
  ]);
  deepEqual(search({ matchingStrategy: "all" }), [4, 3, 2, 5, 1]);
});

test("between hits of equal scores, a further score of words comes before a field", async () => {
  const { index, search } = await openIndex(["words", "m:asc", "typo", "n:asc"]);
  await index.add([
    { id: 1, m: 7, n: 1, t: "tree", _vectors: { e: [1, 0] } },
    { id: 2, m: 7, n: 2, t: "boat", _vectors: { e: [-1, 0] } },
  ]);
  deepEqual(search({}), [2, 1]);
});

test("both searches together show no more hits than the settings allow", async () => {
  const index = new VectorIndex();
  await index.settings({
    embedders: { e: { source: "userProvided", dimensions: 2 } },
    pagination: { maxTotalHits: 2 },
  });
  await index.add([
    { id: 1, t: "ant", _vectors: { e: null } },
    { id: 2, t: "ant", _vectors: { e: null } },
    { id: 3, t: "bee", _vectors: { e: [1, 0] } },
    { id: 4, t: "bee", _vectors: { e: [1, 0] } },
  ]);
  const hybrid = { embedder: "e", semanticRatio: 0.7 };
  equal(index.search({ q: "ant", vector: [1, 0], hybrid, limit: 10 }).hits.length, 2);
});
