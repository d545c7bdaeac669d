// POST facet-search and /experimental-features: what is refused, and what the engine is given.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FacetSearchQuery } from "../../src/schemas/facetsearch.ts";
import { FEATURE_NAMES } from "../../src/schemas/features.ts";
import { INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/facet-search`;

/** Body beside the name of the facet, code. */
const WRONG: [body: object, code: string][] = [
  [{ facetName: 1 }, "invalid_facet_search_facet_name"],
  [{ facetName: null }, "invalid_facet_search_facet_name"],
  [{ facetQuery: 3 }, "invalid_facet_search_query"],
  [{ exhaustiveFacetCount: "y" }, "invalid_facet_search_exhaustive_facet_count"],
  [{ q: [] }, "invalid_search_q"],
  [{ filter: 5 }, "invalid_search_filter"],
  [{ filter: "a >" }, "invalid_search_filter"],
  [{ filter: "a CONTAINS b" }, "feature_not_enabled"],
  [{ matchingStrategy: "some" }, "invalid_search_matching_strategy"],
  [{ attributesToSearchOn: "a" }, "invalid_search_attributes_to_search_on"],
  [{ rankingScoreThreshold: 4 }, "invalid_search_ranking_score_threshold"],
  [{ locales: ["xx"] }, "invalid_search_locales"],
  [{ vector: [1] }, "missing_search_hybrid"],
  [{ useNetwork: true }, "feature_not_enabled"],
];

test("a facet search needs the name of a facet", async () => {
  const { code } = await startFixture();
  assert.deepEqual(await code(`POST ${url}`, {}), [400, "missing_facet_search_facet_name"]);
  assert.deepEqual(await code(`POST /indexes/none/facet-search`, { facetName: "a" }), [
    404,
    "index_not_found",
  ]);
  assert.deepEqual(await code(`GET ${url}`), [405, null]);
});

for (const [body, expected] of WRONG) {
  test(`a facet search with ${JSON.stringify(body)} is refused`, async () => {
    const { code } = await startFixture();
    assert.deepEqual(await code(`POST ${url}`, { facetName: "a", ...body }), [400, expected]);
  });
}

test("a facet search takes a whole search, and hands on what it needs", async () => {
  const { code, calls } = await startFixture();
  const body = { facetName: "kind", facetQuery: "gr", q: "tea", limit: 3, sort: ["a:asc"], page: "x" };
  assert.deepEqual(await code(`POST ${url}`, body), [200, null]);
  const [, , query] = calls.find(([name]) => name === "facetSearch")!;
  assert.deepEqual(query, {
    facetName: "kind",
    facetQuery: "gr",
    exhaustiveFacetCount: false,
    q: "tea",
    filter: null,
    matchingStrategy: "last",
    attributesToSearchOn: null,
    rankingScoreThreshold: null,
    locales: null,
    semantic: null,
  });
});

test("a facet search of a semantic search hands on its embedder and its vector", async () => {
  const { code, calls } = await startFixture();
  const asked = async (body: object) => {
    assert.deepEqual(await code(`POST ${url}`, { facetName: "kind", ...body }), [200, null]);
    const [, , query] = calls.findLast(([name]) => name === "facetSearch")!;
    const { q, semantic } = query as FacetSearchQuery;
    return [q, semantic];
  };
  const hybrid = { embedder: "e", semanticRatio: 0.5 };
  assert.deepEqual(await asked({ q: "tea", hybrid }), [null, { embedder: "e", vector: null }]);
  assert.deepEqual(await asked({ vector: [1], hybrid }), [null, { embedder: "e", vector: [1] }]);
  assert.deepEqual(await asked({ q: " ", hybrid }), [null, null]);
  const byWords = { embedder: "e", semanticRatio: 0 };
  assert.deepEqual(await asked({ q: "tea", vector: [1], hybrid: byWords }), ["tea", null]);
});

test("experimental features are off, switched on one by one, and kept by the instance", async () => {
  const { app, instance } = await startFixture();
  const features = async (method: "GET" | "PATCH", payload?: object) =>
    (await app.inject({ method, url: "/experimental-features/", ...(payload && { payload }) })).json();
  // The legacy search is neither on nor off until somebody says so.
  const off = { ...Object.fromEntries(FEATURE_NAMES.map((name) => [name, false])), legacySearch: null };
  assert.deepEqual(await features("GET"), off);
  assert.deepEqual(await features("PATCH", { network: true }), { ...off, network: true });
  const both = { ...off, network: true, containsFilter: true };
  assert.deepEqual(await features("PATCH", { containsFilter: true, network: null }), both);
  assert.equal(instance.value("experimentalFeature", "containsFilter"), true);
  assert.deepEqual(await features("PATCH", { containsFilter: false }), { ...off, network: true });
});

test("only known features can be switched, by truth values", async () => {
  const { code } = await startFixture();
  for (const body of [{ network: "yes" }, { network: 1 }, { timeTravel: true }, [true]]) {
    assert.deepEqual(await code("PATCH /experimental-features", body), [400, "bad_request"]);
  }
  assert.deepEqual(await code("DELETE /experimental-features"), [405, null]);
});
