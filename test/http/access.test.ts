// How a key must be sent, when it is checked, and what keys for some indexes see. Which route needs which
// action stands in authorization.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActionName } from "../../src/schemas/actions.ts";
import { putKey } from "../../src/tasks/keys.ts";
import { INDEX, startFixture } from "./harness.ts";
import { bearer, keyValue, storedKey, uidOf } from "./keyring.ts";

const KEY = "0123456789abcdef";

test("without a master key everybody may do everything", async () => {
  const { code } = await startFixture();
  assert.deepEqual(await code("GET /indexes"), [200, null]);
  const sent = async (authorization: string) => (await code("GET /indexes", undefined, { authorization }))[0];
  assert.deepEqual([await sent("Bearer x"), await sent("Basic x"), await sent("Bearer")], [200, 401, 403]);
});

test("with a master key every route but the open ones needs it", async () => {
  const { code } = await startFixture({ masterKey: KEY });
  for (const line of ["GET /health", "HEAD /health"]) assert.deepEqual((await code(line))[0], 200, line);
  const guarded = [
    "GET /indexes",
    "GET /version",
    "GET /tasks",
    `POST /indexes/${INDEX}/search`,
    "HEAD /indexes",
  ];
  for (const line of guarded) assert.equal((await code(line))[0], 401, line);
  const right = { authorization: `Bearer ${KEY}` };
  assert.deepEqual(await code("GET /indexes", undefined, right), [200, null]);
  assert.deepEqual(await code("GET /health", undefined, { authorization: "nonsense" }), [200, null]);
});

test("a malformed header is a missing one, a wrong key an invalid one", async () => {
  const { code } = await startFixture({ masterKey: KEY });
  const ask = (authorization: string) => code("GET /indexes", undefined, { authorization });
  assert.deepEqual(await ask(KEY), [401, "missing_authorization_header"]);
  assert.deepEqual(await ask(`bearer ${KEY}`), [401, "missing_authorization_header"]);
  assert.deepEqual(await ask("Bearer"), [403, "invalid_api_key"]);
  assert.deepEqual(await ask(`Bearer ${KEY}x`), [403, "invalid_api_key"]);
  assert.deepEqual(await ask(`Bearer ${KEY} x`), [403, "invalid_api_key"]);
  assert.deepEqual(await ask("Bearer "), [403, "invalid_api_key"]);
  assert.deepEqual(await ask(`Bearer  ${KEY}`), [403, "invalid_api_key"]);
});

test("a master key of any characters is compared by its bytes", async () => {
  const masterKey = "clé maîtresse de plus de 16 octets";
  const { code } = await startFixture({ masterKey });
  // What a server is handed when the bytes of the text were sent.
  const sent = Buffer.from(masterKey).toString("latin1");
  assert.deepEqual(await code("GET /indexes", undefined, bearer(sent)), [200, null]);
});

test("a key for some indexes sees their tasks and nothing of the others", async () => {
  const { app, instance, get, code } = await startScoped();
  const [own, whole] = [bearer(keyValue(uidOf(1), KEY)), bearer(KEY)];
  for (const uid of ["cups", `${INDEX}-green`]) {
    await app.inject({ method: "POST", url: "/indexes", payload: { uid }, headers: whole });
  }
  await app.inject({ method: "POST", url: "/swap-indexes", payload: [], headers: whole });
  await instance.idle();
  const uids = async (url: string, headers = own) =>
    (await get(url, headers)).results.map(({ uid }: { uid: unknown }) => uid);
  assert.deepEqual(await uids("/indexes"), [INDEX, `${INDEX}-green`]);
  assert.equal((await get("/indexes", own)).total, 2);
  assert.deepEqual(Object.keys((await get("/stats", own)).indexes), [INDEX, `${INDEX}-green`]);
  assert.deepEqual(await uids("/tasks"), [2, 0]);
  for (const all of [whole, bearer(keyValue(uidOf(4), KEY))])
    assert.deepEqual(await uids("/tasks", all), [3, 2, 1, 0], "also the one of no index");
  assert.deepEqual(await uids("/batches", whole), [3, 2, 1, 0]);
  assert.deepEqual(await uids("/batches"), [2, 0]);
  assert.deepEqual(await uids("/tasks?indexUids=cups"), []);
  assert.deepEqual(await code("GET /tasks/1", undefined, own), [404, "task_not_found"]);
  assert.deepEqual(await code("GET /batches/1", undefined, own), [404, "batch_not_found"]);
  const select = async (method: "DELETE" | "POST", url: string) => {
    const { taskUid } = (await app.inject({ method, url, headers: own })).json();
    await instance.idle();
    assert.equal((await get(`/tasks/${taskUid}`, whole)).details.matchedTasks, 1, url);
    return taskUid;
  };
  await select("POST", "/tasks/cancel?uids=1,2");
  const taskUid = await select("DELETE", "/tasks?uids=1,2");
  assert.deepEqual(await code(`GET /tasks/${taskUid}`, undefined, own), [404, "task_not_found"]);
});

