// Several searches in one request over real indexes: apart, and merged into one list.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fixture, openFixture } from "./fixture.ts";

interface Hit {
  id: number;
  _federation: { indexUid: string; queriesPosition: number; weightedRankingScore: number };
  _rankingScore?: number;
}

interface Answer {
  hits: Hit[];
  estimatedTotalHits: number;
  totalHits: number;
  totalPages: number;
  facetsByIndex: Record<string, { distribution: Record<string, Record<string, number>>; stats: object }>;
  facetDistribution: Record<string, Record<string, number>>;
  facetStats: Record<string, unknown>;
  metadata: Record<string, unknown>[];
  message: string;
  code: string;
  results: (Pick<Answer, "hits" | "facetDistribution"> & {
    indexUid: string;
    requestUid: string;
    metadata?: Record<string, unknown>;
  })[];
}

const SETTINGS = {
  searchableAttributes: ["name"],
  filterableAttributes: ["kind", "price"],
  sortableAttributes: ["price"],
};

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
  const a = [
    { id: 1, name: "red lamp", kind: "lamp", price: 10 },
    { id: 2, name: "red chair", kind: "chair", price: 30 },
    { id: 3, name: "blue lamp", kind: "lamp", price: 50 },
  ];
  const b = [
    { id: 1, name: "red table", kind: "table", price: 20 },
    { id: 2, name: "lamp", kind: "Lamp", price: 40 },
  ];
  await fixture.fill("a", a, SETTINGS);
  await fixture.fill("b", b, SETTINGS);
});
after(() => fixture.close());

const ask = (body: object, status = 200, headers = {}) =>
  fixture.ask<Answer>("POST /multi-search", body, status, headers);
const federated = (queries: object[], federation: object = {}, status = 200) =>
  ask({ queries, federation }, status);
const placed = ({ hits }: Answer) =>
  hits.map(({ id, _federation: { indexUid, queriesPosition } }) => `${indexUid}${id}/${queriesPosition}`);

test("each query of a plain multi-search has an answer of its own, in order", async () => {
  const { results } = await ask({
    queries: [
      { indexUid: "b", q: "lamp" },
      { indexUid: "a", limit: 1 },
    ],
  });
  deepEqual(
    results.map(({ indexUid, hits }) => [indexUid, hits.map(({ id }) => id)]),
    [
      ["b", [2]],
      ["a", [1]],
    ],
  );
  equal(results[0].requestUid, results[1].requestUid);
});

test("of several wrong queries the first one is told, with its place", async () => {
  const wrong = { indexUid: "a", filter: "none = 1" };
  const queries = [...Array(20).fill({ indexUid: "a" }), wrong, { indexUid: "ghost" }];
  const { code, message } = await ask({ queries }, 400);
  equal(code, "invalid_search_filter");
  match(message, /^Inside `\.queries\[20\]`: /);
  equal((await ask({ queries: [{ indexUid: "a" }, { indexUid: "ghost" }] }, 400)).code, "index_not_found");
});

test("metadata have a uid for each query", async () => {
  const queries = [{ indexUid: "a" }, { indexUid: "b" }];
  const { results } = await ask({ queries }, 200, { "svc-include-metadata": "1" });
  const uids = results.map(({ metadata }) => metadata?.queryUid);
  equal(new Set([...uids, results[0].requestUid]).size, 3);
  const { metadata } = await ask({ queries, federation: {} }, 200, { "meili-include-metadata": "true" });
  deepEqual(
    metadata.map(({ indexUid, primaryKey }) => [indexUid, primaryKey]),
    [
      ["a", "id"],
      ["b", "id"],
    ],
  );
});

test("hits of several indexes are one list by weighted score", async () => {
  const plain = await federated([
    { indexUid: "a", q: "lamp", showRankingScore: true },
    { indexUid: "b", q: "lamp" },
  ]);
  deepEqual(placed(plain), ["b2/1", "a1/0", "a3/0"]);
  const weighted = await federated([
    { indexUid: "a", q: "lamp", showRankingScore: true, federationOptions: { weight: 2 } },
    { indexUid: "b", q: "lamp" },
  ]);
  deepEqual(placed(weighted), ["a1/0", "a3/0", "b2/1"]);
  const [{ _rankingScore, _federation }] = weighted.hits;
  equal(_federation.weightedRankingScore, 2 * _rankingScore!);
});

