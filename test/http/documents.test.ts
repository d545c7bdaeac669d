// The document routes: additions in three formats, deletions, reading.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentsQuery } from "../../src/schemas/documents.ts";
import { INDEX, startFixture } from "./harness.ts";

const url = `/indexes/${INDEX}/documents`;

test("an addition in each format becomes a task with the documents in its payload", async () => {
  const bodies = [
    ["application/json", '[{"id":7},{"id":8}]'],
    ["application/x-ndjson", '{"id":7}\n{"id":8}\n'],
    ["text/csv; charset=utf-8", "id:number\n7\n8\n"],
  ];
  for (const [type, payload] of bodies) {
    const { app, engine, instance } = await startFixture();
    const headers = { "content-type": type };
    const response = await app.inject({ method: "POST", url: `${url}?primaryKey=id`, headers, payload });
    assert.equal(response.statusCode, 202, response.body);
    await instance.idle();
    assert.deepEqual([...engine.commits.at(-1)!.index.documents.keys()], ["1", "2", "7", "8"]);
    assert.deepEqual(instance.task(1, null).details, { receivedDocuments: 2, indexedDocuments: 2 });
  }
});

test("PUT updates, and an addition without documents has no payload", async () => {
  const fixture = await startFixture();
  await fixture.app.inject({ method: "PUT", url: `${url}?skipCreation=TRUE&customMetadata=x`, payload: [] });
  const [{ method, payload, documentsCount, skipCreation, customMetadata }] = fixture.registrations;
  assert.deepEqual(
    [method, payload, documentsCount, skipCreation, customMetadata],
    ["update", null, 0, true, "x"],
  );
});

test("a refused addition leaves no file and no task", async () => {
  const { app, code, instance, storage } = await startFixture({ httpPayloadSizeLimit: 1_000_000 });
  const send = async (type: string | null, payload: string, query = "") => {
    const headers = type === null ? {} : { "content-type": type };
    const response = await app.inject({ method: "POST", url: url + query, headers, payload });
    return [response.statusCode, response.json().code];
  };
  assert.deepEqual(await send(null, "[]"), [415, "missing_content_type"]);
  assert.deepEqual(await send("application/xml", "[]"), [415, "invalid_content_type"]);
  assert.deepEqual(await send("json", "[]"), [415, "invalid_content_type"]);
  assert.deepEqual(await send("application/json", ""), [400, "missing_payload"]);
  assert.deepEqual(await send("application/json", "[{]"), [400, "malformed_payload"]);
  assert.deepEqual(await send("application/json", "[1]"), [400, "malformed_payload"]);
  const long = `[{"id":1,"text":"${"t".repeat(400_000)}"},{]`;
  assert.deepEqual(await send("application/json", long), [400, "malformed_payload"]);
  assert.deepEqual(await send("text/csv", "id,name\n1\n"), [400, "malformed_payload"]);
  assert.deepEqual(await send("application/json", "[]", "?csvDelimiter=;"), [415, "invalid_content_type"]);
  for (const delimiter of ["", "ab", "%C3%A9"]) {
    const refused = [400, "invalid_document_csv_delimiter"];
    assert.deepEqual(await send("text/csv", "id\n1\n", `?csvDelimiter=${delimiter}`), refused);
  }
  assert.deepEqual(await send("application/json", "[]", "?skipCreation=1"), [400, "invalid_skip_creation"]);
  assert.deepEqual(await send("application/json", "[]", "?primarykey=id"), [400, "bad_request"]);
  assert.deepEqual(await code("POST /indexes/no%20good/documents", []), [400, "invalid_index_uid"]);
  assert.throws(() => instance.task(1, null), { code: "task_not_found" });
  assert.deepEqual(storage.list("payloads"), []);
});

test("deletions by id, ids, filter and of everything become tasks", async () => {
  const fixture = await startFixture();
  const { code } = fixture;
  assert.deepEqual(await code(`DELETE ${url}`), [202, null]);
  assert.deepEqual(await code(`DELETE ${url}/a%20b?customMetadata=m`), [202, null]);
  assert.deepEqual(await code(`POST ${url}/delete-batch`, [1, "b", true]), [202, null]);
  assert.deepEqual(await code(`POST ${url}/delete`, { filter: ["a = 1"] }), [202, null]);
  const work = fixture.registrations.map(({ type: _, indexUid: __, ...rest }) => rest);
  assert.deepEqual(work, [
    { by: "all" },
    { by: "ids", ids: ["a b"], customMetadata: "m" },
    { by: "ids", ids: ["1", "b", "true"] },
    { by: "filter", filter: ["a = 1"] },
  ]);
});

