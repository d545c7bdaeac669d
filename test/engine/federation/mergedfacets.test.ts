// Facets of several indexes, or of one index on several servers, added up.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { FacetCounts } from "../../../src/engine/facets/distribution.ts";
import { mergedFacets } from "../../../src/engine/federation/mergedfacets.ts";

const facet = (values: FacetCounts["values"], range: FacetCounts["range"] = null) => [
  { name: "a", values, range },
];
const parts = [
  facet([["Red", 1]]),
  facet(
    [
      ["10", 1],
      ["9", 1],
      ["red", 4],
    ],
    { min: 9, max: 10 },
  ),
];

const merged = (order: "alpha" | "count", isOneIndex: boolean, most = 10) => {
  const [{ values, range }] = mergedFacets(parts, { order: () => order, most, isOneIndex });
  return { values, range };
};

test("of one index, numbers come before texts, and a value is spelled as it was first", () => {
  const range = { min: 9, max: 10 };
  deepEqual(merged("alpha", true), {
    values: [
      ["10", 1],
      ["9", 1],
      ["Red", 5],
    ],
    range,
  });
  deepEqual(merged("count", true), {
    values: [
      ["10", 1],
      ["9", 1],
      ["Red", 5],
    ],
    range,
  });
  deepEqual(merged("count", true, 1).values, [["10", 1]]);
});

test("of several indexes, all values are texts, and each spelling is one", () => {
  deepEqual(merged("alpha", false).values, [
    ["10", 1],
    ["9", 1],
    ["Red", 1],
    ["red", 4],
  ]);
  deepEqual(merged("count", false).values, [
    ["red", 4],
    ["Red", 1],
    ["9", 1],
    ["10", 1],
  ]);
});

test("the range is that of the parts that have one", () => {
  const of = (...ranges: FacetCounts["range"][]) =>
    mergedFacets(
      ranges.map((range) => facet([], range)),
      { order: () => "alpha", most: 1, isOneIndex: true },
    )[0].range;
  deepEqual(of({ min: 1, max: 2 }, null), { min: 1, max: 2 });
  deepEqual(of(null, { min: 1, max: 2 }), { min: 1, max: 2 });
  deepEqual(of({ min: 1, max: 2 }, { min: -1, max: 1 }), { min: -1, max: 2 });
});

test("fields come in the order of their names, and numbers before all texts", () => {
  const counted = (name: string, ...texts: string[]) => ({
    name,
    values: texts.map((text) => [text, 1] as const),
    range: null,
  });
  const given = [[counted("b", "x"), counted("a", "#")], [counted("a", "7")], [counted("B", "y")]];
  const found = mergedFacets(given, { order: () => "alpha", most: 10, isOneIndex: true });
  deepEqual(found, [counted("B", "y"), counted("a", "7", "#"), counted("b", "x")]);
});