test("a document that several queries find is one hit, and counts once", async () => {
  const answer = await federated(
    [
      { indexUid: "a", q: "lamp" },
      { indexUid: "a", q: "red" },
      { indexUid: "b", q: "red" },
    ],
    { facetsByIndex: { a: ["kind"], b: ["kind"] } },
  );
  equal(new Set(placed(answer).map((place) => place.split("/")[0])).size, answer.hits.length);
  equal(answer.estimatedTotalHits, 4);
  deepEqual(answer.facetsByIndex.a.distribution, { kind: { chair: 1, lamp: 2 } });
  deepEqual(answer.facetsByIndex.b.distribution, { kind: { table: 1 } });
});

test("pages cut the merged list", async () => {
  const queries = ["a", "b"].map((indexUid) => ({ indexUid, sort: ["price:asc"] }));
  deepEqual(placed(await federated(queries)), ["a1/0", "b1/1", "a2/0", "b2/1", "a3/0"]);
  deepEqual(placed(await federated(queries, { offset: 1, limit: 2 })), ["b1/1", "a2/0"]);
  const page = await federated(queries, { page: 2, hitsPerPage: 2 });
  deepEqual(placed(page), ["a2/0", "b2/1"]);
  deepEqual([page.totalHits, page.totalPages], [5, 3]);
  deepEqual(placed(await federated(queries, { page: 0 })), []);
});

test("one value of the distinct field shows once over all indexes, and others count no more", async () => {
  const queries = ["a", "b"].map((indexUid) => ({ indexUid, sort: ["price:asc"] }));
  const facets = { facetsByIndex: { a: ["price"], b: ["price"] } };
  const answer = await federated(queries, { distinct: "kind", ...facets });
  deepEqual(placed(answer), ["a1/0", "b1/1", "a2/0"]);
  equal(answer.estimatedTotalHits, 3);
  deepEqual(answer.facetsByIndex.b.distribution, { price: { 20: 1 } });
  // Those of before the merge.
  deepEqual(answer.facetsByIndex.b.stats, { price: { min: 20, max: 40 } });
  const { results } = await ask({ queries: queries.map((query) => ({ ...query, facets: ["price"] })) });
  const all = results.map(({ facetDistribution }) => facetDistribution.price);
  deepEqual(all, [
    { 10: 1, 30: 1, 50: 1 },
    { 20: 1, 40: 1 },
  ]);
  const merged = await federated(queries, { distinct: "kind", ...facets, mergeFacets: {} });
  deepEqual(merged.facetDistribution, { price: { 10: 1, 20: 1, 30: 1 } });
  deepEqual(merged.facetStats, { price: { min: 10, max: 40 } });
});

test("a page is a part of the whole list, wherever it begins", async () => {
  const queries = [
    { indexUid: "a", q: "red lamp" },
    { indexUid: "b", q: "lamp" },
    { indexUid: "a", q: "blue" },
  ];
  for (const more of [{}, { distinct: "kind" }]) {
    const whole = await federated(queries, more);
    for (let offset = 0; offset <= whole.hits.length; offset++)
      deepEqual((await federated(queries, { ...more, offset })).hits, whole.hits.slice(offset));
    const { hits } = await federated(queries, { ...more, page: 2, hitsPerPage: 1 });
    deepEqual(hits, whole.hits.slice(1, 2));
  }
  const formatted = queries.map((query) => ({ ...query, attributesToHighlight: ["*"] }));
  const { hits } = await federated(formatted);
  deepEqual((await federated(formatted, { offset: 2 })).hits, hits.slice(2));
});

