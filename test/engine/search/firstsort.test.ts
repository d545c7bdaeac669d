// A sort that comes before all rules has them look at single documents, as many as a page has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

test("a long page that is sorted first has the score of each document, and memory for all of them", () => {
  const length = 60_000;
  const place = (id: number) => (id * 7919) % length;
  const index = new SearchIndex({
    searchableAttributes: ["text"],
    sortableAttributes: ["place"],
    rankingRules: ["sort", "words", "typo"],
    pagination: { maxTotalHits: length },
  });
  index.add(
    Array.from({ length }, (_, id) => {
      return { id, place: place(id), text: id % 3 === 0 ? "red" : id % 3 === 1 ? "red river" : "red rover" };
    }),
  );
  const limit = 20_000;
  const { hits } = index.ranked({ q: "red river ", sort: ["place:asc"], limit });
  const expected = Array.from({ length }, (_, id) => id)
    .sort((a, b) => place(a) - place(b))
    .slice(0, limit);
  assert.deepEqual(
    hits.map(([id]) => id),
    expected,
  );
  const scores = [0, 1, 2].map(
    (rest) => new Set(hits.filter(([id]) => id % 3 === rest).map(([, score]) => score)),
  );
  assert.deepEqual(
    scores.map(({ size }) => size),
    [1, 1, 1],
  );
  const [[less], [all], [typo]] = scores;
  assert.ok(all === 1 && typo < all && less < typo);
  index.close();
});
