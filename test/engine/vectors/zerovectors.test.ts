// Vectors without a direction, in scores.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { VectorIndex } from "./vectorindex.ts";

test("the zero vector is similar to all, whichever side it is on", async () => {
  const index = new VectorIndex();
  await index.settings({ embedders: { e: { source: "userProvided", dimensions: 2 } } });
  const vectors = [
    [1, 0],
    [0, 0],
    [-1, 0],
  ];
  await index.add(vectors.map((e, i) => ({ id: i + 1, _vectors: { e } })));
  const scores = (vector: number[]) => {
    const hybrid = { embedder: "e", semanticRatio: 1 };
    const { hits } = index.search({ vector, hybrid, showRankingScore: true });
    return hits.map(({ id, _rankingScore }: { id: number; _rankingScore: number }) => [id, _rankingScore]);
  };
  const first = [
    [1, 1],
    [2, 1],
  ];
  deepEqual(scores([1, 0]), [...first, [3, 0]]);
  deepEqual(scores([0, 0]), [...first, [3, 1]]);
});
