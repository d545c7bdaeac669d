// Indexes, swaps, stats, tasks and batches: parameters, bodies and what is handed to the instance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { INDEX, startFixture } from "./harness.ts";

test("index bodies are refused with the code of their field", async () => {
  const { code, instance } = await startFixture();
  const wrong: [line: string, body: unknown, code: string][] = [
    ["POST /indexes", {}, "missing_index_uid"],
    ["POST /indexes", { uid: null }, "invalid_index_uid"],
    ["POST /indexes", { uid: "two words" }, "invalid_index_uid"],
    ["POST /indexes", { uid: "x".repeat(401) }, "invalid_index_uid"],
    ["POST /indexes", { uid: "a", primaryKey: 3 }, "invalid_index_primary_key"],
    ["POST /indexes", { uid: "a", colour: 1 }, "bad_request"],
    ["POST /indexes", ["a"], "bad_request"],
    [`PATCH /indexes/${INDEX}`, { createdAt: "x" }, "immutable_index_created_at"],
    [`PATCH /indexes/${INDEX}`, { updatedAt: "x" }, "immutable_index_updated_at"],
    [`PATCH /indexes/${INDEX}`, { uid: "a b" }, "invalid_index_uid"],
    [`PATCH /indexes/${INDEX}`, { colour: 1 }, "bad_request"],
    ["POST /swap-indexes", [{ indexes: ["a"] }], "invalid_swap_indexes"],
    ["POST /swap-indexes", [{ indexes: ["a", "not ok"] }], "invalid_swap_indexes"],
    ["POST /swap-indexes", [{ indexes: "a,b" }], "invalid_swap_indexes"],
    ["POST /swap-indexes", [{}], "missing_swap_indexes"],
    ["POST /swap-indexes", [{ indexes: ["a", "b"], rename: "yes" }], "invalid_swap_rename"],
    ["POST /swap-indexes", [{ indexes: ["a", "b"], force: true }], "bad_request"],
    [
      "POST /swap-indexes",
      [{ indexes: ["a", "b"] }, { indexes: ["c", "a"] }],
      "invalid_swap_duplicate_index_found",
    ],
    ["POST /swap-indexes", { indexes: ["a", "b"] }, "bad_request"],
  ];
  for (const [line, body, expected] of wrong) assert.deepEqual(await code(line, body), [400, expected], line);
  assert.deepEqual(await code("GET /indexes/bad%20uid"), [400, "invalid_index_uid"]);
  assert.deepEqual(await code("GET /indexes?limit=-1"), [400, "invalid_index_limit"]);
  assert.deepEqual(await code("GET /indexes?offset=1.5"), [400, "invalid_index_offset"]);
  assert.deepEqual(await code("GET /indexes?page=1"), [400, "bad_request"]);
  assert.throws(() => instance.task(1, null), { code: "task_not_found" });
});

test("index writes become tasks", async () => {
  const fixture = await startFixture();
  const { code } = fixture;
  await code("POST /indexes", { uid: "a" });
  await code("PATCH /indexes/a", { uid: "b", primaryKey: "id" });
  await code("DELETE /indexes/a");
  await code("POST /swap-indexes", [{ indexes: ["a", "b"] }]);
  assert.deepEqual(fixture.registrations, [
    { type: "indexCreation", indexUid: "a", primaryKey: null },
    { type: "indexUpdate", indexUid: "a", primaryKey: "id", newIndexUid: "b" },
    { type: "indexDeletion", indexUid: "a" },
    { type: "indexSwap", swaps: [{ indexes: ["a", "b"], rename: false }] },
  ]);
});

test("lists carry the page that was asked for", async () => {
  const { app } = await startFixture();
  const response = await app.inject({ method: "GET", url: "/indexes?offset=0&limit=7" });
  const { results, ...page } = response.json();
  assert.equal(results.length, 1);
  assert.deepEqual(page, { offset: 0, limit: 7, total: 1 });
});

test("stats show counts, and sizes as bytes or for people", async () => {
  const { app, code } = await startFixture();
  const read = async (path: string) => (await app.inject({ method: "GET", url: path })).json();
  const { databaseSize, usedDatabaseSize, lastUpdate, indexes } = await read("/stats");
  assert.ok(databaseSize > 0 && usedDatabaseSize === databaseSize);
  assert.match(lastUpdate, /^\d{4}-\d{2}-\d{2}T.*Z$/);
  assert.deepEqual(indexes, {
    [INDEX]: {
      numberOfDocuments: 2,
      rawDocumentDbSize: 20,
      avgDocumentSize: 10,
      isIndexing: false,
      numberOfEmbeddings: 0,
      numberOfEmbeddedDocuments: 0,
      fieldDistribution: {},
    },
  });
  assert.deepEqual(await read(`/indexes/${INDEX}/stats`), indexes[INDEX]);
  assert.equal((await read("/stats?sizeFormat=human")).indexes[INDEX].rawDocumentDbSize, "20 B");
  const internal = await read(`/indexes/${INDEX}/stats?showInternalDatabaseSizes=true`);
  assert.deepEqual(internal.internalDatabaseSizes, { segments: 40 });
  assert.deepEqual(await code("GET /stats?x=1"), [400, "bad_request"]);
  assert.deepEqual(await code("GET /stats?sizeFormat=big"), [400, "invalid_stats_size_format"]);
  const wrong = [400, "invalid_stats_show_internal_database_sizes"];
  assert.deepEqual(await code("GET /stats?showInternalDatabaseSizes=1"), wrong);
});

