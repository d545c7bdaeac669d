// Empty texts in the distinct field of a request: a habit of the reference engine.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { SearchBody } from "../../../src/schemas/search.ts";
import type { SettingsPatch } from "../../../src/schemas/settings.ts";
import { SearchIndex } from "./searchindex.ts";

const VALUES = ["", "", undefined, "x", "", "X", null, [], []];

function found(query: SearchBody, settings: SettingsPatch = {}) {
  const index = new SearchIndex({ filterableAttributes: ["kind", "in.kind"], ...settings });
  index.add(VALUES.map((kind, at) => ({ id: at + 1, text: "boat", kind, in: { kind } })));
  const { hits, total } = index.search(query);
  index.close();
  return [hits.map(({ id }) => id), total];
}

test("of the hits of a page with an empty text in the field of the request, the first is left", () => {
  for (const distinct of ["kind", "in.kind"])
    for (const q of ["", "boat"]) deepEqual(found({ q, distinct }), [[1, 3, 4, 7, 8, 9], 6]);
});

test("names with dots may be one name or several", () => {
  const index = new SearchIndex({ filterableAttributes: ["in.kind"] });
  index.add([
    { id: 1, in: { other: 1 }, "in.kind": "" },
    { id: 2, in: { kind: "" } },
    { id: 3, "in.kind": "", in: {} },
  ]);
  deepEqual(
    index.search({ distinct: "in.kind" }).hits.map(({ id }) => id),
    [1],
  );
  index.close();
});

test("the page is cut before, and is not filled up again", () => {
  deepEqual(found({ distinct: "kind", limit: 2 }), [[1], 8]);
  deepEqual(found({ distinct: "kind", offset: 1, limit: 2 }), [[2, 3], 9]);
  deepEqual(found({ distinct: "kind", page: 1, hitsPerPage: 2 }), [[1], 7]);
});

test("the distinct field of the settings takes an empty text for no value", () => {
  deepEqual(found({}, { distinctAttribute: "kind" }), [[1, 2, 3, 4, 5, 7, 8, 9], 8]);
});