test("an index out of scope is refused whether it exists or not, in paths and in bodies", async () => {
  const { code, app } = await startScoped();
  const own = bearer(keyValue(uidOf(1), KEY));
  for (const [line, body] of [
    ["GET /indexes/cups", undefined],
    ["POST /indexes/cups/documents", [{ id: 1 }]],
    ["GET /indexes/not%20valid", undefined],
    ["POST /indexes", { uid: "cups" }],
    [`PATCH /indexes/${INDEX}`, { uid: "cups" }],
    ["POST /swap-indexes", [{ indexes: [INDEX, "cups"] }]],
    ["POST /swap-indexes", [{ indexes: ["cups", INDEX] }]],
    ["POST /multi-search", { queries: [{ indexUid: INDEX }, { indexUid: "cups" }] }],
    ["POST /multi-search", { federation: { facetsByIndex: { cups: ["a"] } }, queries: [] }],
  ] as [string, unknown][]) {
    assert.deepEqual(await code(line, body, own), [403, "invalid_api_key"], line);
  }
  assert.deepEqual(await code("POST /indexes", { uid: `${INDEX}-red` }, own), [202, null]);
  const refused = await app.inject({ method: "GET", url: "/indexes/cups", headers: own });
  assert.match(refused.json().message, /`cups`.*`teas\*`/);
});

test("a key for no index sees nothing and opens nothing", async () => {
  const { get, code } = await startScoped();
  const none = bearer(keyValue(uidOf(3), KEY));
  for (const url of ["/indexes", "/tasks", "/batches"])
    assert.deepEqual((await get(url, none)).results, [], url);
  for (const line of [`GET /indexes/${INDEX}`, "GET /version", "POST /indexes"]) {
    assert.deepEqual(await code(line, { uid: INDEX }, none), [403, "invalid_api_key"], line);
  }
});

test("what a write may create is what its key may create", async () => {
  const { code, registrations } = await startScoped();
  const asked = async (uid: number, index: string, line: string, body: unknown) => {
    assert.equal((await code(line.replace("INDEX", index), body, bearer(keyValue(uidOf(uid), KEY))))[0], 202);
    return registrations()[registrations().length - 1].allowIndexCreation;
  };
  for (const [line, body] of [
    ["POST /indexes/INDEX/documents", [{ id: 1 }]],
    ["PATCH /indexes/INDEX/settings", {}],
  ] as [string, unknown][]) {
    assert.equal(await asked(1, `${INDEX}-red`, line, body), true);
    assert.equal(await asked(2, `${INDEX}-red`, line, body), false);
  }
});

test("a route that says nothing of its action is not registered", async () => {
  const fixture = startFixture({}, "{}", { app: (app) => void app.get("/own", async () => 1) });
  await assert.rejects(fixture, /names no action/);
});

async function startScoped() {
  const fixture = await startFixture({ masterKey: KEY }, "{}", {
    instance: async (instance) => {
      await putKey(instance, storedKey(uidOf(1), ["*"], [`${INDEX}*`]));
      await putKey(instance, storedKey(uidOf(3), ["*"], []));
      await putKey(instance, storedKey(uidOf(4), ["tasks.get"], ["none", "*"]));
      const writing: ActionName[] = ["documents.add", "settings.update"];
      await putKey(instance, storedKey(uidOf(2), writing, [`${INDEX}*`]));
    },
  });
  const get = async (url: string, headers: { authorization: string }) =>
    (await fixture.app.inject({ method: "GET", url, headers })).json();
  return { ...fixture, get, registrations: () => fixture.registrations };
}

test("the key is checked before the body and the parameters", async () => {
  const { code } = await startFixture({ masterKey: KEY });
  assert.deepEqual(await code("POST /indexes", { wrong: 1 }), [401, "missing_authorization_header"]);
  assert.deepEqual(await code("GET /indexes?limit=x"), [401, "missing_authorization_header"]);
});

test("the front is a page in development and a short answer in production", async () => {
  const front = async (options = {}) => (await startFixture(options)).app.inject({ method: "GET", url: "/" });
  const page = await front();
  assert.match(String(page.headers["content-type"]), /^text\/html/);
  assert.doesNotMatch(page.body, /https?:\/\//, "the page asks nothing of other servers");
  const short = await front({ env: "production", masterKey: KEY });
  assert.deepEqual(short.json(), { status: "Tarsier is running" });
});
