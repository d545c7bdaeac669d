// The search routes: what each parameter accepts in a body and in a query string, and what the engine is
// given.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchQuery } from "../../src/schemas/search.ts";
import { type Fixture, INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/search`;

const searches = (calls: Fixture["calls"]) => calls.filter(([name]) => name === "search");

/** Field, code without its prefix, wrong values of the body, wrong values of the query string. */
const WRONG: [field: string, code: string, body: unknown[], query: string[]][] = [
  ["q", "q", [[1], 3], []],
  ["offset", "offset", ["x", -1, 1.5, null], ["x", "-1", ""]],
  ["limit", "limit", [-3, "many", null], ["many", "-2", "1.5", ""]],
  ["page", "page", [-1, "one"], ["-1", "a"]],
  ["hitsPerPage", "hits_per_page", [-1, []], ["b"]],
  ["attributesToRetrieve", "attributes_to_retrieve", ["name", [1]], []],
  ["attributesToCrop", "attributes_to_crop", ["name", {}], []],
  ["cropLength", "crop_length", ["ten", -1, null], ["z"]],
  ["cropMarker", "crop_marker", [1, null], []],
  ["attributesToHighlight", "attributes_to_highlight", ["name"], []],
  ["highlightPreTag", "highlight_pre_tag", [[], null], []],
  ["highlightPostTag", "highlight_post_tag", [{}, null], []],
  ["showMatchesPosition", "show_matches_position", ["yes", null], ["yes", "1"]],
  ["filter", "filter", [{ a: 1 }, 12, [1], [[["a"]]]], ["12"]],
  ["sort", "sort", ["name:asc", {}], []],
  ["distinct", "distinct", [1, ["a"]], []],
  ["facets", "facets", ["kind", [{}]], []],
  ["matchingStrategy", "matching_strategy", ["some", ["all"], null], ["none"]],
  ["attributesToSearchOn", "attributes_to_search_on", ["name", [1]], []],
  ["rankingScoreThreshold", "ranking_score_threshold", ["0.5", 1.5, -0.1], ["2", "low", "%200.5", "0x0", ""]],
  ["locales", "locales", ["eng", ["klingon"]], ["xx", "en,xx"]],
  ["vector", "vector", ["1,2", ["a"]], ["a,b", "1,%202", "1,0x2", "1,Infinity"]],
  ["retrieveVectors", "retrieve_vectors", ["no", null], ["5"]],
  ["showRankingScore", "show_ranking_score", ["true", null], ["2"]],
  ["showRankingScoreDetails", "show_ranking_score_details", [1], ["maybe"]],
  ["showPerformanceDetails", "show_performance_details", [1], ["maybe"]],
  ["useNetwork", "use_network", [1], ["2"]],
  ["personalize", "personalize", [1, {}], []],
];

for (const [field, code, bodies, queries] of WRONG) {
  test(`a wrong ${field} is refused with its own code`, async () => {
    const { code: ask } = await startFixture();
    const refused = [400, `invalid_search_${code}`];
    for (const value of bodies)
      assert.deepEqual(await ask(`POST ${url}`, { [field]: value }), refused, `${value}`);
    for (const value of queries) assert.deepEqual(await ask(`GET ${url}?${field}=${value}`), refused, value);
  });
}

test("the parts of hybrid have codes of their own", async () => {
  const { code } = await startFixture();
  const refused = async (hybrid: unknown, expected: string) => {
    assert.deepEqual(await code(`POST ${url}`, { hybrid }), [400, expected], JSON.stringify(hybrid));
  };
  await refused("default", "invalid_search_hybrid_query");
  await refused({}, "invalid_search_hybrid_query");
  await refused({ embedder: "e", nope: 1 }, "invalid_search_hybrid_query");
  await refused({ embedder: 1 }, "invalid_search_embedder");
  await refused({ embedder: "e", semanticRatio: 2 }, "invalid_search_semantic_ratio");
  const ratioAlone = await code(`GET ${url}?hybridSemanticRatio=0.5`);
  assert.deepEqual(ratioAlone, [400, "invalid_search_hybrid_query"]);
  const elsewhere = await code("GET /indexes/no%20good/search?hybridSemanticRatio=0.5");
  assert.deepEqual(elsewhere, [400, "invalid_index_uid"]);
  for (const query of ["hybridEmbedder=x&hybridSemanticRatio=3", "hybridSemanticRatio=2"])
    assert.deepEqual(await code(`GET ${url}?${query}`), [400, "invalid_search_semantic_ratio"]);
});

test("of several wrong parameters the first one is told", async () => {
  const { code } = await startFixture();
  const first: [query: string, expected: string][] = [
    ["matchingStrategy=x&limit=y", "invalid_search_matching_strategy"],
    ["limit=y&matchingStrategy=x", "invalid_search_limit"],
    ["locales=xx&foo=1", "invalid_search_locales"],
    ["rankingScoreThreshold=2&limit=y", "invalid_search_ranking_score_threshold"],
    ["hybridEmbedder=x&hybridSemanticRatio=2&locales=xx", "invalid_search_semantic_ratio"],
  ];
  for (const [query, expected] of first)
    assert.deepEqual(await code(`GET ${url}?${query}`), [400, expected], query);
});

test("parameters that need or exclude each other are checked once the index is known", async () => {
  const { code } = await startFixture();
  assert.deepEqual(await code(`POST ${url}`, { vector: [1] }), [400, "missing_search_hybrid"]);
  assert.deepEqual(await code(`POST ${url}`, { media: {} }), [400, "missing_search_hybrid"]);
  assert.deepEqual(await code(`POST ${url}`, { media: 1, vector: [1] }), [
    400,
    "invalid_search_media_and_vector",
  ]);
  assert.deepEqual(await code(`POST ${url}`, { useNetwork: false }), [400, "feature_not_enabled"]);
  assert.deepEqual(await code(`POST ${url}`, { personalize: { userContext: "x" } }), [
    400,
    "feature_not_enabled",
  ]);
  assert.deepEqual(await code("POST /indexes/none/search", { vector: [1] }), [404, "index_not_found"]);
});

test("unknown parameters are named together with the accepted ones and a near name", async () => {
  const { app, code } = await startFixture();
  assert.deepEqual(await code(`GET ${url}?Q=tea`), [400, "bad_request"]);
  assert.deepEqual(await code(`GET ${url}?limit=1&Q=tea&limit=2`), [400, "bad_request"]);
  assert.deepEqual(await code("POST /indexes/a%20b/search", {}), [400, "invalid_index_uid"]);
  const response = await app.inject({ method: "POST", url, payload: { attributestoretrieve: [] } });
  assert.match(
    response.json().message,
    /Unknown field `attributestoretrieve`: did you mean `attributesToRetrieve`/,
  );
  assert.match(response.json().message, /`hitsPerPage`/);
});

test("messages name the place, what was expected and what was found", async () => {
  const { app } = await startFixture();
  const body = await app.inject({ method: "POST", url, payload: { facets: ["a", 5] } });
  assert.equal(
    body.json().message,
    "Field `.facets[1]`: expected a string, but found a positive integer: `5`",
  );
  const headers = { "content-type": "application/json" };
  for (const [place, payload] of [
    [".vector[1]", `{"vector":[1,1e400]}`],
    [".limit", `{"limit":-1e400}`],
  ] as const) {
    const large = await app.inject({ method: "POST", url, payload, headers });
    assert.match(large.json().message, /^Field `(.*)`: expected .*, but found a number that is too large$/);
    assert.equal(large.json().message.split("`")[1], place);
  }
  const query = await app.inject({ method: "GET", url: `${url}?limit=-1` });
  assert.match(query.json().message, /^Parameter `limit`: expected an integer from 0 .*found `-1`$/);
  const locales = await app.inject({ method: "GET", url: `${url}?locales=eng,xx` });
  assert.match(locales.json().message, /^Parameter `locales\[1\]`: expected one of `af`, .*found `xx`$/);
});