test("a deletion by filter needs a condition", async () => {
  const { code } = await startFixture();
  assert.deepEqual(await code(`POST ${url}/delete`, {}), [400, "bad_request"]);
  for (const filter of ["", "  ", [], [[]], [" ", [""]], 12, { a: 1 }, null]) {
    const refused = [400, "invalid_document_filter"];
    assert.deepEqual(await code(`POST ${url}/delete`, { filter }), refused, JSON.stringify(filter));
  }
  assert.deepEqual(await code(`POST ${url}/delete`, { filter: "a = 1", limit: 1 }), [400, "bad_request"]);
  assert.deepEqual(await code(`POST ${url}/delete-batch`, { ids: [1] }), [400, "bad_request"]);
});

test("listings refuse wrong parameters with their codes, in a body and in a query string", async () => {
  const { code } = await startFixture();
  const bodies: [body: unknown, code: string][] = [
    [{ limit: "3" }, "invalid_document_limit"],
    [{ offset: -1 }, "invalid_document_offset"],
    [{ fields: "id" }, "invalid_document_fields"],
    [{ retrieveVectors: "true" }, "invalid_document_retrieve_vectors"],
    [{ ids: 3 }, "invalid_document_ids"],
    [{ ids: [true] }, "invalid_document_ids"],
    [{ ids: ["a b"] }, "invalid_document_ids"],
    [{ filter: 5 }, "invalid_document_filter"],
    [{ sort: [5] }, "invalid_document_sort"],
    [{ page: 1 }, "bad_request"],
    [[], "bad_request"],
  ];
  for (const [body, expected] of bodies) {
    assert.deepEqual(await code(`POST ${url}/fetch`, body), [400, expected], JSON.stringify(body));
  }
  assert.deepEqual(await code(`GET ${url}?limit=x`), [400, "invalid_document_limit"]);
  assert.deepEqual(await code(`GET ${url}?limit=`), [400, "invalid_document_limit"]);
  assert.deepEqual(await code(`GET ${url}?retrieveVectors=maybe`), [
    400,
    "invalid_document_retrieve_vectors",
  ]);
  assert.deepEqual(await code(`GET ${url}?ids=a%20b`), [400, "invalid_document_ids"]);
  assert.deepEqual(await code(`GET ${url}?q=x`), [400, "bad_request"]);
  assert.deepEqual(await code(`GET ${url}/1?offset=1`), [400, "bad_request"]);
});

test("both forms of a listing reach the engine alike", async () => {
  const { app, calls } = await startFixture();
  await app.inject({ method: "GET", url: `${url}?fields=id,a&ids=1,b&sort=a:asc,b:desc&limit=2` });
  const payload = { fields: ["id", "a"], ids: [1, "b"], sort: ["a:asc", "b:desc"], limit: 2 };
  await app.inject({ method: "POST", url: `${url}/fetch`, payload });
  await app.inject({ method: "GET", url: `${url}?fields=*` });
  const listings = calls.filter(([name]) => name === "documents");
  const [get, post, all] = listings.map(([, , query]) => query as DocumentsQuery);
  assert.deepEqual(get, post);
  assert.deepEqual(get.ids, ["1", "b"]);
  assert.equal(all.fields, null);
});

test("one document is answered, or not found", async () => {
  const { app, code } = await startFixture();
  assert.equal((await app.inject({ method: "GET", url: `${url}/1` })).body, '{"id":1}');
  assert.deepEqual(await code(`GET ${url}/2`), [404, "document_not_found"]);
  assert.deepEqual(await code("GET /indexes/none/documents/1"), [404, "index_not_found"]);
});

test("of a listing the sort is read, then the index looked for, then the filter read", async () => {
  const { code } = await startFixture();
  const sort = [400, "invalid_document_sort"];
  assert.deepEqual(await code("GET /indexes/none/documents?sort=doggo"), sort);
  assert.deepEqual(await code(`GET ${url}?filter=doggo&sort=doggo`), sort);
  for (const query of ["filter=doggo", "filter=5", "filter=a%20CONTAINS%20b"]) {
    assert.deepEqual(await code(`GET /indexes/none/documents?${query}`), [404, "index_not_found"]);
    assert.equal((await code(`GET ${url}?${query}`))[0], 400);
  }
});

test("a listing for another server needs the feature `network`", async () => {
  const { code } = await startFixture();
  const mark = { "svc-proxy-search": "true" };
  assert.deepEqual(await code(`GET ${url}`, undefined, mark), [400, "feature_not_enabled"]);
  assert.deepEqual(await code(`POST ${url}/fetch`, {}, mark), [400, "feature_not_enabled"]);
  assert.deepEqual(await code(`GET ${url}`), [200, null]);
});