const WRONG_TASK_PARAMETERS: [query: string, code: string][] = [
  ["uids=one", "invalid_task_uids"],
  ["uids=1,x", "invalid_task_uids"],
  ["uids=4294967296", "invalid_task_uids"],
  ["batchUids=a", "invalid_batch_uids"],
  ["statuses=done", "invalid_task_statuses"],
  ["types=documents", "invalid_task_types"],
  ["indexUids=not%20ok", "invalid_index_uid"],
  ["canceledBy=me", "invalid_task_canceled_by"],
  ["beforeEnqueuedAt=yesterday", "invalid_task_before_enqueued_at"],
  ["afterEnqueuedAt=2020-13-01", "invalid_task_after_enqueued_at"],
  ["afterEnqueuedAt=2023-02-30", "invalid_task_after_enqueued_at"],
  ["beforeStartedAt=1", "invalid_task_before_started_at"],
  ["afterStartedAt=x", "invalid_task_after_started_at"],
  ["beforeFinishedAt=x", "invalid_task_before_finished_at"],
  ["afterFinishedAt=2020-01-01T00:00:00", "invalid_task_after_finished_at"],
  ["uids=x,*", "invalid_task_uids"],
  ["statuses=*,nope", "invalid_task_statuses"],
  ["types=*,nope", "invalid_task_types"],
  ["indexUids=*,not%20ok", "invalid_index_uid"],
  ["canceledBy=1,*,me", "invalid_task_canceled_by"],
  ["batchUids=*,,-1", "invalid_batch_uids"],
  ["unknown=1", "bad_request"],
];

test("filters of tasks and batches have a code each", async () => {
  const { code } = await startFixture();
  for (const [query, expected] of WRONG_TASK_PARAMETERS) {
    for (const line of ["GET /tasks", "GET /batches", "POST /tasks/cancel", "DELETE /tasks"]) {
      assert.deepEqual(await code(`${line}?${query}`), [400, expected], `${line}?${query}`);
    }
  }
  for (const line of ["GET /tasks", "GET /batches"]) {
    assert.deepEqual(await code(`${line}?limit=-1`), [400, "invalid_task_limit"]);
    assert.deepEqual(await code(`${line}?from=x`), [400, "invalid_task_from"]);
    assert.deepEqual(await code(`${line}?reverse=*`), [400, "invalid_task_reverse"]);
  }
  assert.deepEqual(await code("GET /tasks/one"), [400, "invalid_task_uids"]);
  assert.deepEqual(await code("GET /batches/-1"), [400, "invalid_batch_uids"]);
});

test("empty items of a list do not count, an empty list matches nothing", async () => {
  const { app, code } = await startFixture();
  const total = async (query: string) => (await app.inject(`/tasks?${query}`)).json().total;
  for (const query of ["uids=", "statuses=,", "types=", "indexUids=", "canceledBy=,,"])
    assert.equal(await total(query), 0, query);
  assert.equal(await total("uids=0,,&statuses=,succeeded,failed,enqueued,processing"), await total("uids=0"));
  assert.deepEqual(await code("DELETE /tasks?uids="), [200, null]);
  assert.deepEqual(await code("GET /tasks?uids=,x,"), [400, "invalid_task_uids"]);
});

test("a star anywhere in a list restricts nothing", async () => {
  const { app, calls } = await startFixture();
  const query = "uids=1,*&types=*,indexCreation&statuses=*,*&indexUids=,*,&canceledBy=*";
  await app.inject(`/tasks?${query}`);
  const [, filter] = calls.find(([called]) => called === "taskPage")!;
  assert.deepEqual(JSON.parse(JSON.stringify(filter)), {});
});

test("cancelation and deletion need a filter and take no page", async () => {
  const { code } = await startFixture();
  for (const line of ["POST /tasks/cancel", "DELETE /tasks"]) {
    assert.deepEqual(await code(line), [400, "missing_task_filters"]);
    assert.deepEqual(await code(`${line}?limit=1`), [400, "bad_request"]);
    assert.deepEqual(await code(`${line}?statuses=*`), [200, null]);
  }
});

