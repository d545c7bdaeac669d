// /keys: making, reading, changing and removing keys; what is refused; that values never leak, and that keys
// survive restarts.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeyStore } from "../../src/http/keystore.ts";
import { LogOutput } from "../../src/http/logoutput.ts";
import { createServer } from "../../src/http/server.ts";
import { OutboundClient } from "../../src/outbound/client.ts";
import { expiryOf, type KeyBody, uuidOf } from "../../src/schemas/keys.ts";
import { MemoryStorage } from "../../src/storage/memory.ts";
import { Instance } from "../../src/tasks/instance.ts";
import { putDefaultKeys, putKey, storedKeys } from "../../src/tasks/keys.ts";
import { Webhooks } from "../../src/tasks/webhooks.ts";
import { FakeEngine } from "../tasks/fakeengine.ts";
import { NO_WEBHOOK, type Preparations, startFixture } from "./harness.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, uidOf } from "./keyring.ts";

const READER: KeyBody = { uid: READER_UID, actions: ["search"], indexes: ["*"], expiresAt: null };

async function startKeys(preparations: Preparations = {}, masterKey: string | null = MASTER_KEY) {
  const fixture = await startFixture({ masterKey }, "{}", preparations);
  const headers = { ...bearer(MASTER_KEY) };
  const send = async (line: string, payload?: object) => {
    const [method, url] = line.split(" ") as ["GET", string];
    const response = await fixture.app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.body === "" ? null : response.json() };
  };
  const codeOf = (line: string, json?: unknown) => fixture.code(line, json, headers);
  return { ...fixture, send, codeOf };
}

