// The master key: which routes need it, and how it must be sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { INDEX, startFixture } from "./harness.ts";

const KEY = "0123456789abcdef";

test("without a master key everybody may do everything", async () => {
  const { code } = await startFixture();
  assert.deepEqual(await code("GET /indexes"), [200, null]);
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
});

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
