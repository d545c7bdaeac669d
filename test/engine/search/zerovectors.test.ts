// Vectors without a direction, in scores.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

test("the zero vector is similar to all, whichever side it is on", () => {
  const index = new SearchIndex({ embedders: { e: { source: "userProvided", dimensions: 2 } } });
  const vectors = [
    [1, 0],
    [0, 0],
    [-1, 0],
  ];
  index.add(vectors.map((e, i) => ({ id: i + 1, _vectors: { e } })));
  const ranked = (vector: number[]) =>
    index.ranked({ vector, hybrid: { embedder: "e", semanticRatio: 1 } }).hits;
  deepEqual(ranked([1, 0]), [
    [1, 1],
    [2, 1],
    [3, 0],
  ]);
  deepEqual(ranked([0, 0]), [
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  index.close();
});
