// What `showPerformanceDetails` adds to answers: how long the parts of a search took, by name.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fixture, openFixture } from "./fixture.ts";

interface Answer {
  performanceDetails?: Record<string, string>;
  results: Answer[];
}

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  const documents = [
    { id: 1, name: "red lamp", _vectors: { e: [1, 0] } },
    { id: 2, name: "red chair", _vectors: { e: [0, 1] } },
  ];
  const embedders = { e: { source: "userProvided", dimensions: 2 } };
  await fixture.fill("a", documents, { filterableAttributes: ["name"], embedders });
});
after(() => fixture.close());

const ask = (path: string, body: object) => fixture.ask<Answer>(`POST ${path}`, body);
const DURATION = /^\d+\.\d\d(s|ms|µs)$/;

function partsOf({ performanceDetails }: Answer): string[] {
  ok(performanceDetails);
  for (const duration of Object.values(performanceDetails)) match(duration, DURATION);
  return Object.keys(performanceDetails);
}

const ASKED = { showPerformanceDetails: true };
const SEARCH = [
  "wait in queue",
  "search > tokenize query",
  "search > evaluate query",
  "search > evaluate filter",
];
const ENDING = ["search > format", "search > facet distribution", "search"];

test("a search tells how long its parts took", async () => {
  const found = await ask("/indexes/a/search", { ...ASKED, q: "lamp", facets: ["name"] });
  deepEqual(partsOf(found), [...SEARCH, "search > keyword ranking", ...ENDING]);
  const placeholder = await ask("/indexes/a/search", ASKED);
  ok(partsOf(placeholder).includes("search > placeholder ranking"));
  const byVector = { vector: [1, 0], hybrid: { embedder: "e", semanticRatio: 1 } };
  ok(
    partsOf(await ask("/indexes/a/search", { ...ASKED, ...byVector })).includes("search > semantic ranking"),
  );
});

test("nothing is told unless it is asked for", async () => {
  const answers = [
    await ask("/indexes/a/search", { q: "lamp", showPerformanceDetails: false }),
    await ask("/multi-search", { federation: {}, queries: [{ indexUid: "a" }] }),
    await ask("/indexes/a/similar", { id: 1, embedder: "e" }),
  ];
  for (const answer of answers) equal(answer.performanceDetails, undefined);
});

test("each query of a multi-search tells its own parts", async () => {
  const { results } = await ask("/multi-search", {
    queries: [{ indexUid: "a", ...ASKED }, { indexUid: "a" }],
  });
  ok(partsOf(results[0]).includes("search"));
  equal(results[1].performanceDetails, undefined);
});

test("null for a query of a multi-search asks for nothing, but is refused in a search alone", async () => {
  const query = { indexUid: "a", showPerformanceDetails: null };
  const { results } = await ask("/multi-search", { queries: [query] });
  equal(results[0].performanceDetails, undefined);
  const federated = await ask("/multi-search", { federation: {}, queries: [query] });
  equal(federated.performanceDetails, undefined);
  const { indexUid: _, ...alone } = query;
  const { code } = await fixture.ask("POST /indexes/a/search", alone, 400);
  equal(code, "invalid_search_show_performance_details");
});

test("a federated search tells what merging took", async () => {
  const found = await ask("/multi-search", { federation: ASKED, queries: [{ indexUid: "a" }] });
  const parts = ["start remote search", "execute local search", "wait for remote results"];
  const merged = [...parts, "merge results", "merge facets"].map((name) => `search > ${name}`);
  deepEqual(partsOf(found), ["wait in queue", ...merged, "search"]);
});

test("a search for similar documents tells how long its parts took", async () => {
  const found = await ask("/indexes/a/similar", { ...ASKED, id: 1, embedder: "e" });
  const own = ["evaluate filter", "semantic ranking", "format"].map((name) => `search > ${name}`);
  deepEqual(partsOf(found), ["wait in queue", ...own, "search"]);
});
