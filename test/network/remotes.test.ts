// Federated searches over three servers that listen on this machine: merged hits, facets and metadata, and
// what is told of servers that fail.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { bearer, keyValue, MASTER_KEY, uidOf } from "../http/keyring.ts";
import { type Fixture, openFixture } from "./fixture.ts";

interface Hit {
  id: string;
  _federation: Record<string, unknown>;
}

interface Answer {
  hits: Hit[];
  estimatedTotalHits: number;
  facetsByIndex: Record<string, unknown>;
  facetDistribution: Record<string, unknown>;
  remoteErrors: Record<string, { code: string; message: string; type: string }>;
  metadata: Record<string, unknown>[];
  query: string;
  message: string;
  code: string;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const SEARCH_KEY = keyValue(uidOf(1));
const SETTINGS = {
  searchableAttributes: ["name"],
  filterableAttributes: ["kind", "price"],
  sortableAttributes: ["price", "_geo"],
};

/** What servers that are no search servers answer to everything; `silent` never does. */
let broken: Server;
let answerBroken: RequestListener = () => {};
let brokenRequests = 0;
let here: Fixture;
let east: Fixture;
let west: Fixture;

before(async () => {
  broken = createServer((request, response) => {
    brokenRequests++;
    request.resume();
    answerBroken(request, response);
  });
  await new Promise<void>((done) => broken.listen(0, "127.0.0.1", done));
  here = await openFixture();
  east = await openFixture();
  west = await openFixture({ masterKey: MASTER_KEY });
  const key = { uid: uidOf(1), actions: ["search"], indexes: ["*"], expiresAt: null };
  await west.ask("POST /keys", key, 201, bearer(MASTER_KEY));
  const documents = (side: string, prices: number[]) =>
    prices.map((price) => ({ id: `${side}${price}`, name: `${side} lamp`, kind: `k${price % 3}`, price }));
  await here.fill("lamps", documents("h", [10, 40]), SETTINGS);
  await east.fill("lamps", documents("e", [20, 50]), SETTINGS);
  await fillWest(documents("w", [30, 60]));
  for (const fixture of [east, west]) await fixture.listen();
  const remotes = {
    here: { url: "http://127.0.0.1:1" },
    east: { url: `${east.url}/` },
    west: { url: west.url, searchApiKey: SEARCH_KEY },
    broken: { url: `http://127.0.0.1:${(broken.address() as AddressInfo).port}/path` },
    away: { url: "http://127.0.0.1:1", searchApiKey: "secret-key" },
  };
  await here.ask("PATCH /experimental-features", { network: true });
  await east.ask("PATCH /experimental-features", { network: true });
  await west.ask("PATCH /experimental-features", { network: true }, 200, bearer(MASTER_KEY));
  await here.ask("PATCH /network", { self: "here", remotes });
});

after(async () => {
  broken.closeAllConnections();
  broken.close();
  for (const fixture of [here, east, west]) await fixture.close();
});

async function facetHits(body: object, headers = {}): Promise<[hits: unknown[], errors: string[]]> {
  const url = "POST /indexes/lamps/facet-search";
  const answer = await here.ask<{ facetHits: object[]; remoteErrors?: Answer["remoteErrors"] }>(
    url,
    { facetName: "kind", ...body },
    200,
    headers,
  );
  const errors = Object.entries(answer.remoteErrors ?? {}).map(([name, { code }]) => `${name} ${code}`);
  return [answer.facetHits.map((hit) => Object.values(hit).join(" ")), errors];
}

test("a facet search asks all servers, adds up what they count, and tells which of them failed", async () => {
  answerBroken = (_request, response) => response.end("{}");
  const failed = ["broken proxy_bad_response", "away proxy_could_not_send_request"];
  const [hits, errors] = await facetHits({ useNetwork: true });
  deepEqual([hits, errors.sort()], [["k0 2", "k1 2", "k2 2"], failed.sort()]);
  deepEqual((await facetHits({ useNetwork: true, filter: "price > 30" }))[0], ["k0 1", "k1 1", "k2 1"]);
  deepEqual((await facetHits({ useNetwork: true, facetQuery: "k2" }))[0], ["k2 2"]);
  // Those of this server alone.
  deepEqual(await facetHits({ useNetwork: false }), [["k1 2"], []]);
  deepEqual(await facetHits({}), [["k1 2"], []]);
  const refusal = await here.ask<Answer>(
    "POST /indexes/nothing/facet-search",
    { facetName: "a", useNetwork: true },
    404,
  );
  equal(refusal.code, "index_not_found");
});

async function fillWest(documents: object[]): Promise<void> {
  const key = bearer(MASTER_KEY);
  await west.ask("PATCH /indexes/lamps/settings", SETTINGS, 202, key);
  await west.ask("POST /indexes/lamps/documents?primaryKey=id", documents, 202, key);
  await west.instance.idle();
}

const on = (remote: string | null, query: object = {}) => ({
  indexUid: "lamps",
  sort: ["price:asc"],
  ...query,
  ...(remote && { federationOptions: { remote } }),
});
const search = (queries: object[], federation: object = {}, headers = {}) =>
  here.ask<Answer>("POST /multi-search", { queries, federation }, 200, headers);
const ids = ({ hits }: Answer) => hits.map(({ id }) => id);

test("hits of all servers are one list, and say where they come from", async () => {
  const answer = await search([on(null), on("east"), on("west")]);
  deepEqual(ids(answer), ["h10", "e20", "w30", "h40", "e50", "w60"]);
  deepEqual(
    answer.hits.slice(0, 3).map(({ _federation }) => _federation),
    ["here", "east", "west"].map((remote, queriesPosition) => {
      return { indexUid: "lamps", queriesPosition, weightedRankingScore: 1, remote };
    }),
  );
  deepEqual([answer.estimatedTotalHits, answer.remoteErrors], [6, {}]);
  const page = await search([on("west"), on(null), on("east")], { offset: 1, limit: 3 });
  deepEqual(ids(page), ["e20", "w30", "h40"]);
});

test("facets of an index are added up over the servers", async () => {
  const facets = { facetsByIndex: { lamps: ["kind", "price"] } };
  const { facetsByIndex } = await search([on(null, { filter: "price < 35" }), on("east")], facets);
  deepEqual(facetsByIndex.lamps, {
    distribution: { kind: { k1: 1, k2: 2 }, price: { 10: 1, 20: 1, 50: 1 } },
    stats: { price: { min: 10, max: 50 } },
  });
  const merged = await search([on("east")], { ...facets, mergeFacets: { maxValuesPerFacet: 1 } });
  deepEqual(merged.facetDistribution, { kind: { k2: 2 }, price: { 20: 1 } });
});

test("one value of the distinct field shows once over all servers", async () => {
  const answer = await search([on(null), on("east"), on("west")], { distinct: "kind" });
  deepEqual(ids(answer), ["h10", "e20", "w30"]);
});

test("metadata name the server of each query, and its primary key where the server tells it", async () => {
  const queries = [on(null), on("east"), on("here"), on("away")];
  const { metadata } = await search(queries, {}, { "svc-include-metadata": "true" });
  deepEqual(
    metadata.map(({ remote, primaryKey }) => [remote, primaryKey]),
    [
      ["here", "id"],
      ["east", "id"],
      ["here", undefined],
      ["away", undefined],
    ],
  );
});

const WANTS = { "svc-include-metadata": "true" };
const SPREAD = { indexUid: "lamps", useNetwork: true };
const OWN = { indexUid: "lamps", primaryKey: "id", remote: "here" };

interface Single {
  metadata: Record<string, unknown>;
}

/** Without its uid, which is another one each time. */
function told({ queryUid, ...rest }: Record<string, unknown>): object {
  match(String(queryUid), UUID);
  return rest;
}

test("metadata of a query that is asked of all servers stand once, as this server has them", async () => {
  const { metadata } = await search([SPREAD, on("east"), SPREAD, on(null)], {}, WANTS);
  deepEqual(metadata.map(told), [OWN, { ...OWN, remote: "east" }, OWN, OWN]);
  equal(new Set(metadata.map(({ queryUid }) => queryUid)).size, 4);
});

test("metadata of one index that is searched on all servers have its primary key", async () => {
  const url = "POST /indexes/lamps/search";
  const { metadata } = await here.ask<Single>(url, { useNetwork: true }, 200, WANTS);
  deepEqual(told(metadata), OWN);
  const body = { queries: [SPREAD, { indexUid: "lamps" }] };
  const { results } = await here.ask<{ results: Single[] }>("POST /multi-search", body, 200, WANTS);
  deepEqual(
    results.map((result) => told(result.metadata)),
    [OWN, { indexUid: "lamps", primaryKey: "id" }],
  );
});

const FAILURES: [name: string, code: string, text: RegExp, answer: RequestListener, requests: number][] = [
  ["an error of its own", "proxy_remote_error", /503/, (_, r) => r.writeHead(503).end("busy"), 4],
  ["an answer that is no JSON", "proxy_bad_response", /JSON/, (_, r) => r.end("<html>"), 4],
  ["an answer without hits", "proxy_bad_response", /hits/, (_, r) => r.end('{"processingTimeMs":1}'), 4],
  ["a refused key", "proxy_invalid_api_key", /key/, (_, r) => r.writeHead(403).end("no"), 1],
  ["a refused request", "proxy_bad_request", /400.*why/, (_, r) => r.writeHead(400).end("why"), 1],
  ["a redirect", "proxy_bad_response", /redirect/, (_, r) => r.writeHead(302, { location: "/" }).end(), 1],
  ["silence", "proxy_timeout", /time/, () => {}, 1],
];
for (const [name, code, text, answer, requests] of FAILURES) {
  test(`of a server that gives ${name}, an error is told beside the others' hits`, async () => {
    answerBroken = answer;
    brokenRequests = 0;
    const found = await search([on("broken"), on("east"), on(null)]);
    deepEqual(ids(found), ["h10", "e20", "h40", "e50"]);
    deepEqual(Object.keys(found.remoteErrors), ["broken"]);
    equal(found.remoteErrors.broken.code, code);
    match(found.remoteErrors.broken.message, text);
    equal(brokenRequests, requests);
  });
}

test("a page of the hits of all servers is a part of their whole list", async () => {
  const queries = [on(null), on("east"), on("west")];
  const whole = ids(await search(queries));
  for (let offset = 0; offset <= whole.length; offset++)
    deepEqual(ids(await search(queries, { offset })), whole.slice(offset));
});

test("a server gets its own queries, its key and the marks, and nothing else", async () => {
  let sent = "";
  let headers: Record<string, unknown> = {};
  answerBroken = (request, response) => {
    headers = { ...request.headers, url: request.url };
    const pieces: Buffer[] = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      sent = Buffer.concat(pieces).toString();
      response.writeHead(400).end(`you sent ${request.headers.authorization}`);
    });
  };
  await here.ask("PATCH /network", { remotes: { broken: { searchApiKey: "broken-key" } } });
  const federation = { offset: 1, limit: 2, facetsByIndex: { lamps: ["kind"] } };
  const { remoteErrors } = await search([on("east"), on("broken", { q: "x", limit: null })], federation);
  ok(!JSON.stringify(remoteErrors).includes("broken-key"));
  deepEqual(
    [headers.authorization, headers["svc-proxy-search"], headers.url],
    ["Bearer broken-key", "true", "/path/multi-search"],
  );
  const { queries, federation: passed } = JSON.parse(sent);
  const options = { weight: 1, remote: null, queryPosition: 1 };
  deepEqual(queries, [
    { indexUid: "lamps", sort: ["price:asc"], q: "x", filter: null, federationOptions: options },
  ]);
  deepEqual(passed, { offset: 0, limit: 3, facetsByIndex: { lamps: ["kind"] } });
  await here.ask("PATCH /network", { remotes: { broken: { searchApiKey: null } } });
});

