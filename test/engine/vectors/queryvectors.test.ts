// Queries on their way to vectors: a search that asks for one, and settings that change meanwhile.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import type { EmbedderProvider } from "../../../src/embedders/embedder.ts";
import { searchEmbedded } from "../../../src/engine/queryvectors.ts";
import type { EmbeddingRequest } from "../../../src/engine/search/semantic.ts";
import { KEPT_TURN } from "../../../src/engine/turn.ts";
import { searchQueryOf } from "../../../src/schemas/search.ts";
import { EMBEDDERS, VectorIndex } from "./vectorindex.ts";

const requestFor = (dimensions: number) =>
  ({
    embed: { name: "e", settings: {}, dimensions, q: "x", media: null },
    cutoffMs: null,
  }) as unknown as EmbeddingRequest;

/** Embedders whose vectors are as long as they are asked for. */
const embedders = {
  open: async (_name: string, _settings: object, dimensions: number) => ({
    embedQuery: async () => new Float32Array(dimensions).fill(1),
  }),
} as unknown as EmbedderProvider;

/** A search of an index whose embedder has these lengths, one after the other. */
function searchOf(lengths: readonly number[]) {
  const got: (number | null)[] = [];
  const search = async ({ embedding = null }: { embedding?: unknown }) => {
    const length = Array.isArray(embedding) ? embedding.length : null;
    const wanted = lengths[Math.min(got.length, lengths.length - 1)];
    got.push(length);
    return length === wanted ? { found: length } : requestFor(wanted);
  };
  return { search, got };
}

describe("a search whose query was embedded", () => {
  for (const semanticRatio of [0.5, 1]) {
    const name = semanticRatio === 1 ? "by vectors" : "by both";
    it(`${name} asks again when the vectors of its index have another length by now`, async () => {
      const index = new VectorIndex();
      await index.settings({ embedders: { made: EMBEDDERS.made } });
      await index.add([{ id: 1, t: "ant" }]);
      const body = { q: "ant", hybrid: { embedder: "made", semanticRatio }, limit: 1000 };
      const query = { ...searchQueryOf(body, "request", null), embedding: [1, 2, 3] };
      const answer = index.searcher.search(index.handle, query);
      ok("embed" in answer);
      equal(answer.embed.dimensions, 2);
      ok(index.searcher.search(index.handle, { ...query, embedding: [1, 2] }) instanceof Uint8Array);
    });
  }
});

describe("a search that asks for a vector", () => {
  it("gets it, and is run again", async () => {
    const { search, got } = searchOf([4]);
    deepEqual(await searchEmbedded<object>(embedders, search, KEPT_TURN), { found: 4 });
    deepEqual(got, [null, 4]);
  });

  it("gets one of the new length when the settings have changed meanwhile", async () => {
    const { search, got } = searchOf([4, 8, 8]);
    deepEqual(await searchEmbedded<object>(embedders, search, KEPT_TURN), { found: 8 });
    deepEqual(got, [null, 4, 8]);
  });

  it("is refused when they change again and again", async () => {
    const { search } = searchOf([1, 2, 3, 4, 5, 6, 7, 8]);
    const code = "vector_embedding_error";
    await rejects(searchEmbedded<object>(embedders, search, KEPT_TURN), { code, message: /just changed/ });
  });
});
