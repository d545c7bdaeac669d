// Which of several faults of a federated search is told: that of the index whose uid comes first, there that
// of the query that comes first, behind them what is wrong with the facets of that index, and last what is
// wrong with indexes of which nothing but facets is asked.
import { deepEqual, equal, match } from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fixture, openFixture } from "./fixture.ts";

interface Refusal {
  code: string;
  message: string;
}

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  for (const uid of ["aa", "m", "t"]) await fixture.fill(uid, [{ id: 1, kind: "k" }], SETTINGS);
});
after(() => fixture.close());

const SETTINGS = { filterableAttributes: ["kind"], sortableAttributes: ["kind"] };
const FILTER = "invalid_search_filter";
const FACETS = "invalid_search_facets";
const UNKNOWN = "index_not_found";

const ofM = { indexUid: "m" };
const wrongOfM = { indexUid: "m", filter: "zz=1" };
const unsortedOfM = { indexUid: "m", sort: ["zz:asc"] };
const vectorOfM = { indexUid: "m", vector: [1] };
const wrongOfT = { indexUid: "t", filter: "zz=1" };
const unknown = { indexUid: "zzzz" };
const unknownFirst = { indexUid: "a" };

/** Queries, facets by index, the code that is told, and how its message begins. */
const CASES: [queries: object[], facets: object | null, code: string, place: string][] = [
  // A fault that shows only when a query runs, and one that stands in the request.
  [[wrongOfM, unknown], null, FILTER, "Inside `.queries[0]`"],
  [[unknown, wrongOfM], null, FILTER, "Inside `.queries[1]`"],
  [[wrongOfM, unknownFirst], null, UNKNOWN, "Inside `.queries[1]`"],
  [[wrongOfM, vectorOfM], null, FILTER, "Inside `.queries[0]`"],
  [[vectorOfM, wrongOfM], null, "missing_search_hybrid", "Inside `.queries[0]`"],
  [[ofM, vectorOfM, wrongOfM], null, "missing_search_hybrid", "Inside `.queries[1]`"],
  [[wrongOfT, vectorOfM], null, "missing_search_hybrid", "Inside `.queries[1]`"],
  [[vectorOfM, unknown], null, "missing_search_hybrid", "Inside `.queries[0]`"],
  [[vectorOfM, unknownFirst], null, UNKNOWN, "Inside `.queries[1]`"],
  [[unsortedOfM, unknown], null, "invalid_search_sort", "Inside `.queries[0]`"],
  [[ofM, unknown], null, UNKNOWN, "Inside `.queries[1]`"],
  [[wrongOfT, wrongOfM], null, FILTER, "Inside `.queries[1]`"],
  // Facets of an index that has queries come behind these, and before the next index.
  [[ofM, unknown], { m: ["zz"] }, FACETS, "Inside `.queries[0]`"],
  [[wrongOfM], { m: ["zz"] }, FILTER, "Inside `.queries[0]`"],
  [[vectorOfM], { m: ["zz"] }, "missing_search_hybrid", "Inside `.queries[0]`"],
  [[ofM, wrongOfT], { m: ["zz"] }, FACETS, "Inside `.queries[0]`"],
  [[wrongOfM, { indexUid: "t" }], { t: ["zz"] }, FILTER, "Inside `.queries[0]`"],
  // Those of other indexes come last.
  [[wrongOfM], { aa: ["zz"] }, FILTER, "Inside `.queries[0]`"],
  [[ofM], { aa: ["zz"] }, FACETS, "Inside `.federation.facetsByIndex.aa`"],
  [[wrongOfM], { a: ["zz"] }, FILTER, "Inside `.queries[0]`"],
  [[vectorOfM], { a: null }, "missing_search_hybrid", "Inside `.queries[0]`"],
  [[unknown], { a: ["zz"] }, UNKNOWN, "Inside `.queries[0]`"],
  [[ofM], { a: ["zz"], aa: ["zz"] }, UNKNOWN, "Inside `.federation.facetsByIndex.a`"],
  [[ofM], { b: ["zz"], aa: ["zz"] }, FACETS, "Inside `.federation.facetsByIndex.aa`"],
  [[ofM], { aa: ["zz"], m: ["zz"] }, FACETS, "Inside `.queries[0]`"],
];

for (const [queries, facetsByIndex, code, place] of CASES) {
  const federation = { ...(facetsByIndex && { facetsByIndex }) };
  test(`of ${JSON.stringify({ federation, queries })} ${code} is told`, async () => {
    const refusal = await fixture.ask<Refusal>("POST /multi-search", { federation, queries }, 400);
    deepEqual([refusal.code, refusal.message.slice(0, place.length)], [code, place], refusal.message);
  });
}

test("without a fault, facets of an index without queries are answered with the others", async () => {
  const facetsByIndex = { aa: ["kind"], t: ["kind"] };
  const answer = await fixture.ask<{ hits: object[]; facetsByIndex: object }>("POST /multi-search", {
    federation: { facetsByIndex },
    queries: [{ indexUid: "t" }, ofM],
  });
  equal(answer.hits.length, 2);
  match(JSON.stringify(answer.facetsByIndex), /"t":\{"distribution":\{"kind":\{"k":1\}\}/);
});
