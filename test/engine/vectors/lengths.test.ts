// A similarity depends on directions alone: the lengths of vectors may be anything that 32 bits can hold.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { scaledToOne } from "../../../src/engine/vectors/scale.ts";
import { randomOf } from "../../twins/clusters.ts";
import { distance } from "../../twins/vectors.ts";
import { VectorIndex } from "./vectorindex.ts";

const DIMENSIONS = 12;
const LENGTHS = [1e38, 1e20, 1, 1e-12, 1e-25, 1e-38];
const random = randomOf(1);
const scattered = (length: number): number[] =>
  Array.from({ length: DIMENSIONS }, () => Math.fround(length * (random() - 0.5)));

test("scaling keeps every bit of the components, whatever their signs", () => {
  for (const length of LENGTHS) {
    const vector = Float32Array.from(scattered(length), (component) => -Math.abs(component));
    const scaled = scaledToOne(vector);
    const largest = Math.max(...scaled.map(Math.abs));
    ok(largest >= 1 && largest < 2, `${largest}`);
    const factor = scaled[0] / vector[0];
    ok(Number.isInteger(Math.log2(factor)));
    deepEqual(
      scaled.map((component) => component / factor),
      vector,
    );
  }
});

for (const count of [300, 5000]) {
  test(`${count} vectors of any length are found and scored by their directions`, async () => {
    const index = new VectorIndex();
    await index.settings({ embedders: { e: { source: "userProvided", dimensions: DIMENSIONS } } });
    const vectors = Array.from({ length: count }, (_, id) => scattered(LENGTHS[id % LENGTHS.length]));
    await index.add(vectors.map((e, id) => ({ id, _vectors: { e } })));
    for (const length of LENGTHS) {
      const query = scattered(length);
      const hybrid = { embedder: "e", semanticRatio: 1 };
      const { hits } = index.search({ vector: query, hybrid, limit: 20, showRankingScore: true });
      const expected = vectors.map((vector, id) => ({ id, score: 1 - distance(0, vector, query) }));
      expected.sort((a, b) => b.score - a.score);
      deepEqual(
        hits.map(({ id }: { id: number }) => id),
        expected.slice(0, 20).map(({ id }) => id),
      );
      hits.forEach(({ _rankingScore }: { _rankingScore: number }, i: number) => {
        ok(Math.abs(_rankingScore - expected[i].score) < 1e-6, `${_rankingScore} ${expected[i].score}`);
      });
    }
    deepEqual(index.vectors().get(0)!.e.embeddings[0].map(Math.fround), vectors[0]);
  });
}