test("of a hit a merged list shows what its query alone shows", async () => {
  const hyphens = { ...SETTINGS, nonSeparatorTokens: ["-"] };
  await fixture.fill("d", [{ id: 1, name: "red red-hot lamp", kind: "lamp", price: 60 }], hyphens);
  for (const more of [
    { attributesToHighlight: ["name"] },
    { attributesToCrop: ["name"], cropLength: 1 },
    { showMatchesPosition: true },
    { showRankingScoreDetails: true },
  ]) {
    const queries = [
      { indexUid: "d", q: "red-hot", ...more },
      { indexUid: "a", q: "red lamp", ...more },
      { indexUid: "b", q: "lamp", ...more },
      { indexUid: "a", q: "blue", ...more },
      { indexUid: "b", q: "table", ...more },
    ];
    const { results } = await ask({ queries });
    const { hits } = await federated(queries);
    ok(hits.length >= 5);
    for (const { _federation, ...hit } of hits)
      deepEqual(
        hit,
        results[_federation.queriesPosition].hits.find(({ id }) => id === hit.id),
      );
  }
});

test("totals do not depend on how offset and limit share their sum", async () => {
  for (const more of [{ distinct: "kind" }, { rankingScoreThreshold: 1 }]) {
    const queries = [{ indexUid: "a", q: "lamp", ...more }];
    const whole = await federated(queries);
    const none = await federated(queries, { limit: 0, offset: 5 });
    deepEqual([none.hits, none.estimatedTotalHits], [[], whole.estimatedTotalHits]);
  }
});

test("an answer says nothing of other servers and of vectors when none were asked", async () => {
  const answer = await federated([{ indexUid: "a" }]);
  deepEqual(Object.keys(answer), [
    "hits",
    "processingTimeMs",
    "limit",
    "offset",
    "estimatedTotalHits",
    "requestUid",
  ]);
  const [{ _federation }] = answer.hits;
  deepEqual(Object.keys(_federation), ["indexUid", "queriesPosition", "weightedRankingScore"]);
});

test("an index of which only facets are asked for adds no hits", async () => {
  const answer = await federated([{ indexUid: "a" }], { facetsByIndex: { b: ["price"] } });
  deepEqual(placed(answer), ["a1/0", "a2/0", "a3/0"]);
  equal(answer.estimatedTotalHits, 3);
});

test("an index shows no more hits than its settings allow, and pages know exact totals", async () => {
  const documents = Array.from({ length: 5 }, (_, id) => ({ id, name: "pen", kind: "pen", price: id }));
  await fixture.fill("c", documents, { ...SETTINGS, pagination: { maxTotalHits: 2 } });
  const { hits } = await federated([{ indexUid: "c" }]);
  deepEqual(
    hits.map(({ id }) => id),
    [0, 1],
  );
  for (const query of [
    { distinct: "kind", sort: ["price:asc"] },
    { q: "red", distinct: "kind" },
  ]) {
    const paged = await federated([{ indexUid: "a", ...query }], { page: 1, hitsPerPage: 1 });
    deepEqual([paged.hits.length, paged.totalHits, paged.totalPages], [1, 2, 2]);
  }
});

test("values of the distinct field are dropped behind the page, too", async () => {
  const queries = ["a", "b"].map((indexUid) => ({ indexUid, sort: ["price:asc"] }));
  const page = { distinct: "kind", limit: 2, facetsByIndex: { a: ["kind"], b: ["kind"] } };
  const answer = await federated(queries, page);
  deepEqual(placed(answer), ["a1/0", "b1/1"]);
  equal(answer.estimatedTotalHits, 3);
  deepEqual(answer.facetsByIndex.a.distribution, { kind: { chair: 1, lamp: 1 } });
});