test("filters reach the instance parsed", async () => {
  const { app, calls } = await startFixture();
  const query =
    "uids=1,2&statuses=Succeeded,FAILED&types=indexcreation&indexUids=a,b&canceledBy=*" +
    "&afterEnqueuedAt=2024-01-31&beforeEnqueuedAt=2024-02-01T10:00:00.123456%2B02:00" +
    "&limit=5&from=9&reverse=true";
  await app.inject({ method: "GET", url: `/tasks?${query}` });
  await app.inject({ method: "DELETE", url: "/tasks?uids=1%2C2" });
  const callOf = (name: string) => calls.find(([called]) => called === name)!;
  const [, filter, paging, visible] = callOf("taskPage");
  const [, , , originalFilter] = callOf("deleteTasks");
  assert.deepEqual(JSON.parse(JSON.stringify(filter)), {
    uids: [1, 2],
    statuses: ["succeeded", "failed"],
    types: ["indexCreation"],
    indexUids: ["a", "b"],
    enqueuedAt: {
      after: Date.parse("2024-02-01T00:00:00Z") * 1000,
      before: Date.parse("2024-02-01T08:00:00Z") * 1000 + 123_456,
    },
  });
  assert.deepEqual([paging, visible], [{ limit: 5, from: 9, reverse: true }, null]);
  assert.equal(originalFilter, "?uids=1%2C2");
});

test("types that only other servers have are filters that match nothing", async () => {
  const { app, calls, code } = await startFixture();
  for (const path of ["/tasks", "/batches"]) {
    await app.inject({ method: "GET", url: `${path}?types=dsrUpdate,DSRCLEAR` });
    await app.inject({ method: "GET", url: `${path}?types=dsrClear,export` });
  }
  const listings = calls.filter(([name]) => name === "taskPage" || name === "batchPage");
  const types = listings.map(([, filter]) => (filter as { types: string[] }).types);
  assert.deepEqual(types, [[], ["export"], [], ["export"]]);
  assert.deepEqual(await code("GET /tasks?types=dsr"), [400, "invalid_task_types"]);
});

test("a long page of tasks comes in pieces, and is a page like any other", async () => {
  const { app, code } = await startFixture({ httpPayloadSizeLimit: 10_000_000 });
  const words = Array.from({ length: 50_000 }, (_, at) => `word${at}`);
  for (let at = 0; at < 6; at++) {
    const request = {
      method: "PATCH",
      url: "/indexes/films/settings",
      payload: { stopWords: words },
    } as const;
    assert.equal((await app.inject(request)).statusCode, 202);
  }
  const read = async (path: string) => (await app.inject(path)).json();
  const page = await read("/tasks?limit=6");
  const one = await read("/tasks?limit=1");
  assert.deepEqual(Object.keys(page), ["results", "total", "limit", "from", "next"]);
  assert.deepEqual([page.results.length, page.results[0]], [6, one.results[0]]);
  assert.deepEqual([page.total, page.limit, page.from], [one.total, 6, one.from]);
  assert.equal(page.next, page.from - 6);
  assert.equal(page.results[5].details.stopWords.length, words.length);
  const { headers } = await app.inject("/tasks?limit=6");
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(await code("GET /tasks?limit=6"), [200, null]);
});

test("tasks and batches are answered, unknown ones are not found", async () => {
  const { app, code } = await startFixture();
  const read = async (path: string) => (await app.inject({ method: "GET", url: path })).json();
  assert.equal((await read("/tasks/0")).status, "succeeded");
  assert.equal((await read("/batches/0")).stats.totalNbTasks, 1);
  assert.deepEqual((await read("/tasks?limit=0")).total, 1);
  assert.deepEqual(await code("GET /tasks/9"), [404, "task_not_found"]);
  assert.deepEqual(await code("GET /batches/9"), [404, "batch_not_found"]);
});

test("an index is compacted by a task", async () => {
  const fixture = await startFixture();
  assert.deepEqual(await fixture.code(`POST /indexes/${INDEX}/compact`), [202, null]);
  assert.deepEqual(await fixture.code("POST /indexes/a%20b/compact"), [400, "invalid_index_uid"]);
  assert.deepEqual(fixture.registrations, [{ type: "indexCompaction", indexUid: INDEX }]);
});

test("the task queue is compacted with the feature for it, and goes on", async () => {
  const { app, code } = await startFixture();
  assert.deepEqual(await code("POST /tasks/compact"), [400, "feature_not_enabled"]);
  await code("PATCH /experimental-features", { taskQueueCompactionRoute: true });
  for (let key = 0; key < 20; key++) await code("PATCH /experimental-features", { metrics: key % 2 === 0 });
  const response = await app.inject({ method: "POST", url: "/tasks/compact" });
  const { preSize, postSize, status } = response.json();
  assert.deepEqual([response.statusCode, status], [200, "succeeded"]);
  assert.ok(Number.parseFloat(preSize) > Number.parseFloat(postSize), `${preSize}, ${postSize}`);
  assert.deepEqual(await code(`POST /indexes/${INDEX}/documents`, [{ id: 3 }]), [202, null]);
  assert.deepEqual(await code("GET /tasks/0"), [200, null]);
});
