// The rule attributeRank over more fields than its usual costs are made for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

test("documents are in the order of their fields, however many there are", () => {
  const names = Array.from({ length: 1100 }, (_, i) => `field${i}`);
  const index = new SearchIndex({ searchableAttributes: names, rankingRules: ["attributeRank"] });
  // Costs up to 1023 are counted in a table; those above, each by itself.
  const weights = [1099, 1025, 1024, 1023, 1022, 512, 1, 0];
  // Fewer documents are not grouped by their costs.
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, weight: weights[id % weights.length] }));
  index.add(documents.map(({ id, weight }) => ({ id, [names[weight]]: "sun" })));
  const ids = index.ranked({ q: "sun", limit: 1000 }).hits.map(([id]) => id);
  const expected = [...documents].sort((a, b) => a.weight - b.weight || a.id - b.id);
  assert.deepEqual(
    ids,
    expected.map(({ id }) => id),
  );
  index.close();
});