test("facets ordered differently are not merged, also where an index has no value of them", async () => {
  const settings = { ...SETTINGS, faceting: { sortFacetValuesBy: { kind: "count" } } };
  await fixture.fill("empty", [{ id: 1, name: "red" }], settings as typeof SETTINGS);
  const queries = [{ indexUid: "a" }, { indexUid: "empty" }];
  const facetsByIndex = { a: ["kind"], empty: ["kind"] };
  const refusal = await federated(queries, { facetsByIndex, mergeFacets: {} }, 400);
  equal((refusal as unknown as { code: string }).code, "invalid_multi_search_facet_order");
  await federated(queries, { facetsByIndex });
  await federated(queries, { facetsByIndex: { a: ["kind"], empty: ["price"] }, mergeFacets: {} });
  await federated(queries, { facetsByIndex: { a: ["kind"], empty: ["*"] }, mergeFacets: {} });
});

/** Queries and federation that are refused: code, and a part of the message. */
const REFUSED: [name: string, queries: object[], federation: object, code: string, text: RegExp][] = [
  ["limit", [{ limit: 1 }], {}, "invalid_multi_search_query_pagination", /queries\[0\].*limit/],
  ["facets", [{}, { facets: ["kind"] }], {}, "invalid_multi_search_query_facets", /queries\[1\]/],
  [
    "personalize",
    [{ personalize: { userContext: "x" } }],
    {},
    "invalid_multi_search_query_personalization",
    /./,
  ],
  [
    "personalize of all",
    [{}],
    { personalize: { userContext: "x" } },
    "feature_not_enabled",
    /personalization/,
  ],
  [
    "performance",
    [{ showPerformanceDetails: false }],
    {},
    "invalid_multi_search_query_show_performance_details",
    /./,
  ],
  ["distinct twice", [{ distinct: "kind" }], { distinct: "kind" }, "invalid_multi_search_distinct", /./],
  [
    "network of a remote",
    [{ useNetwork: true, federationOptions: { remote: "x" } }],
    {},
    "invalid_multi_search_federation_options",
    /./,
  ],
  [
    "a remote without the feature",
    [{ federationOptions: { remote: "x" } }],
    {},
    "feature_not_enabled",
    /remote/,
  ],
  [
    "a place without the feature",
    [{ federationOptions: { queryPosition: 1 } }],
    {},
    "feature_not_enabled",
    /./,
  ],
  ["an unknown distinct", [{}], { distinct: "name" }, "invalid_search_distinct", /queries\[0\]/],
  [
    "other rules",
    [{ sort: ["price:asc"] }, { sort: ["price:desc"] }],
    {},
    "invalid_multi_search_query_ranking_rules",
    /queries\[1\].*queries\[0\]/,
  ],
  [
    "facets of an index that is not there",
    [{}],
    { facetsByIndex: { no: ["x"] } },
    "index_not_found",
    /facetsByIndex\.no.*no query/,
  ],
  [
    "no facets of an index that is not there",
    [{}],
    { facetsByIndex: { no: null } },
    "index_not_found",
    /facetsByIndex\.no.*no query/,
  ],
  [
    "facets that cannot be",
    [{}],
    { facetsByIndex: { b: ["name"] } },
    "invalid_search_facets",
    /facetsByIndex\.b.*no query/,
  ],
  ["a negative weight", [{ federationOptions: { weight: -1 } }], {}, "invalid_multi_search_weight", /weight/],
];
for (const [name, queries, federation, code, text] of REFUSED) {
  test(`federated: ${name} is refused`, async () => {
    const named = queries.map((query) => ({ indexUid: "a", ...query }));
    const answer = await federated(named, federation, 400);
    equal(answer.code, code);
    match(answer.message, text);
  });
}

test("the refusal of the index that comes first is told, whatever ran first", async () => {
  const { code, message } = await federated(
    [
      { indexUid: "b", filter: "none = 1" },
      { indexUid: "a", q: "red" },
      { indexUid: "a", filter: "none = 1" },
    ],
    {},
    400,
  );
  equal(code, "invalid_search_filter");
  match(message, /queries\[2\]/);
  ok(!message.includes("queries[0]"));
});

test("a search for another server needs the feature", async () => {
  const body = { queries: [{ indexUid: "a" }], federation: {} };
  const { code } = await ask(body, 400, { "svc-proxy-search": "true" });
  equal(code, "feature_not_enabled");
});
