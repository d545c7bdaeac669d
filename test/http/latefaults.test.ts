// Faults that are told late: of the filter, the ids of documents, the id of POST similar, the context of an
// edition, the name of an index that documents are added to. What else is wrong with the request, and for
// some routes whether the index is there, comes before them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TarsierError } from "../../src/errors.ts";
import { putKey } from "../../src/tasks/keys.ts";
import { INDEX, startFixture } from "./harness.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, tenantToken } from "./keyring.ts";

const WRONG_FILTERS = [5, true, {}, [5], [[5]], [[["a = 1"]]], [null]];
const FUNCTION = "doc.a = 1";

/** Route, whatever else its body needs, code of a wrong filter. */
const FILTERED: [route: string, body: object, code: string][] = [
  ["search", {}, "invalid_search_filter"],
  ["facet-search", { facetName: "a" }, "invalid_search_filter"],
  ["similar", { id: 1, embedder: "e" }, "invalid_similar_filter"],
  ["documents/fetch", {}, "invalid_document_filter"],
  ["documents/delete", {}, "invalid_document_filter"],
  ["documents/edit", { function: FUNCTION }, "invalid_document_filter"],
];

async function start() {
  const fixture = await startFixture();
  await fixture.code("PATCH /experimental-features", { editDocumentsByFunction: true });
  return fixture;
}

/** With a key for searches of these indexes. */
const startWithKey = (indexes: string[]) =>
  startFixture({ masterKey: MASTER_KEY }, "{}", {
    instance: (instance) => putKey(instance, storedKey(READER_UID, ["search"], indexes)),
  });

for (const [route, body, wrong] of FILTERED) {
  test(`a filter of ${route} that is no filter is refused, after the rest of the body`, async () => {
    const { code } = await start();
    const post = (more: object, index = INDEX) =>
      code(`POST /indexes/${index}/${route}`, { ...more, ...body });
    for (const filter of WRONG_FILTERS) assert.deepEqual(await post({ filter }), [400, wrong]);
    assert.deepEqual(await post({ filter: 5 }, "no%20good"), [400, "invalid_index_uid"]);
    // A facet search takes a whole search body, and ignores what it does not know.
    if (route !== "facet-search") assert.deepEqual(await post({ filter: 5, foo: 1 }), [400, "bad_request"]);
  });
}

/** Body, the code that is told. */
const LATE: [route: string, body: object, code: string][] = [
  ["search", { filter: 5, limit: -1 }, "invalid_search_limit"],
  ["documents/fetch", { filter: 5, limit: -1 }, "invalid_document_limit"],
  ["documents/fetch", { filter: 5, sort: ["a"] }, "invalid_document_sort"],
  ["documents/delete", { filter: null }, "invalid_document_filter"],
  ["facet-search", { filter: 5 }, "missing_facet_search_facet_name"],
  ["similar", { id: 1, filter: 5 }, "bad_request"],
  ["similar", { id: [1] }, "bad_request"],
  ["similar", { id: null, embedder: "e", limit: -1 }, "invalid_similar_limit"],
  ["similar", { id: {}, embedder: "e", filter: "a >" }, "invalid_similar_filter"],
  ["documents/edit", { filter: 5 }, "missing_document_edition_function"],
  ["documents/edit", { function: "doc.a =", filter: "a >" }, "bad_request"],
  ["documents/edit", { function: "doc.a =", context: 5 }, "bad_request"],
  ["documents/edit", { function: FUNCTION, filter: "a >", context: 5 }, "invalid_document_filter"],
  ["documents/edit", { function: FUNCTION, context: 5 }, "invalid_document_edition_context"],
];

for (const [route, body, expected] of LATE) {
  test(`of the faults of ${route} in ${JSON.stringify(body)} the right one is told`, async () => {
    const { code } = await start();
    assert.deepEqual(await code(`POST /indexes/${INDEX}/${route}`, body), [400, expected]);
  });
}

/** Wrong ids of a listing, as a body and as a query string. */
const WRONG_IDS: [ids: unknown[], text: string][] = [
  [["a b"], "a%20b"],
  [["ok", "b c"], "ok,b%20c"],
];

for (const [ids, text] of WRONG_IDS) {
  test(`ids ${JSON.stringify(ids)} of a listing are refused, after the name of its index`, async () => {
    const { app, code } = await start();
    const place = `ids[${ids.length - 1}]`;
    const expected = "expected an integer, or 1 to 511 letters (A to Z), digits, `-` and `_`";
    const told = async (method: "GET" | "POST", url: string, payload?: object) => {
      const response = await app.inject({ method, url, ...(payload && { payload }) });
      return [response.statusCode, response.json().code, response.json().message.split(", but")[0]];
    };
    const posted = await told("POST", `/indexes/${INDEX}/documents/fetch`, { ids });
    assert.deepEqual(posted, [400, "invalid_document_ids", `Field \`.${place}\`: ${expected}`]);
    const got = await told("GET", `/indexes/${INDEX}/documents?ids=${text}`);
    assert.deepEqual(got, [400, "invalid_document_ids", `Parameter \`${place}\`: ${expected}`]);
    const unnamed = [400, "invalid_index_uid"];
    assert.deepEqual(await code("POST /indexes/no%20good/documents/fetch", { ids }), unnamed);
    assert.deepEqual(await code(`GET /indexes/no%20good/documents?ids=${text}`), unnamed);
  });
}

