// Pages at the edges: bounds beyond all documents, and totals that are exact.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { SearchIndex } from "./searchindex.ts";

const LARGEST = [2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER, 2 ** 63, 2 ** 64];

test("the largest limits give all documents, whatever the settings allow", () => {
  for (const maxTotalHits of [3, ...LARGEST]) {
    const index = new SearchIndex({ pagination: { maxTotalHits }, filterableAttributes: ["kind"] });
    index.add([1, 2, 3].map((id) => ({ id, kind: id, text: "boat" })));
    const found = (query: SearchBody) => index.search({ q: "boat", ...query }).hits.map(({ id }) => id);
    for (const largest of LARGEST) {
      deepEqual(found({ limit: largest }), [1, 2, 3]);
      deepEqual(found({ offset: 1, limit: largest, distinct: "kind" }), [2, 3]);
      deepEqual(found({ hitsPerPage: largest, rankingScoreThreshold: 0.1 }), [1, 2, 3]);
      deepEqual(found({ offset: largest, limit: largest }), []);
      deepEqual(found({ page: largest, hitsPerPage: largest }), []);
    }
    index.close();
  }
});

test("a page of which the total is exact has no more hits than were asked for", () => {
  const index = new SearchIndex();
  index.add([1, 2, 3, 4].map((id) => ({ id, text: "boat" })));
  const query = { q: "boat", page: 2, hitsPerPage: 1, rankingScoreThreshold: 0.1 };
  const { hits, total } = index.search(query);
  deepEqual([hits.map(({ id }) => id), total], [[2], 4]);
  index.close();
});
