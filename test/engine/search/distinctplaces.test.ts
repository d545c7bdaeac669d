// Searches by distance that show one document of each value of a field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchIndex } from "./searchindex.ts";

/** Of latitude. */
const DEGREES_PER_METRE = 1 / 111_195;

test("a document that a nearer one excludes is not what others are as near as", () => {
  const index = new SearchIndex({ filterableAttributes: ["kind"], sortableAttributes: ["_geo"] });
  const at = (metres: number) => ({ lat: metres * DEGREES_PER_METRE, lng: 0 });
  index.add([
    { id: 1, kind: "a", _geo: at(6.5) },
    { id: 2, kind: "x", _geo: at(0) },
    // Were it the first of a group, the last would be in it and come before the first document.
    { id: 3, kind: "x", _geo: at(5.1) },
    { id: 4, kind: "b", _geo: at(5.9) },
  ]);
  const { hits } = index.search({ sort: ["_geoPoint(0, 0):asc"], distinct: "kind" });
  assert.deepEqual(
    hits.map(({ id }) => id),
    [2, 1, 4],
  );
  index.close();
});