test("ids of a listing that are no list are told before the name of its index", async () => {
  const { code } = await start();
  const answer = await code("POST /indexes/no%20good/documents/fetch", { ids: 5 });
  assert.deepEqual(answer, [400, "invalid_document_ids"]);
});

test("wrong ids of a listing are told before a wrong sort and an unknown index", async () => {
  const { code } = await start();
  for (const sort of [["a:asc"], ["doggo"]]) {
    const answer = await code("POST /indexes/none/documents/fetch", { ids: ["a b"], sort });
    assert.deepEqual(answer, [400, "invalid_document_ids"]);
  }
});

for (const method of ["POST", "PUT"]) {
  test(`an unknown parameter of an addition by ${method} is told before the name of its index`, async () => {
    const { code } = await start();
    const add = (index: string) => code(`${method} /indexes/${index}/documents?primarykey=id`, [{ id: 1 }]);
    assert.deepEqual(await add("no%20good"), [400, "bad_request"]);
    assert.deepEqual(await add(INDEX), [400, "bad_request"]);
    const plain = await code(`${method} /indexes/no%20good/documents`, [{ id: 1 }]);
    assert.deepEqual(plain, [400, "invalid_index_uid"]);
  });
}

test("an unknown index is told before a wrong filter or id of similar documents", async () => {
  const { code } = await start();
  for (const body of [{ id: 1, filter: 5 }, { id: [] }]) {
    const answer = await code("POST /indexes/none/similar", { ...body, embedder: "e" });
    assert.deepEqual(answer, [404, "index_not_found"]);
  }
});

test("a wrong filter is refused beside that of a tenant token, too", async () => {
  const { app, code } = await startWithKey(["*"]);
  const token = await tenantToken({ searchRules: { "*": { filter: "a = 1" } } });
  for (const filter of WRONG_FILTERS) {
    const answer = await code(`POST /indexes/${INDEX}/search`, { filter }, bearer(token));
    assert.deepEqual(answer, [400, "invalid_search_filter"]);
  }
  const url = `/indexes/${INDEX}/search`;
  const response = await app.inject({ method: "POST", url, payload: { filter: 5 }, headers: bearer(token) });
  // Nothing is told of the parts that the token demands.
  assert.match(response.json().message, /^Field `\.filter`: expected /);
});

/** Faults of the first query of a multi-search, and whether it is federated. */
const FIRST: [query: object, federated: boolean][] = [
  [{ filter: 5 }, false],
  [{ filter: "a >" }, false],
  [{ federationOptions: {} }, false],
  [{ filter: "a >" }, true],
  [{ limit: 1 }, true],
];

for (const [first, isFederated] of FIRST) {
  const kind = isFederated ? "federated " : "";
  test(`an index that the key does not open is told before ${kind}${JSON.stringify(first)}`, async () => {
    const federation = isFederated ? { federation: {} } : {};
    const { code } = await startWithKey([INDEX]);
    const queries = [{ indexUid: INDEX, ...first }, { indexUid: "other" }];
    const answer = await code("POST /multi-search", { ...federation, queries }, bearer(keyValue(READER_UID)));
    assert.deepEqual(answer, [403, "invalid_api_key"]);
    const alone = { ...federation, queries: queries.slice(0, 1) };
    const [status] = await code("POST /multi-search", alone, bearer(keyValue(READER_UID)));
    assert.equal(status, 400);
  });
}

test("after a query that fails no more are begun", async () => {
  const { app, engine } = await startFixture();
  let begun = 0;
  engine.search = async () => {
    begun++;
    throw new TarsierError("invalid_search_sort", { place: "Sort", expected: "another", found: "this" });
  };
  const queries = Array.from({ length: 100 }, () => ({ indexUid: INDEX }));
  const answer = await app.inject({ method: "POST", url: "/multi-search", payload: { queries } });
  assert.equal(answer.json().code, "invalid_search_sort");
  assert.ok(begun < queries.length, `${begun} queries were begun`);
});

test("the filters of all queries are read before one of them runs", async () => {
  const { code, calls } = await startFixture();
  const wrong = { indexUid: INDEX, filter: "a >" };
  const bodies = [
    { queries: [{ indexUid: "none" }, wrong] },
    { queries: [{ indexUid: INDEX }, wrong] },
    { queries: [{ indexUid: INDEX, federationOptions: {} }, wrong] },
    { federation: {}, queries: [{ indexUid: INDEX, limit: 1 }, wrong] },
    { federation: {}, queries: [{ indexUid: INDEX, facets: ["a"] }, wrong] },
  ];
  for (const body of bodies) {
    assert.deepEqual(await code("POST /multi-search", body), [400, "invalid_search_filter"]);
  }
  assert.equal(calls.filter(([name]) => name === "search").length, 0);
});

test("`useNetwork` of a query needs its feature, which is looked at after the filters", async () => {
  const { code } = await startFixture();
  const spread = { indexUid: INDEX, useNetwork: true };
  const ask = (second: object) => code("POST /multi-search", { queries: [spread, second] });
  assert.deepEqual(await ask({ indexUid: INDEX }), [400, "feature_not_enabled"]);
  assert.deepEqual(await ask({ indexUid: INDEX, filter: "a >" }), [400, "invalid_search_filter"]);
});