test("of a server that cannot be reached neither address nor key is told", async () => {
  const { remoteErrors } = await search([on("away")]);
  equal(remoteErrors.away.code, "proxy_could_not_send_request");
  equal(remoteErrors.away.type, "system");
  ok(!/127|secret|:1\b/.test(remoteErrors.away.message), remoteErrors.away.message);
});

test("private addresses are not called unless the options allow it", async () => {
  const shut = await openFixture({}, undefined, []);
  try {
    await shut.fill("lamps", [{ id: 1 }]);
    await shut.ask("PATCH /experimental-features", { network: true });
    await shut.ask("PATCH /network", { self: "shut", remotes: { east: { url: east.url } } });
    const body = { queries: [{ indexUid: "lamps" }, on("east")], federation: {} };
    const { hits, remoteErrors } = await shut.ask<Answer>("POST /multi-search", body);
    equal(hits.length, 1);
    equal(remoteErrors.east.code, "proxy_could_not_send_request");
    match(remoteErrors.east.message, /allowed-ip-networks/);
  } finally {
    await shut.close();
  }
});

test("a local query that fails fails all", async () => {
  const body = { queries: [on("east"), on(null, { filter: "no = 1" })], federation: {} };
  const { code, message } = await here.ask<Answer>("POST /multi-search", body, 400);
  equal(code, "invalid_search_filter");
  match(message, /queries\[1\]/);
});

