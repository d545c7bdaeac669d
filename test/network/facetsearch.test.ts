// Values of several servers in one list.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { joinedFacetHits } from "../../src/network/facetsearch.ts";

const hits = (...values: [value: string, count: number][]) =>
  values.map(([value, count]) => ({ value, count }));

test("counts of a value are added however it is spelled, and the first spelling is shown", () => {
  const lists = [hits(["Red", 1], ["tea", 2]), hits(["blue", 4], ["red", 2])];
  deepEqual(joinedFacetHits(lists, { order: "alpha", most: 10 }), hits(["blue", 4], ["Red", 3], ["tea", 2]));
});

test("the most frequent come first where the setting says so, equally frequent ones as on one server", () => {
  const lists = [hits(["b", 2], ["a", 1]), hits(["c", 3], ["a", 1]), []];
  deepEqual(joinedFacetHits(lists, { order: "count", most: 3 }), hits(["c", 3], ["b", 2], ["a", 2]));
  deepEqual(joinedFacetHits([], { order: "count", most: 2 }), []);
});
