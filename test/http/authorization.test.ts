// Every route with every kind of key, from one table. A route that is not in the table fails the test:
// whoever adds one decides here who may use it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { putKey } from "../../src/tasks/keys.ts";
import { INDEX, startFixture } from "./harness.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, tenantToken, uidOf } from "./keyring.ts";

/**
 * What the master key is answered, and which other keys are answered the same:
 *   S  the default key for searches          R  the default key for reading
 *   A  the default key for administration    O  every action, on the one index of the requests
 *   T  a tenant token for that index, of a key for searches
 *   *  all of them
 *   E  every action, on other indexes: the answer is empty
 * `-`: only the master key. The others are refused. N: E is told that there is no such thing.
 */
type Row = [status: number, opens: string, body?: unknown];

const SETTINGS: [path: string, method: "PUT" | "PATCH", body: unknown, status?: number][] = [
  ["displayed-attributes", "PUT", ["a"]],
  ["searchable-attributes", "PUT", ["a"]],
  ["filterable-attributes", "PUT", ["a"]],
  ["sortable-attributes", "PUT", ["a"]],
  ["foreign-keys", "PUT", [], 400],
  ["ranking-rules", "PUT", ["words"]],
  ["stop-words", "PUT", ["a"]],
  ["non-separator-tokens", "PUT", ["a"]],
  ["separator-tokens", "PUT", ["a"]],
  ["dictionary", "PUT", ["a"]],
  ["synonyms", "PUT", {}],
  ["distinct-attribute", "PUT", "a"],
  ["proximity-precision", "PUT", "byWord"],
  ["typo-tolerance", "PATCH", {}],
  ["faceting", "PATCH", {}],
  ["pagination", "PATCH", {}],
  ["embedders", "PATCH", {}],
  ["search-cutoff-ms", "PUT", 50],
  ["localized-attributes", "PUT", []],
  ["facet-search", "PUT", true],
  ["prefix-search", "PUT", "disabled"],
  ["chat", "PATCH", {}, 400],
];

const table: Record<string, Row> = {
  "GET /": [200, "open"],
  "GET /health": [200, "open"],
  "GET /openapi.json": [200, "open"],
  "GET /version": [200, "A R"],
  "GET /stats": [200, "A R O E"],
  "GET /indexes": [200, "A R O E"],
  "POST /indexes": [202, "A O", { uid: INDEX }],
  "POST /swap-indexes": [202, "A O E", []],
  "GET /indexes/:indexUid": [200, "A R O"],
  "PATCH /indexes/:indexUid": [202, "A O", {}],
  "GET /indexes/:indexUid/stats": [200, "A R O"],
  "GET /indexes/:indexUid/settings": [200, "A R O"],
  "PATCH /indexes/:indexUid/settings": [202, "A O", {}],
  "DELETE /indexes/:indexUid/settings": [202, "A O"],
  ...Object.fromEntries(
    SETTINGS.flatMap(([path, method, body, status = 202]): [string, Row][] => [
      [`GET /indexes/:indexUid/settings/${path}`, [200, "A R O"]],
      [`${method} /indexes/:indexUid/settings/${path}`, [status, "A O", body]],
      [`DELETE /indexes/:indexUid/settings/${path}`, [202, "A O"]],
    ]),
  ),
  "GET /indexes/:indexUid/documents": [200, "A R O"],
  "GET /indexes/:indexUid/documents/:documentId": [200, "A R O"],
  "POST /indexes/:indexUid/documents/fetch": [200, "A R O", {}],
  "POST /indexes/:indexUid/documents": [202, "A O", [{ id: 1 }]],
  "PUT /indexes/:indexUid/documents": [202, "A O", [{ id: 1 }]],
  "DELETE /indexes/:indexUid/documents": [202, "A O"],
  "DELETE /indexes/:indexUid/documents/:documentId": [202, "A O"],
  "POST /indexes/:indexUid/documents/delete-batch": [202, "A O", [3]],
  "POST /indexes/:indexUid/documents/delete": [202, "A O", { filter: "a = 1" }],
  "POST /indexes/:indexUid/documents/edit": [400, "A O", { function: "doc.a = 1" }],
  "POST /indexes/:indexUid/fields": [200, "A R O", {}],
  "POST /indexes/:indexUid/compact": [202, "A O"],
  "GET /indexes/:indexUid/search": [200, "*"],
  "POST /indexes/:indexUid/search": [200, "*", {}],
  "POST /indexes/:indexUid/facet-search": [200, "*", { facetName: "a" }],
  "GET /indexes/:indexUid/similar": [400, "*"],
  "POST /indexes/:indexUid/similar": [200, "*", { id: 1, embedder: "none" }],
  "POST /multi-search": [200, "*", { queries: [{ indexUid: INDEX }] }],
  "GET /tasks": [200, "A R O E"],
  "GET /tasks/:taskUid": [200, "A R O N"],
  "GET /tasks/:taskUid/documents": [400, "A R O E"],
  "POST /tasks/cancel": [200, "A O E"],
  "POST /tasks/compact": [400, "A"],
  "DELETE /tasks": [200, "A O E"],
  "GET /batches": [200, "A R O E"],
  "GET /batches/:batchUid": [200, "A R O N"],
  "POST /dumps": [202, "A"],
  "POST /snapshots": [202, "A"],
  "POST /export": [202, "A R", { url: "http://target.example.org" }],
  "GET /experimental-features": [200, "A R"],
  "PATCH /experimental-features": [200, "A", {}],
  "GET /network": [400, "A R"],
  "PATCH /network": [400, "A", {}],
  "GET /webhooks": [200, "A R"],
  "POST /webhooks": [200, "A", { url: "http://target.example.org" }],
  "GET /webhooks/:uuid": [404, "A R"],
  "PATCH /webhooks/:uuid": [404, "A", {}],
  "DELETE /webhooks/:uuid": [404, "A"],
  "GET /metrics": [400, "A R"],
  "POST /logs/stream": [400, "A R", {}],
  "DELETE /logs/stream": [400, "A R"],
  "POST /logs/stderr": [400, "A R", {}],
  "POST /mcp": [406, "open", {}],
  "GET /keys": [200, "-"],
  "POST /keys": [201, "-", { actions: [], indexes: [], expiresAt: null }],
  "GET /keys/:uidOrValue": [200, "-"],
  "PATCH /keys/:uidOrValue": [200, "-", {}],
  // Behind all others, which use what these remove.
  "DELETE /keys/:uidOrValue": [204, "-"],
  "DELETE /indexes/:indexUid": [202, "A O"],
};