test("a search for another server asks no further ones", async () => {
  const ask = async (query: object) => {
    const body = { queries: [query], federation: {} };
    const mark = { "svc-proxy-search": "true" };
    return (await here.ask<Answer>("POST /multi-search", body, 400, mark)).code;
  };
  equal(await ask(on("east")), "invalid_multi_search_remote");
  equal(await ask({ indexUid: "lamps", useNetwork: true }), "invalid_multi_search_remote");
});

test("vectors that other servers have searched for are told by the position of their query", async () => {
  const settings = { embedders: { e: { source: "userProvided", dimensions: 2 } } };
  const documents = [{ id: 1, _vectors: { e: [1, 0.1] } }];
  for (const fixture of [here, east]) await fixture.fill("points", documents, settings);
  const ask = (vector: number[], remote?: string) => {
    const hybrid = { embedder: "e", semanticRatio: 1 };
    const options = remote === undefined ? {} : { federationOptions: { remote } };
    return { indexUid: "points", vector, hybrid, retrieveVectors: true, ...options };
  };
  const vectors = async (...queries: object[]) =>
    (await here.ask("POST /multi-search", { federation: {}, queries })).queryVectors;
  const [first, second, third] = [ask([1, 0]), ask([0, 0.1], "east"), ask([1, 1], "east")];
  deepEqual(await vectors(first, second, third), { 0: [1, 0], 1: [0, 0.1], 2: [1, 1] });
  deepEqual(await vectors(second), { 0: [0, 0.1] });
  const { indexUid: _, ...body } = ask([1, 0.5]);
  const answer = await here.ask("POST /indexes/points/search", { ...body, useNetwork: true });
  deepEqual([answer.queryVector, answer.queryVectors], [[1, 0.5], undefined]);
});

