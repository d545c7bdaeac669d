// Conditions of a filter on vectors: which documents have some, and where these come from.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { EMBEDDERS, VectorIndex } from "./vectorindex.ts";

const { user, made } = EMBEDDERS;

test("a condition tells who gave the vectors, and whether they are made again", async () => {
  const index = new VectorIndex();
  await index.settings({ embedders: { user, made } });
  await index.add([
    { id: 1, t: "ant", _vectors: { user: [1, 2, 3] } },
    { id: 2, t: "bee", _vectors: { user: { embeddings: [[1, 2, 3]], regenerate: true }, made: [4, 5] } },
  ]);
  await index.add([
    // Of the user, and none.
    { id: 3, t: "cat", _vectors: { user: { embeddings: [], regenerate: true } } },
    { id: 4, t: "dog", _vectors: { user: null, made: { regenerate: false, embeddings: [] } } },
    { id: 5, t: "eel", _vectors: { user: [1, 2, 3] } },
  ]);
  await index.delete(["5"]);
  const ids = (filter: string) => index.search({ filter }).hits.map(({ id }: { id: number }) => id);
  const expected: Record<string, number[]> = {
    "_vectors EXISTS": [1, 2, 3],
    "_vectors NOT EXISTS": [4],
    "_vectors.user EXISTS": [1, 2],
    "_vectors.user.userProvided EXISTS": [1, 2, 3, 4],
    "_vectors.user.regenerate EXISTS": [2],
    "_vectors.user.documentTemplate EXISTS": [],
    "_vectors.made EXISTS": [1, 2, 3],
    "_vectors.made.userProvided EXISTS": [2, 4],
    "_vectors.made.regenerate EXISTS": [1, 3],
    "_vectors.made.documentTemplate EXISTS": [1, 3],
  };
  for (const [filter, found] of Object.entries(expected)) deepEqual(ids(filter), found, filter);
  index.mergeAll();
  for (const [filter, found] of Object.entries(expected)) deepEqual(ids(filter), found, filter);
});