const PARAMETERS: Record<string, string> = {
  indexUid: INDEX,
  documentId: "1",
  taskUid: "0",
  batchUid: "0",
  uidOrValue: uidOf(9),
  uuid: uidOf(9),
};

/** Routes on tasks need a filter. */
const QUERIES: Record<string, string> = { "POST /tasks/cancel": "?uids=99", "DELETE /tasks": "?uids=99" };

async function startMatrix() {
  const registered: string[] = [];
  const keys = {
    S: storedKey(uidOf(1), ["search"]),
    A: storedKey(uidOf(2), ["*"]),
    R: storedKey(uidOf(3), ["*.get", "keys.get"]),
    O: storedKey(uidOf(4), ["*"], [INDEX]),
    E: storedKey(uidOf(5), ["*"], ["cups", `${INDEX}x*`]),
    expired: storedKey(uidOf(6), ["*"], ["*"], "2001-01-01T00:00:00Z"),
    idle: storedKey(uidOf(7), []),
  };
  const fixture = await startFixture({ masterKey: MASTER_KEY, env: "production" }, '{"hits":[]}', {
    instance: async (instance) => {
      const others = [storedKey(READER_UID, ["search"]), storedKey(uidOf(9), [])];
      for (const key of [...Object.values(keys), ...others]) await putKey(instance, key);
    },
    app: (app) =>
      app.addHook("onRoute", ({ method, url, config }) => {
        const isRefusal = Array.isArray(method) && config?.action === null;
        if (isRefusal || method === "OPTIONS" || method === "HEAD") return;
        for (const one of [method].flat()) registered.push(`${one} ${url}`);
      }),
  });
  const values: Record<string, string> = Object.fromEntries(
    Object.entries(keys).map(([kind, { uid }]) => [kind, keyValue(uid)]),
  );
  values.T = await tenantToken({ searchRules: [INDEX] });
  values["token elsewhere"] = await tenantToken({ searchRules: ["cups"] });
  values.wrong = "wrong";
  return { ...fixture, registered, values };
}

test("every route is in the table, and nothing else", async () => {
  const { registered } = await startMatrix();
  const routes = new Set(registered);
  assert.deepEqual(
    [...routes].filter((route) => !(route in table)),
    [],
    "routes without a row",
  );
  assert.deepEqual(
    Object.keys(table).filter((route) => !routes.has(route)),
    [],
    "rows without a route",
  );
});

test("every key opens what it is for, and nothing else", async () => {
  const { code, instance, values } = await startMatrix();
  const wrong: string[] = [];
  for (const [route, [status, opens, body]] of Object.entries(table)) {
    const path = route.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name]);
    const line = `${path}${QUERIES[route] ?? ""}`;
    const check = async (kind: string, headers: Record<string, string>, expected: number) => {
      const found = await code(line, body, headers);
      if (found[0] !== expected) wrong.push(`${route} with ${kind}: ${found}, expected ${expected}`);
    };
    await check("no key", {}, opens === "open" ? status : 401);
    for (const [kind, value] of Object.entries(values)) {
      const isOpen = opens === "open" || (opens === "*" ? "S A R O T" : opens).split(" ").includes(kind);
      const isHidden = kind === "E" && opens.endsWith("N");
      await check(kind, bearer(value), isOpen ? status : isHidden ? 404 : 403);
    }
    await check("the master key", bearer(MASTER_KEY), status);
  }
  await instance.idle();
  assert.deepEqual(wrong, []);
});

test("HEAD needs the key of GET", async () => {
  const { code, values } = await startMatrix();
  const head = async (kind: string) => (await code("HEAD /version", undefined, bearer(values[kind])))[0];
  assert.deepEqual(
    [await head("A"), await head("R"), await head("S"), await head("O")],
    [200, 200, 403, 403],
  );
});