test("with useNetwork one index is searched on every server", async () => {
  await here.ask("PATCH /network", { remotes: { broken: null, away: null } });
  const body = { q: "lamp", sort: ["price:desc"], useNetwork: true, limit: 4, facets: ["kind"] };
  const answer = await here.ask<Answer>("POST /indexes/lamps/search", body);
  deepEqual(ids(answer), ["w60", "e50", "h40", "w30"]);
  deepEqual([answer.query, answer.estimatedTotalHits, answer.remoteErrors], ["lamp", 6, {}]);
  deepEqual(answer.facetDistribution, { kind: { k0: 2, k1: 2, k2: 2 } });
  deepEqual(
    answer.hits.map(({ _federation }) => _federation.remote),
    ["west", "east", "here", "west"],
  );
  const { hits } = await search([{ indexUid: "lamps", sort: ["price:desc"], useNetwork: true }]);
  deepEqual(
    hits.map(({ id }) => id),
    ["w60", "e50", "h40", "w30", "e20", "h10"],
  );
  const { results } = await here.ask<{ results: Answer[] }>("POST /multi-search", {
    queries: [
      { indexUid: "lamps", sort: ["price:asc"], useNetwork: true, hitsPerPage: 3 },
      { indexUid: "lamps" },
    ],
  });
  deepEqual(results.map(ids), [
    ["h10", "e20", "w30"],
    ["h10", "h40"],
  ]);
});
