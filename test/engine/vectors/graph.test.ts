// Searches by vectors in segments that are large enough for a graph: built by a batch, taken over by a merge.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SearchThread } from "../../../src/engine/searchthread.ts";
import { randomOf } from "../../twins/clusters.ts";
import { VectorIndex } from "./vectorindex.ts";

const DIMENSIONS = 12;
const QUERIES = 20;
const HITS = 10;
/** Of the nearest documents so many must be found. */
const RECALL_MIN = 0.95;
/** Part of the hits on pages that may have been on an earlier one, where many vectors are equally near. */
const REPEATED_MAX = 0.05;
const SCORE_TOLERANCE = 1e-5;

const random = randomOf(1);
const vectorAround = (centre: readonly number[], spread: number): number[] =>
  centre.map((value) => Math.fround(value + spread * (2 * random() - 1)));
const centres = Array.from({ length: 60 }, () => vectorAround(new Array(DIMENSIONS).fill(0), 1));
const vectors = (count: number): number[][] =>
  Array.from({ length: count }, (_, i) => vectorAround(centres[i % centres.length], 0.4));

function similarity(a: readonly number[], b: readonly number[]): number {
  const product = a.reduce((sum, value, i) => sum + value * b[i], 0);
  return (1 + product / (Math.hypot(...a) * Math.hypot(...b))) / 2;
}

function compare(index: VectorIndex, known: ReadonlyMap<number, number[]>, filter: string | null): void {
  const allowed = [...known].filter(([id]) => filter === null || id % 3 === 0);
  let found = 0;
  for (const query of vectors(QUERIES)) {
    const hybrid = { embedder: "e", semanticRatio: 1 };
    const body = { vector: query, hybrid, limit: HITS, showRankingScore: true, filter };
    const { hits, estimatedTotalHits } = index.search(body);
    assert.equal(estimatedTotalHits, allowed.length);
    const exact = allowed.map(([id, vector]) => ({ id, score: similarity(vector, query) }));
    exact.sort((a, b) => b.score - a.score);
    const nearest = new Set(exact.slice(0, HITS).map(({ id }) => id));
    for (const { id, _rankingScore } of hits) {
      if (nearest.has(id)) found++;
      const expected = similarity(known.get(id)!, query);
      assert.ok(Math.abs(_rankingScore - expected) < SCORE_TOLERANCE, `${id}: ${_rankingScore}`);
    }
  }
  const recall = found / (QUERIES * HITS);
  assert.ok(recall >= RECALL_MIN, `recall ${recall}`);
}

/** Ids of hits `from` to `to`, in pages of that many, and those of them that came before. */
function paged(index: VectorIndex, vector: number[], [from, to, limit]: [number, number, number]) {
  const ids: number[] = [];
  for (let offset = from; offset < to; offset += limit) {
    const { hits } = index.search({ vector, hybrid: { embedder: "e", semanticRatio: 1 }, offset, limit });
    ids.push(...hits.map(({ id }: { id: number }) => id));
  }
  return { ids, repeated: ids.length - new Set(ids).size };
}

describe("a graph over vectors", () => {
  it("finds what is near, over batches, deletions and merges", async () => {
    const index = new VectorIndex();
    const known = new Map<number, number[]>();
    const add = async (from: number, count: number) => {
      const all = vectors(count).map((vector, i) => ({
        id: from + i,
        m: (from + i) % 3,
        _vectors: { e: vector },
      }));
      for (const { id, _vectors } of all) known.set(id, _vectors.e);
      await index.add(all);
    };
    const embedders = { e: { source: "userProvided" as const, dimensions: DIMENSIONS } };
    await index.settings({ embedders, filterableAttributes: ["m"] });
    await add(0, 6000);
    assert.ok(index.graphs() === 1);
    compare(index, known, null);
    compare(index, known, "m = 0");
    const gone = Array.from({ length: 500 }, (_, i) => i * 7);
    await index.delete(gone.map(String));
    for (const id of gone) known.delete(id);
    compare(index, known, null);
    for (let from = 6000; from < 8000; from += 500) await add(from, 500);
    index.mergeAll();
    assert.equal(index.graphs(), 1);
    compare(index, known, null);
    compare(index, known, "m = 0");
    index.assertSound();
  });

  it("stays apart from others in its segment where one over all would take too much memory", async () => {
    const index = new VectorIndex();
    const known = new Map<number, number[]>();
    const embedders = { e: { source: "userProvided" as const, dimensions: DIMENSIONS } };
    await index.settings({ embedders, filterableAttributes: ["m"] });
    for (let part = 0; part < 2; part++) {
      const all = vectors(4500).map((vector, i) => ({ id: 2 * i + part, m: (2 * i + part) % 3, vector }));
      for (const { id, vector } of all) known.set(id, vector);
      await index.add(all.map(({ id, m, vector }) => ({ id, m, _vectors: { e: vector } })));
    }
    assert.equal(index.planAtRest(), null, "graphs are not built anew for rest alone");
    index.compactWith(1024 * 1024);
    assert.equal(index.state.segments.length, 1);
    assert.equal(index.graphs(), 2);
    compare(index, known, null);
    compare(index, known, "m = 0");
    assert.equal(index.vectors().size, known.size);
    // With less memory for searches than the graphs take, codes are compared instead.
    index.searcher = new SearchThread(index.storage, 1024 * 1024);
    compare(index, known, null);
    compare(index, known, "m = 0");
    index.assertSound();
  });

  it("gives pages without a document on two of them, or on none", async () => {
    const index = new VectorIndex();
    await index.settings({ embedders: { e: { source: "userProvided", dimensions: DIMENSIONS } } });
    const scattered = () => vectorAround(new Array(DIMENSIONS).fill(0), 1);
    await index.add(Array.from({ length: 6000 }, (_, id) => ({ id, _vectors: { e: scattered() } })));
    assert.equal(index.graphs(), 1);
    for (let i = 0; i < QUERIES; i++) {
      const query = scattered();
      const whole = paged(index, query, [56, 120, 64]);
      assert.deepEqual(paged(index, query, [56, 120, 8]), whole);
      assert.equal(whole.repeated, 0);
    }
  });

  it("finds most of many bits that are equally near", async () => {
    const index = new VectorIndex();
    const dimensions = 64;
    const embedders = { e: { source: "userProvided" as const, dimensions, binaryQuantized: true } };
    await index.settings({ embedders });
    const scattered = () => vectorAround(new Array(dimensions).fill(0), 1);
    await index.add(Array.from({ length: 12_000 }, (_, id) => ({ id, _vectors: { e: scattered() } })));
    assert.equal(index.graphs(), 1);
    let repeated = 0;
    for (let i = 0; i < QUERIES; i++) repeated += paged(index, scattered(), [0, 200, 20]).repeated;
    assert.ok(repeated < REPEATED_MAX * QUERIES * 200, `${repeated} of ${QUERIES * 200}`);
  });
});
