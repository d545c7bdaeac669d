// Requests made to break the server: names that every object inherits, depth, length. Each gets a refusal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { INDEX, startFixture } from "./harness.ts";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

test("a coding named like a property of every object is an unknown coding", async () => {
  const { code } = await startFixture();
  for (const coding of ["constructor", "toString", "__proto__"]) {
    const headers = { "content-encoding": coding };
    assert.deepEqual(await code("POST /indexes", { uid: "a" }, headers), [202, null], coding);
  }
  assert.deepEqual(await code("GET /health"), [200, null]);
});

test("a field named like a property of every object is an unknown field", async () => {
  const { code } = await startFixture();
  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    assert.deepEqual(await code("POST /indexes", { [name]: 1 }), [400, "bad_request"], name);
    assert.deepEqual(await code(`POST /indexes/${INDEX}/search`, { [name]: 1 }), [400, "bad_request"], name);
  }
});

test("a broken compressed body does no harm to a request refused for something else", async () => {
  const { app, code } = await startFixture();
  for (const coding of ["gzip", "deflate", "br"]) {
    for (const payload of ["", "no such thing"]) {
      const headers = { "content-encoding": coding, "content-type": "text/plain" };
      const { statusCode } = await app.inject({ method: "POST", url: "/indexes", payload, headers });
      assert.equal(statusCode, 415, coding);
    }
  }
  // The decompressors tell what they found in their own time.
  await pause(20);
  assert.deepEqual(await code("GET /health"), [200, null]);
});

test("a body nests only so deep", async () => {
  const { code } = await startFixture();
  const [status, found] = await code(`POST /indexes/${INDEX}/search`, { filter: nested(1000) });
  assert.deepEqual([status, found], [400, "malformed_payload"]);
});

test("a part of a path is only so long", async () => {
  const { code } = await startFixture();
  const [status] = await code(`GET /indexes/${INDEX}/documents/${"x".repeat(3000)}`);
  assert.ok(status === 400 || status === 404, String(status));
});

test("a filter has only so many values", async () => {
  const { code } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const url = `POST /indexes/${INDEX}/search`;
  const filters = [`n IN [${"1,".repeat(500_000)}1]`, Array(250_001).fill("n = 1")];
  for (const filter of filters) assert.deepEqual(await code(url, { filter }), [400, "invalid_search_filter"]);
});

test("settings may have more words than two bytes count", async () => {
  const { code } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const synonyms = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`word${i}`, ["other"]]));
  assert.deepEqual(await code(`PATCH /indexes/${INDEX}/settings`, { synonyms }), [202, null]);
});

test("an export whose URL has a password is refused, and the password not told", async () => {
  const { app, code } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const body = { url: "http://user:secret@target.example.org" };
  assert.deepEqual(await code("POST /export", body), [400, "invalid_export_url"]);
  const headers = { "content-type": "application/json" };
  const payload = JSON.stringify(body);
  const answer = await app.inject({ method: "POST", url: "/export", payload, headers });
  assert.ok(!answer.body.includes("secret"), answer.body);
});
