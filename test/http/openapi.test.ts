// The description of the routes: that it is a description, that it names every route and nothing else, and
// that a server answers what it says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Compile } from "typebox/compile";
import { routeTexts } from "../../src/http/routetexts.ts";
import { type Fixture, openFixture } from "../network/fixture.ts";
import { bearer, MASTER_KEY } from "./keyring.ts";

interface Operation {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string; schema: Record<string, unknown>; explode?: boolean }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema?: { properties: Record<string, unknown> } }>;
  };
  responses: Record<string, unknown>;
}

interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

const UNKNOWN_UID = "00000000-0000-4000-8000-000000000000";

let fixture: Fixture;
before(async () => {
  fixture = await openFixture({ masterKey: MASTER_KEY });
});
after(() => fixture.close());

const ask = <T = unknown>(line: string, json?: unknown, status = 200): Promise<T> =>
  fixture.ask<T>(line, json, status, bearer(MASTER_KEY));
const describe = () => fixture.ask<Description>("GET /openapi.json");

test("it is a description in the words of OpenAPI", async () => {
  const { valid, errors } = await new Validator().validate((await describe()) as never);
  assert.ok(valid, JSON.stringify(errors));
});

test("it names every route, and nothing else", async () => {
  const { paths } = await describe();
  const named = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/{(\w+)}/g, ":$1")}`),
  );
  assert.deepEqual(named.sort(), Object.keys(routeTexts).sort());
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test("it tells bodies and parameters, without annotations of our own", async () => {
  const { paths } = await describe();
  const search = paths["/indexes/{indexUid}/search"];
  const { schema } = search.post.requestBody!.content["application/json"];
  assert.deepEqual(schema!.properties.limit, {
    type: "integer",
    minimum: 0,
    maximum: 2 ** 64,
  });
  assert.ok(search.get.parameters!.some(({ name, in: place }) => name === "q" && place === "query"));
  // What is looked at late is described all the same.
  assert.deepEqual(Object.keys(schema!.properties.filter as object), ["anyOf"]);
  assert.match(JSON.stringify(schema!.properties.filter), /"type":"array"/);
  const added = paths["/indexes/{indexUid}/documents"].post.requestBody!.content;
  assert.deepEqual(Object.keys(added), ["application/json", "application/x-ndjson", "text/csv"]);
  const edited = paths["/indexes/{indexUid}/documents/edit"].post.requestBody!;
  assert.equal(edited.required, false);
  assert.ok("function" in edited.content["application/json"].schema!.properties);
  assert.doesNotMatch(JSON.stringify(paths), /"(x-|~)/);
});

test("parameters have their types, lists are separated by commas", async () => {
  const { paths } = await describe();
  const schemaOf = (path: string, name: string) => {
    const { schema, explode } = paths[path].get.parameters!.find((each) => each.name === name)!;
    return explode === undefined ? schema : { ...schema, explode };
  };
  assert.deepEqual(schemaOf("/tasks/{taskUid}", "taskUid"), {
    type: "integer",
    minimum: 0,
    maximum: 2 ** 32 - 1,
  });
  assert.deepEqual(schemaOf("/webhooks/{uuid}", "uuid"), { type: "string", format: "uuid" });
  assert.deepEqual(schemaOf("/keys/{uidOrValue}", "uidOrValue"), { type: "string" });
  const uid = schemaOf("/indexes/{indexUid}/search", "indexUid").pattern as string;
  assert.deepEqual(
    ["a-b_C9", "a b", ""].map((name) => new RegExp(uid).test(name)),
    [true, false, false],
  );
  const search = (name: string) => schemaOf("/indexes/{indexUid}/search", name);
  assert.deepEqual(search("q"), { type: "string" });
  assert.deepEqual(search("showRankingScore"), { type: "boolean" });
  assert.deepEqual(search("facets"), { type: "array", items: { type: "string" }, explode: false });
  assert.deepEqual(
    [search("rankingScoreThreshold").minimum, search("rankingScoreThreshold").maximum],
    [0, 1],
  );
  const { items, explode } = schemaOf("/tasks", "statuses") as {
    items: { anyOf: unknown[] };
    explode: boolean;
  };
  assert.equal(explode, false);
  assert.deepEqual(items.anyOf[1], { const: "*" });
  assert.deepEqual(items.anyOf[0], { enum: ["enqueued", "processing", "succeeded", "failed", "canceled"] });
  assert.deepEqual(search("offset"), { type: "integer", minimum: 0 });
});

test("a server answers what it says", async () => {
  await ask("PATCH /experimental-features", {
    metrics: true,
    network: true,
    logsRoute: true,
    taskQueueCompactionRoute: true,
  });
  const documents = [{ id: 1, title: "Vertigo", year: 1958 }];
  await ask("PATCH /indexes/films/settings", { filterableAttributes: ["title", "year"] }, 202);
  await ask("POST /indexes/films/documents", documents, 202);
  await fixture.instance.idle();
  const webhook = await ask<{ uuid: string }>("POST /webhooks", { url: "https://example.org", headers: {} });
  const key = { actions: ["search"], indexes: ["*"], expiresAt: null };
  const { uid } = await ask<{ uid: string }>("POST /keys", key, 201);
  const requests: [route: string, path?: string, body?: unknown][] = [
    ...Object.keys(routeTexts)
      .filter((route) => /^GET \/indexes\/:indexUid\/(settings|stats|documents$|search$)/.test(route))
      .map((route): [string, string] => [route, route.replace(":indexUid", "films").slice(4)]),
    ["GET /health"],
    ["GET /version"],
    ["GET /stats"],
    ["GET /stats", "/stats?sizeFormat=human&showInternalDatabaseSizes=true"],
    ["GET /indexes"],
    ["GET /indexes/:indexUid", "/indexes/films"],
    ["GET /indexes/:indexUid/documents/:documentId", "/indexes/films/documents/1"],
    ["POST /indexes/:indexUid/documents/fetch", "/indexes/films/documents/fetch", {}],
    ["POST /indexes/:indexUid/search", "/indexes/films/search", { facets: ["*"], q: "vert" }],
    ["POST /indexes/:indexUid/search", "/indexes/films/search", { page: 1 }],
    ["POST /indexes/:indexUid/search", "/indexes/films/search", { showPerformanceDetails: true }],
    ["POST /indexes/:indexUid/fields", "/indexes/films/fields", {}],
    ["POST /indexes/:indexUid/facet-search", "/indexes/films/facet-search", { facetName: "title" }],
    ["POST /multi-search", undefined, { queries: [{ indexUid: "films" }] }],
    ["POST /multi-search", undefined, { queries: [{ indexUid: "films" }], federation: {} }],
    ["GET /tasks"],
    ["GET /tasks/:taskUid", "/tasks/0"],
    ["GET /batches"],
    ["GET /batches/:batchUid", "/batches/0"],
    ["POST /tasks/cancel", "/tasks/cancel?uids=0"],
    ["POST /tasks/compact"],
    ["DELETE /tasks", "/tasks?uids=0"],
    ["POST /indexes/:indexUid/compact", "/indexes/films/compact"],
    ["GET /experimental-features"],
    ["PATCH /experimental-features", undefined, {}],
    ["GET /network"],
    ["PATCH /network", undefined, {}],
    ["GET /webhooks"],
    ["GET /webhooks/:uuid", `/webhooks/${webhook.uuid}`],
    ["PATCH /webhooks/:uuid", `/webhooks/${webhook.uuid}`, { url: "https://example.com" }],
    ["GET /keys"],
    ["GET /keys/:uidOrValue", `/keys/${uid}`],
    ["PATCH /keys/:uidOrValue", `/keys/${uid}`, { name: "mine" }],
  ];
  for (const [route, path = route.split(" ")[1], body] of requests) {
    const [, status, answer] = routeTexts[route];
    assert.ok(answer !== null && typeof answer !== "string", route);
    const found = await ask(`${route.split(" ")[0]} ${path}`, body, status);
    const faults = [...Compile(answer).Errors(found)];
    assert.deepEqual(faults, [], `${route}: ${JSON.stringify(found)}`);
    const { properties } = answer as { properties?: object };
    if (properties)
      for (const name of Object.keys(found as object)) assert.ok(name in properties, `${route}: ${name}`);
  }
  await ask(`DELETE /webhooks/${webhook.uuid}`, undefined, 204);
  await ask(`DELETE /keys/${UNKNOWN_UID}`, undefined, 404);
});
