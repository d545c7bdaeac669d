// Vectors without a direction, in scores and among many others.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { SearchThread } from "../../../src/engine/searchthread.ts";
import type { VectorStore } from "../../../src/segment/vectorstore.ts";
import { zeroItems } from "../../../src/segment/zerovectors.ts";
import { randomOf } from "../../twins/clusters.ts";
import { distance, seen } from "../../twins/vectors.ts";
import { VectorIndex } from "./vectorindex.ts";

const DIMENSIONS = 12;
const random = randomOf(1);
const scattered = (): number[] => Array.from({ length: DIMENSIONS }, () => Math.fround(random() - 0.5));
const ZERO = new Array<number>(DIMENSIONS).fill(0);

test("the zero vector is similar to all, whichever side it is on", async () => {
  const index = new VectorIndex();
  await index.settings({ embedders: { e: { source: "userProvided", dimensions: 2 } } });
  const vectors = [
    [1, 0],
    [0, 0],
    [-1, 0],
  ];
  await index.add(vectors.map((e, i) => ({ id: i + 1, _vectors: { e } })));
  const first = [
    [1, 1],
    [2, 1],
  ];
  deepEqual(scoresOf(index, [1, 0]), [...first, [3, 0]]);
  deepEqual(scoresOf(index, [0, 0]), [...first, [3, 1]]);
});

test("zero vectors come first in a graph, too, and hide none of the others", async () => {
  const index = new VectorIndex();
  const embedders = { e: { source: "userProvided" as const, dimensions: DIMENSIONS } };
  await index.settings({ embedders, filterableAttributes: ["m"] });
  const documents = Array.from({ length: 6000 }, (_, id) => {
    return { id, m: id % 3, _vectors: { e: id % 100 === 7 ? ZERO : scattered() } };
  });
  const zeros = documents.filter(({ _vectors }) => _vectors.e === ZERO).map(({ id }) => id);
  await index.add(documents);
  const query = scattered();
  const check = () => {
    for (const filter of [null, "m = 0"]) {
      const before = zeros.filter((id) => filter === null || id % 3 === 0);
      const scores = scoresOf(index, query, { filter, limit: before.length + 10 });
      deepEqual(
        scores.slice(0, before.length),
        before.map((id) => [id, 1]),
      );
      const others = scores.slice(before.length);
      equal(others.length, 10);
      const [best] = documents
        .filter(({ id, m }) => !zeros.includes(id) && (filter === null || m === 0))
        .map(({ id, _vectors }) => ({ id, score: 1 - distance(0, _vectors.e, query) }))
        .sort((a, b) => b.score - a.score);
      equal(others[0][0], best.id);
    }
    deepEqual(
      scoresOf(index, ZERO, { limit: 3 }),
      [0, 1, 2].map((id) => [id, 1]),
    );
  };
  equal(index.graphs(), 1);
  check();
  // With less memory for searches than the graph takes, codes are compared instead.
  index.searcher = new SearchThread(index.storage, 1024 * 1024);
  check();
  index.assertSound();
});

test("zero vectors are found in every block of codes that are not in memory", () => {
  const codesRowBytes = 2 ** 18;
  const zeros = [0, 3, 4, 9];
  const u32 = new Uint32Array((10 * codesRowBytes) / 4).fill(1);
  for (const item of zeros) u32[((item + 1) * codesRowBytes) / 4 - 1] = 0;
  const codes = (first: number) => first * codesRowBytes;
  const store = { codesRowBytes, codes, core: { u32 }, meta: { vectors: 10 } } as unknown as VectorStore;
  deepEqual([...zeroItems(store, null)], zeros);
});

test("zeros that become bits are signs like others, in vectors and queries", async () => {
  const index = new VectorIndex();
  const dimensions = 64;
  const e = { source: "userProvided" as const, dimensions, binaryQuantized: true };
  await index.settings({ embedders: { e } });
  const signs = (): number[] => Array.from({ length: dimensions }, () => (random() < 0.5 ? -1 : 1));
  const halfZero = () => signs().fill(0, dimensions / 2);
  const vectors = Array.from({ length: 5000 }, (_, id) => (id % 50 === 0 ? halfZero() : signs()));
  await index.add(vectors.map((vector, id) => ({ id, _vectors: { e: vector } })));
  equal(index.graphs(), 1);
  const smallAndLarge = signs().map((sign, i) => sign * (i % 2 === 0 ? 1e38 : 1e-38));
  for (const query of [signs(), signs().fill(0), smallAndLarge]) {
    const expected = vectors.map((vector) => 1 - distance(2, seen(2, vector), seen(2, query)));
    deepEqual(
      scoresOf(index, query, { limit: 5 }).map(([, score]: number[]) => score),
      expected.sort((a, b) => b - a).slice(0, 5),
    );
  }
});

function scoresOf(
  index: VectorIndex,
  vector: number[],
  more: { filter?: string | null; limit?: number } = {},
) {
  const hybrid = { embedder: "e", semanticRatio: 1 };
  const { hits } = index.search({ vector, hybrid, showRankingScore: true, ...more });
  return hits.map(({ id, _rankingScore }: { id: number; _rankingScore: number }) => [id, _rankingScore]);
}