test("a key is made of what is sent, a value and dates, in this order of fields", async () => {
  const { send } = await startKeys();
  const { status, body } = await send("POST /keys", {
    ...READER,
    name: "n",
    uid: READER_UID.toUpperCase(),
    expiresAt: "2099-12-31",
  });
  assert.equal(status, 201);
  const fields = [
    "name",
    "description",
    "key",
    "uid",
    "actions",
    "indexes",
    "expiresAt",
    "createdAt",
    "updatedAt",
  ];
  assert.deepEqual(Object.keys(body), fields);
  assert.equal(body.uid, READER_UID);
  assert.equal(body.key, keyValue(READER_UID));
  assert.equal(body.name, "n");
  assert.equal(body.description, null);
  assert.equal(body.expiresAt, "2099-12-31T00:00:00Z");
  assert.match(body.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual((await send(`GET /keys/${READER_UID}`)).body, body);
  assert.deepEqual((await send(`GET /keys/${READER_UID.replaceAll("-", "")}`)).body, body);
  assert.deepEqual((await send(`GET /keys/${body.key}`)).body, body);
  assert.deepEqual((await send(`GET /keys/${body.key.toUpperCase()}`)).body, body);
});

test("a uid is made where none is sent, and none is taken twice", async () => {
  const { send, codeOf } = await startKeys();
  const { uid: _, ...body } = READER;
  const made = await Promise.all([send("POST /keys", body), send("POST /keys", body)]);
  assert.notEqual(made[0].body.uid, made[1].body.uid);
  assert.equal(made[0].body.key, keyValue(made[0].body.uid));
  assert.deepEqual(await codeOf("POST /keys", READER), [201, null]);
  assert.deepEqual(await codeOf("POST /keys", READER), [409, "api_key_already_exists"]);
});

test("changes that come at once are made one after the other", async () => {
  const storage = new MemoryStorage();
  const store = new KeyStore(await Instance.open({ storage, engine: new FakeEngine(storage) }), MASTER_KEY);
  const creations = await Promise.allSettled([store.create(READER), store.create(READER)]);
  assert.deepEqual(
    creations.map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
  const changes = [store.update(READER_UID, { name: "n" }), store.update(READER_UID, { description: "d" })];
  await Promise.all(changes);
  const { name, description } = store.get(READER_UID);
  assert.deepEqual([name, description], ["n", "d"]);
});

test("keys are listed from the newest on, page by page", async () => {
  const { send } = await startKeys();
  const uids: string[] = [];
  for (let made = 0; made < 5; made++) {
    uids.unshift((await send("POST /keys", { ...READER, uid: undefined })).body.uid);
  }
  await send(`PATCH /keys/${uids[3]}`, { name: "changed" });
  const listed = async (query: string) => {
    const { results, ...page } = (await send(`GET /keys${query}`)).body;
    return [results.map(({ uid }: { uid: string }) => uid), page];
  };
  assert.deepEqual(await listed(""), [uids, { offset: 0, limit: 20, total: 5 }]);
  assert.deepEqual(await listed("?offset=3&limit=1"), [[uids[3]], { offset: 3, limit: 1, total: 5 }]);
  assert.deepEqual(await listed("?offset=9"), [[], { offset: 9, limit: 20, total: 5 }]);
});

test("a key that is made after the clock was set back is the newest all the same", async () => {
  const storage = new MemoryStorage();
  const instance = await Instance.open({ storage, engine: new FakeEngine(storage) });
  await putKey(instance, { ...storedKey(uidOf(1), ["search"]), createdAt: Date.UTC(2099, 0, 1) * 1000 });
  await new KeyStore(instance, MASTER_KEY).create(READER);
  const { results } = new KeyStore(instance, MASTER_KEY).list(0, 10);
  assert.deepEqual(
    results.map(({ uid }) => uid),
    [READER_UID, uidOf(1)],
  );
});

test("name and description change, and null clears them", async () => {
  const { send } = await startKeys();
  const { body } = await send("POST /keys", READER);
  await send(`PATCH /keys/${READER_UID}`, { name: "n" });
  await send(`PATCH /keys/${READER_UID}`, { description: "d" });
  const changed = (await send(`GET /keys/${READER_UID}`)).body;
  assert.deepEqual([changed.name, changed.description], ["n", "d"]);
  assert.notEqual(changed.updatedAt, body.updatedAt);
  assert.equal(changed.createdAt, body.createdAt);
  const cleared = (await send(`PATCH /keys/${changed.key}`, { name: null })).body;
  assert.deepEqual([cleared.name, cleared.description], [null, "d"]);
});

test("a removed key is gone, and opens nothing any more", async () => {
  const { send, code, codeOf } = await startKeys();
  const { body } = await send("POST /keys", { ...READER, actions: ["indexes.get"] });
  assert.deepEqual(await code("GET /indexes", undefined, bearer(body.key)), [200, null]);
  assert.deepEqual(await send(`DELETE /keys/${body.key}`), { status: 204, body: null });
  assert.deepEqual(await code("GET /indexes", undefined, bearer(body.key)), [403, "invalid_api_key"]);
  for (const line of [`GET /keys/${READER_UID}`, `DELETE /keys/${READER_UID}`, `DELETE /keys/${body.key}`]) {
    assert.deepEqual(await codeOf(line), [404, "api_key_not_found"], line);
  }
});

test("the first fault of a body in its own order is told", async () => {
  const { codeOf } = await startKeys();
  const faults: [body: object, code: string][] = [
    [{ ...READER, name: 5 }, "invalid_api_key_name"],
    [{ ...READER, description: [] }, "invalid_api_key_description"],
    [{ ...READER, uid: "short" }, "invalid_api_key_uid"],
    [{ ...READER, uid: null }, "invalid_api_key_uid"],
    [{ ...READER, actions: "search" }, "invalid_api_key_actions"],
    [{ ...READER, actions: ["Search"] }, "invalid_api_key_actions"],
    [{ ...READER, actions: ["keys.*"] }, "invalid_api_key_actions"],
    [{ ...READER, indexes: ["*a"] }, "invalid_api_key_indexes"],
    [{ ...READER, indexes: ["a**"] }, "invalid_api_key_indexes"],
    [{ ...READER, indexes: [""] }, "invalid_api_key_indexes"],
    [{ ...READER, indexes: ["a".repeat(401)] }, "invalid_api_key_indexes"],
    [{ ...READER, expiresAt: "2001-01-01" }, "invalid_api_key_expires_at"],
    [{ ...READER, expiresAt: "2099-02-30" }, "invalid_api_key_expires_at"],
    [{ ...READER, expiresAt: "2099-12-31T10:20:30.5" }, "invalid_api_key_expires_at"],
    [{ ...READER, expiresAt: 5 }, "invalid_api_key_expires_at"],
    [{ ...READER, key: "mine" }, "bad_request"],
    [{ ...READER, createdAt: "2020-01-01" }, "bad_request"],
    [{ expiresAt: 5, actions: 5 }, "invalid_api_key_expires_at"],
    [{ actions: 5, expiresAt: 5 }, "invalid_api_key_actions"],
    [{}, "missing_api_key_actions"],
    [{ actions: [] }, "missing_api_key_indexes"],
    [{ actions: [], indexes: [] }, "missing_api_key_expires_at"],
    [
      { ...READER, indexes: ["a"], actions: ["search", "version"] },
      "index_scoped_api_key_with_global_action",
    ],
    [{ ...READER, indexes: ["a"], actions: ["tasks.compact"] }, "index_scoped_api_key_with_global_action"],
  ];
  for (const [body, expected] of faults) {
    assert.deepEqual(await codeOf("POST /keys", body), [400, expected], JSON.stringify(body));
  }
  const sound = [
    {
      ...READER,
      uid: undefined,
      indexes: ["a"],
      actions: ["*", "*.get", "documents.*", "tasks.*", "stats.*"],
    },
    { ...READER, uid: undefined, indexes: [], actions: ["version"] },
    { ...READER, uid: undefined, indexes: ["a", "*"], actions: ["version", "keys.get"] },
  ];
  for (const body of sound) assert.deepEqual(await codeOf("POST /keys", body), [201, null], body.actions[0]);
});

test("what a key is for never changes", async () => {
  const { send, codeOf } = await startKeys();
  await send("POST /keys", READER);
  const faults: [body: object, code: string][] = [
    [{ uid: READER_UID }, "immutable_api_key_uid"],
    [{ actions: [] }, "immutable_api_key_actions"],
    [{ indexes: [] }, "immutable_api_key_indexes"],
    [{ expiresAt: null }, "immutable_api_key_expires_at"],
    [{ createdAt: null }, "immutable_api_key_created_at"],
    [{ updatedAt: null }, "immutable_api_key_updated_at"],
    [{ key: "x" }, "bad_request"],
    [{ name: 5, uid: "x" }, "invalid_api_key_name"],
    [{ uid: "x", name: 5 }, "immutable_api_key_uid"],
  ];
  for (const [body, expected] of faults) {
    assert.deepEqual(await codeOf(`PATCH /keys/${READER_UID}`, body), [400, expected], JSON.stringify(body));
  }
});

test("without a master key there are no keys to manage, whatever is sent", async () => {
  const { code } = await startKeys({}, null);
  for (const line of ["GET /keys", "GET /keys/x", "DELETE /keys/x"]) {
    for (const headers of [{}, bearer(MASTER_KEY), { authorization: "Basic x" }]) {
      assert.deepEqual(await code(line, undefined, headers), [401, "missing_master_key"], line);
    }
  }
});

test("both spellings of an action are answered as given, and mean the same", async () => {
  const { send, code } = await startKeys();
  const { body } = await send("POST /keys", {
    ...READER,
    actions: ["index.create", "task.cancel", "task.delete"],
  });
  assert.deepEqual(body.actions, ["index.create", "task.cancel", "task.delete"]);
  const status = async (line: string, json?: object) => (await code(line, json, bearer(body.key)))[0];
  assert.equal(await status("POST /indexes", { uid: "cups" }), 202);
  assert.equal(await status("POST /tasks/cancel?uids=99"), 200);
  assert.equal(await status("DELETE /tasks?uids=99"), 200);
  assert.equal(await status("GET /tasks"), 403);
});

test("keys survive a restart, and a new master key gives them new values", async () => {
  const storage = new MemoryStorage();
  const first = await startKeys({ storage, instance: putDefaultKeys });
  await first.send("POST /keys", {
    ...READER,
    actions: ["indexes.get"],
    expiresAt: "2099-12-31T10:20:30+02:00",
  });
  const before = (await first.send("GET /keys")).body;
  assert.deepEqual(
    before.results.map(({ name }: { name: string }) => name),
    [null, "Default Search API Key", "Default Admin API Key", "Default Read-Only Admin API Key"],
  );
  await first.instance.close();
  const second = await startKeys({ storage, instance: putDefaultKeys });
  assert.deepEqual((await second.send("GET /keys")).body, before);
  await second.instance.close();

  const changed = "another key of sixteen bytes and more";
  const third = await startFixture({ masterKey: changed }, "{}", { storage });
  const status = async (value: string) => (await third.code("GET /indexes", undefined, bearer(value)))[0];
  assert.equal(await status(keyValue(READER_UID)), 403);
  assert.equal(await status(keyValue(READER_UID, changed)), 200);
});

test("default keys come back only when no key is left", async () => {
  const storage = new MemoryStorage();
  const instance = await Instance.open({ storage, engine: new FakeEngine(storage) });
  await putDefaultKeys(instance);
  const [first, ...others] = storedKeys(instance);
  for (const { uid } of others) await instance.put("apiKey", uid, null);
  await putDefaultKeys(instance);
  assert.deepEqual(storedKeys(instance), [first]);
  await instance.put("apiKey", first.uid, null);
  await putDefaultKeys(instance);
  assert.equal(storedKeys(instance).length, 3);
});

test("no secret reaches a log, an error or the journal", async () => {
  const storage = new MemoryStorage();
  const lines: string[] = [];
  const logs = new LogOutput("trace", "json", { write: (text) => lines.push(...text.split(/(?<=\n)/)) });
  const instance = await Instance.open({ storage, engine: new FakeEngine(storage) });
  const app = createServer({
    instance,
    engine: new FakeEngine(storage),
    options: {
      env: "development",
      masterKey: MASTER_KEY,
      noAnalytics: false,
      httpPayloadSizeLimit: 100_000,
      experimentalSearchQueueSize: 10,
      experimentalNbSearchesPerCore: 4,
      experimentalDropSearchAfter: 60,
      experimentalRemoteSearchTimeoutSeconds: 5,
    },
    webhooks: new Webhooks(instance, NO_WEBHOOK),
    version: { commitSha: "", commitDate: "", pkgVersion: "" },
    logs,
    outbound: new OutboundClient([]),
  });
  const value = keyValue(READER_UID);
  const ask = (method: "GET" | "POST", url: string, key: string, payload?: object) =>
    app.inject({ method, url, headers: bearer(key), ...(payload && { payload }) });
  await ask("POST", "/keys", MASTER_KEY, READER);
  const answers = [
    await ask("GET", "/version", value),
    await ask("GET", "/indexes/teas", MASTER_KEY.slice(1)),
    await ask("GET", `/keys/${value.replace(/.$/, "g")}`, MASTER_KEY),
    await ask("GET", `/keys/${value}%zz`, MASTER_KEY),
    await ask("GET", `/key/${value}`, MASTER_KEY),
    await ask("POST", "/indexes/teas/search", value, {}),
  ];
  await ask("GET", `/keys/${value}`, MASTER_KEY);
  await ask("GET", `/keys/${value.slice(0, 30)}+${value.slice(31)}`, MASTER_KEY);
  logs.flush();
  const texts = [...lines, ...answers.map(({ body }) => body)];
  assert.ok(lines.length >= 7, "requests are logged");
  // The whole of a secret, or what a slip of one character leaves of it.
  for (const text of texts) {
    assert.ok(!text.includes(MASTER_KEY.slice(1)), text);
    assert.ok(!text.includes(value.slice(0, 30)), text);
  }
  await instance.close();
  for (const name of storage.list("")) {
    const bytes = Buffer.alloc(storage.size(name));
    storage.open(name).readInto(bytes, 0);
    const text = bytes.toString("latin1");
    assert.ok(!text.includes(MASTER_KEY) && !text.includes(value), name);
  }
});

test("dates are read in all forms, and written in one", () => {
  const forms: [given: string, written: string | null][] = [
    ["2099-12-31", "2099-12-31T00:00:00Z"],
    ["2099-12-31T10:20:30", "2099-12-31T10:20:30Z"],
    ["2099-12-31 10:20:30", "2099-12-31T10:20:30Z"],
    ["2099-12-31T10:20:30.1200+00:00", "2099-12-31T10:20:30.12Z"],
    ["2099-12-31T10:20:30-05:30", "2099-12-31T10:20:30-05:30"],
    ["2099-12-31 10:20:30Z", "2099-12-31T10:20:30Z"],
    ["2099-12-31 10:20:30+00:00", "2099-12-31T10:20:30Z"],
    ["2099-12-31T24:00:00Z", null],
    ["2099-12-31T10:20", null],
    ["2099-12-31T10:20:30.5Z", "2099-12-31T10:20:30.5Z"],
    ["2099-12-31T10:20:30.5", null],
    ["2099-12-31 10:20:30.0", null],
    ["2099-13-01", null],
    ["2099-02-29", null],
    ["", null],
  ];
  for (const [given, written] of forms) assert.equal(expiryOf(given)?.text ?? null, written, given);
  assert.equal(
    expiryOf("2099-12-31T10:20:30.123456+02:00")?.milliseconds,
    Date.UTC(2099, 11, 31, 8, 20, 30, 123),
  );
  const moments = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(moments, (moment) => expiryOf(new Date(moment).toISOString())?.milliseconds === moment),
  );
});

test("a UUID is known in all its notations, and written in one", () => {
  fc.assert(
    fc.property(fc.uuid(), (uid) => {
      const notations = [uid, uid.toUpperCase(), uid.replaceAll("-", ""), `{${uid}}`, `urn:uuid:${uid}`];
      for (const notation of notations) assert.equal(uuidOf(notation), uid);
    }),
  );
  for (const wrong of [
    "",
    "x",
    READER_UID.slice(1),
    `${READER_UID}0`,
    READER_UID.replace("-", ""),
    "g".repeat(32),
  ]) {
    assert.equal(uuidOf(wrong), null, wrong);
  }
});
