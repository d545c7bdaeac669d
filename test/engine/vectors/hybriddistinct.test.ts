// Searches by words and by vectors that show one document of each value of a field.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { VectorIndex } from "./vectorindex.ts";

test("documents that share a value with those of the page count no more, however found", async () => {
  const index = new VectorIndex();
  await index.settings({
    embedders: { e: { source: "userProvided", dimensions: 2 } },
    filterableAttributes: ["kind", "id"],
  });
  const add = (id: number, kind: string, t: string, e: number[]) => ({ id, kind, t, _vectors: { e } });
  await index.add([
    add(1, "x", "boat", [0, 1]),
    add(2, "x", "tree", [1, 0]),
    add(3, "y", "tree", [1, 0.5]),
    add(4, "x", "boat", [0.5, 1]),
    add(5, "y", "boat", [1, 0.9]),
  ]);
  const search = (limit: number) => {
    const hybrid = { embedder: "e", semanticRatio: 0.8 };
    const query = { q: "boat", vector: [1, 0], hybrid, distinct: "kind", facets: ["kind"], limit };
    const { hits, estimatedTotalHits, facetDistribution } = index.search(query);
    return [hits.map(({ id }: { id: number }) => id), estimatedTotalHits, facetDistribution];
  };
  deepEqual(search(20), [[2, 3], 2, { kind: { x: 1, y: 1 } }]);
  deepEqual(search(1), [[2], 3, { kind: { x: 1, y: 2 } }]);
});