test("the largest integers of other languages are counts, `null` is no filter", async () => {
  const { app, calls, code } = await startFixture();
  const largest = "9223372036854775807";
  for (const payload of [`{"limit":${largest}}`, `{"hitsPerPage":18446744073709551615}`]) {
    const headers = { "content-type": "application/json" };
    assert.equal((await app.inject({ method: "POST", url, payload, headers })).statusCode, 200);
  }
  assert.deepEqual(await code(`GET ${url}?limit=${largest}`), [200, null]);
  for (const payload of [`{"cropLength":${largest}}`, `{"cropLength":18446744073709551615}`]) {
    const headers = { "content-type": "application/json" };
    assert.equal((await app.inject({ method: "POST", url, payload, headers })).statusCode, 200);
  }
  const crops = searches(calls).map(([, , query]) => (query as SearchQuery).cropLength);
  assert.deepEqual(crops, [10, 10, 10, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  const bounds = searches(calls)
    .slice(0, 3)
    .map(([, , query]) => {
      const { limit, hitsPerPage } = query as SearchQuery;
      return hitsPerPage ?? limit;
    });
  // Every client can read these.
  assert.deepEqual(
    bounds,
    [1, 2, 3].map(() => Number.MAX_SAFE_INTEGER),
  );
  assert.deepEqual(await code(`GET ${url}?limit=18446744073709551615`), [200, null]);
  for (const tooLarge of ["18446744073709551616", "36893488147419103232"])
    assert.deepEqual(await code(`GET ${url}?limit=${tooLarge}`), [400, "invalid_search_limit"]);
  assert.deepEqual(await code(`GET ${url}?filter=null`), [400, "invalid_search_filter"]);
});

test("the engine gets every parameter, defaults filled in", async () => {
  const { app, calls } = await startFixture();
  await app.inject({ method: "POST", url, payload: {} });
  const [name, handle, query] = searches(calls)[0] as [string, { indexUid: string }, SearchQuery];
  assert.deepEqual([name, handle.indexUid], ["search", INDEX]);
  const { requestUid, ...rest } = query;
  assert.match(requestUid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([rest.q, rest.offset, rest.limit, rest.page, rest.hitsPerPage], [null, 0, 20, null, null]);
  assert.deepEqual([rest.cropMarker, rest.cropLength, rest.matchingStrategy], ["…", 10, "last"]);
  assert.deepEqual([rest.showRankingScore, rest.queryUid, rest.hybrid], [false, null, null]);
});

test("a query string says the same as the body it stands for", async () => {
  const { app, calls } = await startFixture();
  const parameters = new URLSearchParams({
    q: "a b",
    limit: "3",
    attributesToRetrieve: "id,name",
    filter: '["a = 1", ["b = 2"]]',
    sort: '"price:asc, _geoPoint(1, 2):desc"',
    rankingScoreThreshold: "0.5",
    showRankingScore: "true",
    locales: "en,fra",
    vector: "1,0.5",
    hybridEmbedder: "e",
  });
  await app.inject({ method: "GET", url: `${url}?${parameters}` });
  await app.inject({
    method: "POST",
    url,
    payload: {
      q: "a b",
      limit: 3,
      attributesToRetrieve: ["id", "name"],
      filter: ["a = 1", ["b = 2"]],
      sort: ["price:asc", "_geoPoint(1,2):desc"],
      rankingScoreThreshold: 0.5,
      showRankingScore: true,
      locales: ["en", "fra"],
      vector: [1, 0.5],
      hybrid: { embedder: "e", semanticRatio: 0.5 },
    },
  });
  const [get, post] = searches(calls).map((call) => ({ ...(call[2] as SearchQuery), requestUid: "" }));
  assert.deepEqual(get, post);
});

test("the answer of the engine is sent byte by byte", async () => {
  const json = '{"hits":[{"id":1.0}],"query":"é"}';
  const { app } = await startFixture({}, json);
  const response = await app.inject({ method: "GET", url });
  assert.equal(response.body, json);
  assert.equal(response.headers["content-type"], "application/json");
});

test("the metadata header is heard under both names", async () => {
  const { app, calls } = await startFixture();
  for (const name of ["Svc-Include-Metadata", "Meili-Include-Metadata"]) {
    for (const value of ["true", "1", "TRUE", "yes"]) {
      await app.inject({ method: "GET", url, headers: { [name]: value } });
    }
  }
  const heard = searches(calls).map((call) => (call[2] as SearchQuery).queryUid !== null);
  assert.deepEqual(heard, [true, true, true, false, true, true, true, false]);
});
