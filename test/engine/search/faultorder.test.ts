// Which of several faults of a search is told.
import { throws } from "node:assert/strict";
import { test } from "node:test";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { SearchIndex } from "./searchindex.ts";

const index = new SearchIndex({ searchableAttributes: ["t"], filterableAttributes: ["a"] });
index.add([{ id: 1, t: "x", a: 1 }]);

/** Faults in the order in which they are told. */
const FAULTS: [body: SearchBody, code: string][] = [
  [{ hybrid: { embedder: "none", semanticRatio: 1 } }, "invalid_search_embedder"],
  [{ sort: ["a"] }, "invalid_search_sort"],
  [{ attributesToSearchOn: ["none"] }, "invalid_search_attributes_to_search_on"],
  [{ distinct: "none" }, "invalid_search_distinct"],
  [{ filter: "none = 1" }, "invalid_search_filter"],
  [{ sort: ["none:asc"] }, "invalid_search_sort"],
  [{ facets: ["none"] }, "invalid_search_facets"],
];

FAULTS.forEach(([body, code], at) => {
  test(`${JSON.stringify(body)} is refused before what comes after it`, () => {
    const rest = FAULTS.slice(at + 1).map(([later]) => later);
    throws(() => index.search(Object.assign({ q: "x" }, ...rest, body)), { code });
  });
});
