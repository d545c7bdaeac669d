// What refusals and hits tell of fields that are not displayed: nothing.
import { deepEqual, equal, match, throws } from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../../src/errors.ts";
import type { SearchBody } from "../../../src/schemas/search.ts";
import { SearchIndex } from "./searchindex.ts";

const NAMES = ["name", "secret"];
const index = new SearchIndex({
  searchableAttributes: [...NAMES, "later"],
  filterableAttributes: NAMES,
  sortableAttributes: NAMES,
  displayedAttributes: ["id", "name"],
});
index.add([{ id: 1, name: "a", secret: "b" }]);

const refusal = (query: SearchBody): string => {
  try {
    index.search(query);
  } catch (error) {
    if (error instanceof TarsierError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error(`${JSON.stringify(query)} is not refused`);
};

const WRONG: SearchBody[] = [
  { filter: "x = 1" },
  { sort: ["x:asc"] },
  { facets: ["x"] },
  { distinct: "x" },
  { attributesToSearchOn: ["x"] },
];

for (const query of WRONG) {
  test(`the refusal of ${JSON.stringify(query)} hides names that are not displayed`, () => {
    match(refusal(query), /: `name`, `<..hidden-attributes>`\./);
  });
}

test("names beside a star are looked at, too", () => {
  match(refusal({ attributesToSearchOn: ["*", "x"] }), /^invalid_search_attributes_to_search_on: `x` is not/);
  index.search({ attributesToSearchOn: ["*", "name"] });
});

test("only names that exist or are declared can be searched on", () => {
  for (const name of ["name.x", "late*", "x*"]) {
    throws(() => index.search({ attributesToSearchOn: [name] }), {
      code: "invalid_search_attributes_to_search_on",
    });
  }
  for (const name of ["later", "nam*", "*cret"]) index.search({ attributesToSearchOn: [name] });
});

test("the details of a sort show only fields that are named among those that are displayed", () => {
  const fields = { sortableAttributes: ["name", "part.seen"] };
  const details = (displayedAttributes: string[]) => {
    const index = new SearchIndex({ ...fields, displayedAttributes });
    index.add([{ id: 1, name: "a", part: { seen: 1 } }]);
    const query = { sort: ["part.seen:asc", "name:asc"], showRankingScoreDetails: true };
    const [hit] = index.search(query).hits;
    index.close();
    return Object.keys(hit._rankingScoreDetails as object);
  };
  deepEqual(details(["*"]), ["part.seen:asc", "name:asc"]);
  deepEqual(details(["name", "part"]), ["<hidden-rule-0>", "name:asc"]);
});

test("distances are shown with places that are shown whole", () => {
  const index = new SearchIndex({ sortableAttributes: ["_geo"] });
  index.add([{ id: 1, _geo: { lat: 1, lng: 0 } }]);
  const distance = (attributesToRetrieve: string[]) =>
    index.search({ sort: ["_geoPoint(0, 0):asc"], attributesToRetrieve }).hits[0]._geoDistance;
  for (const fields of [["*"], ["_geo"], ["_geo.lng", "_geo.lat"]]) equal(distance(fields), 111195);
  for (const fields of [["id"], ["_geo.lat"]]) equal(distance(fields), undefined);
  index.close();
});
