// What holds for every route: content types, bodies, unknown paths and methods, slashes, CORS, compression,
// limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { INDEX, startFixture } from "./harness.ts";

const JSON_ROUTES = [
  "POST /indexes",
  `PATCH /indexes/${INDEX}`,
  "POST /swap-indexes",
  `PATCH /indexes/${INDEX}/settings`,
  `PUT /indexes/${INDEX}/settings/stop-words`,
  `PATCH /indexes/${INDEX}/settings/faceting`,
  `POST /indexes/${INDEX}/search`,
  `POST /indexes/${INDEX}/documents/fetch`,
  `POST /indexes/${INDEX}/documents/delete`,
  `POST /indexes/${INDEX}/documents/delete-batch`,
];

test("a JSON route refuses a missing or other content type before it looks at the body", async () => {
  const { app } = await startFixture();
  for (const line of JSON_ROUTES) {
    const [method, url] = line.split(" ") as ["POST", string];
    const ask = async (headers: Record<string, string>, payload = "{}") => {
      const response = await app.inject({ method, url, headers, payload });
      return [response.statusCode, response.json().code];
    };
    assert.deepEqual(await ask({}), [415, "missing_content_type"], line);
    for (const type of ["text/plain", "application/x-ndjson", "json", ""]) {
      assert.deepEqual(await ask({ "content-type": type }), [415, "invalid_content_type"], `${line} ${type}`);
    }
    assert.deepEqual(await ask({ "content-type": "application/json" }, ""), [400, "missing_payload"], line);
    for (const text of ['{"a": ', " ", "{a:1}", "{} {}"]) {
      assert.deepEqual(
        await ask({ "content-type": "application/json" }, text),
        [400, "malformed_payload"],
        line,
      );
    }
  }
});

test("any JSON media type is read, whatever its case and parameters", async () => {
  const { app } = await startFixture();
  for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.api+json"]) {
    const headers = { "content-type": type };
    const response = await app.inject({ method: "POST", url: "/indexes", headers, payload: '{"uid":"a"}' });
    assert.equal(response.statusCode, 202, type);
  }
});

test("a request without a body may still name a content type", async () => {
  const { code } = await startFixture();
  const headers = { "content-type": "application/json" };
  assert.deepEqual(await code(`DELETE /indexes/${INDEX}`, undefined, headers), [202, null]);
  assert.deepEqual(await code(`DELETE /indexes/${INDEX}/documents/1`, undefined, headers), [202, null]);
  assert.deepEqual(await code("POST /tasks/cancel?uids=1", undefined, headers), [200, null]);
  assert.deepEqual(await code(`DELETE /indexes/${INDEX}`, { ignored: true }), [202, null]);
});

test("what comes with a request that takes no body need not be readable", async () => {
  const { code } = await startFixture();
  const answers: [request: string, status: number][] = [
    [`DELETE /indexes/${INDEX}/settings`, 202],
    ["POST /tasks/cancel?uids=1", 200],
    ["POST /dumps", 202],
    ["POST /nothing", 404],
    ["DELETE /version", 405],
  ];
  const announced: Record<string, string>[] = [
    { "content-type": "" },
    { "content-type": "json" },
    { "content-type": "application/json, text/plain" },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ];
  for (const headers of announced)
    for (const [request, status] of answers)
      for (const body of [undefined, "no JSON"])
        assert.deepEqual(await code(request, body, headers), [status, null], `${request} ${body}`);
});

test("unknown paths give 404, known ones with another method 405, both with an empty body", async () => {
  const { app } = await startFixture({ masterKey: "0123456789abcdef" });
  for (const url of ["/nothing", "/indexes/a/b/c/d", `/indexes/${INDEX}/settings/colour`, "/keys/a/b"]) {
    const response = await app.inject({ method: "GET", url });
    assert.deepEqual([response.statusCode, response.body], [404, ""], url);
  }
  const wrong: [method: "PUT", url: string, allow: string][] = [
    ["PUT", "/indexes", "GET, HEAD, POST"],
    ["DELETE" as "PUT", "/version", "GET, HEAD"],
    ["GET" as "PUT", "/tasks/cancel", "POST"],
    ["PATCH" as "PUT", `/indexes/${INDEX}/settings/stop-words`, "DELETE, GET, HEAD, PUT"],
    ["PROPFIND" as "PUT", "/indexes", "GET, HEAD, POST"],
    ["GET" as "PUT", `/indexes/${INDEX}/documents/fetch`, "POST"],
    ["PUT", `/indexes/${INDEX}/settings/faceting`, "DELETE, GET, HEAD, PATCH"],
    ["PATCH" as "PUT", `/indexes/${INDEX}/documents`, "DELETE, GET, HEAD, POST, PUT"],
  ];
  for (const [method, url, allow] of wrong) {
    const response = await app.inject({ method, url, payload: "[]", headers: { "content-type": "x" } });
    assert.deepEqual(
      [response.statusCode, response.body, response.headers.allow],
      [405, "", allow],
      `${method} ${url}`,
    );
  }
});

test("a method that a path does not have is refused alike in every place where that is done", async () => {
  const { app } = await startFixture({ masterKey: "0123456789abcdef" });
  const refusal = async (method: string, url: string) => {
    const payload = JSON.stringify({ a: 1 });
    const headers = { "content-type": "application/json", authorization: "Bearer wrong" };
    const answer = await app.inject({ method: method as "PUT", url, headers, payload });
    return [answer.statusCode, answer.body, answer.headers.allow];
  };
  const fetched = `/indexes/${INDEX}/documents/fetch`;
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"])
    for (const url of [fetched, `${fetched}/`, `/${fetched}?a=1`, fetched.replace("fetch", "%66etch")])
      assert.deepEqual(await refusal(method, url), [405, "", "POST"], `${method} ${url}`);
  assert.deepEqual(await refusal("PUT", "/tasks/cancel"), [405, "", "POST"]);
  assert.deepEqual(await refusal("PUT", "/tasks/1"), [405, "", "GET, HEAD"]);
  const origin = { origin: "https://a.example", "access-control-request-method": "PUT" };
  assert.equal((await app.inject({ method: "OPTIONS", url: fetched, headers: origin })).statusCode, 200);
});

test("a body that is no UTF-8 is malformed, whatever would be read of it", async () => {
  const { app } = await startFixture();
  const send = async (q: Buffer) => {
    const payload = Buffer.concat([Buffer.from('{"q":"'), q, Buffer.from('"}')]);
    const headers = { "content-type": "application/json" };
    const answer = await app.inject({ method: "POST", url: `/indexes/${INDEX}/search`, headers, payload });
    return [answer.statusCode, answer.json().code];
  };
  assert.deepEqual(await send(Buffer.from([0xff])), [400, "malformed_payload"]);
  assert.deepEqual(await send(Buffer.from([0xe2, 0x82])), [400, "malformed_payload"]);
  assert.deepEqual(await send(Buffer.from("\ufffd€")), [200, undefined]);
});

test("slashes at the end and repeated ones do not matter", async () => {
  const { app } = await startFixture();
  for (const url of ["/health/", "//health", "/indexes/", `//indexes///${INDEX}/`]) {
    assert.equal((await app.inject({ method: "GET", url })).statusCode, 200, url);
  }
});

test("what cannot be decoded in a path is told by the route that reads it", async () => {
  const { app } = await startFixture({ masterKey: "0123456789abcdef" });
  const ask = (url: string, headers = {}) => app.inject({ method: "GET", url, headers });
  const key = { authorization: "Bearer 0123456789abcdef" };
  const refusals = [
    ["/indexes/%zz", 400, "invalid_index_uid"],
    ["/indexes/a%FFb%20c", 400, "invalid_index_uid"],
    [`/indexes/${INDEX}/documents/%`, 404, "document_not_found"],
    ["/tasks/%E2%82", 400, "invalid_task_uids"],
    ["/indexes/%zz%C3%A9", 400, "invalid_index_uid"],
  ] as const;
  for (const [url, status, code] of refusals) {
    const answer = await ask(url, key);
    assert.deepEqual([answer.statusCode, answer.json().code], [status, code], url);
    assert.equal((await ask(url)).json().code, "missing_authorization_header", url);
  }
  assert.match((await ask("/indexes/%zz", key)).json().message, /%zz/);
  assert.match((await ask("/indexes/a%FFb%20c", key)).json().message, /a\ufffdb c/);
  assert.match((await ask("/indexes/%zz%C3%A9", key)).json().message, /`%zzé`/);
  const unknown = await ask("/nothing/%zz?q=%zz", key);
  assert.deepEqual([unknown.statusCode, unknown.body], [404, ""]);
});

test("what cannot be decoded in a query leaves the rest of it as it was meant", async () => {
  const { app } = await startFixture();
  const meant: [sent: string, meant: string][] = [
    ["100%+caf%C3%A9", "100% caf\u00e9"],
    ["%zz%26%2b%3d", "%zz&+="],
    ["%E9t%E9", "\ufffdt\ufffd"],
    ["caf%C3%A9%ff", "caf\u00e9\ufffd"],
    ["%", "%"],
  ];
  for (const [sent, found] of meant) {
    const answer = await app.inject({ method: "GET", url: `/indexes?limit=${sent}` });
    assert.ok(answer.json().message.endsWith(`found \`${found}\``), answer.json().message);
  }
  const named = await app.inject({ method: "GET", url: "/indexes?l%69mit=1&off%zzset=1" });
  assert.match(named.json().message, /^Unknown parameter `off%zzset`/);
});

test("HEAD is answered like GET, without the body", async () => {
  const { app } = await startFixture();
  const response = await app.inject({ method: "HEAD", url: "/health" });
  assert.deepEqual([response.statusCode, response.body], [200, ""]);
});

test("every origin may read answers and ask beforehand", async () => {
  const { app } = await startFixture({ masterKey: "0123456789abcdef" });
  const origin = { origin: "https://shop.example" };
  const answer = await app.inject({ method: "GET", url: "/health", headers: origin });
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const preflight = await app.inject({
    method: "OPTIONS",
    url: `/indexes/${INDEX}/search`,
    headers: {
      ...origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-own",
    },
  });
  assert.deepEqual([preflight.statusCode, preflight.body], [200, ""]);
  assert.equal(preflight.headers["access-control-max-age"], "86400");
  assert.equal(preflight.headers["access-control-allow-headers"], "x-own");
  assert.match(String(preflight.headers["access-control-allow-methods"]), /PATCH/);
});

test("answers are compressed when the client asks for it", async () => {
  const long = JSON.stringify({ hits: "x".repeat(5000) });
  const { app } = await startFixture({}, long);
  const url = `/indexes/${INDEX}/search`;
  const zipped = await app.inject({ method: "GET", url, headers: { "accept-encoding": "gzip" } });
  assert.equal(zipped.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(zipped.rawPayload).toString(), long);
  const plain = await app.inject({ method: "GET", url });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.body, long);
  const small = await app.inject({ method: "GET", url: "/health", headers: { "accept-encoding": "gzip" } });
  assert.equal(gunzipSync(small.rawPayload).toString(), '{"status":"available"}');
  const brotli = await app.inject({ method: "GET", url, headers: { "accept-encoding": "br" } });
  assert.equal(brotli.headers["content-encoding"], "br");
});

test("compressed bodies are read, and their limit counts what comes out", async () => {
  const { app } = await startFixture({ httpPayloadSizeLimit: 1000 });
  const send = async (payload: Buffer, coding: string, url = "/indexes") => {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    const response = await app.inject({ method: "POST", url, headers, payload });
    return [response.statusCode, response.json().code ?? null];
  };
  const body = Buffer.from('{"uid":"a"}');
  assert.deepEqual(await send(gzipSync(body), "gzip"), [202, null]);
  assert.deepEqual(await send(deflateSync(body), "deflate"), [202, null]);
  assert.deepEqual(await send(brotliCompressSync(body), "br"), [202, null]);
  assert.deepEqual(await send(body, "identity"), [202, null]);
  assert.deepEqual(await send(body, "gzip"), [400, "bad_request"]);
  assert.deepEqual(await send(gzipSync(Buffer.alloc(5000, 32)), "gzip"), [413, "payload_too_large"]);
  const documents = gzipSync(JSON.stringify([{ id: 1, text: "x".repeat(5000) }]));
  assert.deepEqual(await send(documents, "gzip", `/indexes/${INDEX}/documents`), [413, "payload_too_large"]);
});

test("an unknown coding of a body is taken as none: what was encoded fails to parse", async () => {
  const { app } = await startFixture();
  const send = async (payload: Buffer | string) => {
    const headers = { "content-type": "application/json", "content-encoding": "zstd" };
    const response = await app.inject({ method: "POST", url: "/indexes", headers, payload });
    return [response.statusCode, response.json().code ?? null];
  };
  assert.deepEqual(await send('{"uid":"a"}'), [202, null]);
  assert.deepEqual(await send(gzipSync('{"uid":"a"}')), [400, "malformed_payload"]);
});

test("of a parameter that comes several times the last one counts", async () => {
  const { app, code } = await startFixture();
  const response = await app.inject({ method: "GET", url: "/indexes?limit=1&offset=0&limit=7" });
  assert.equal(response.json().limit, 7);
  assert.deepEqual(await code("GET /indexes?limit=x&limit=2"), [200, null]);
  assert.deepEqual(await code("GET /indexes?limit=2&limit=x"), [400, "invalid_index_limit"]);
  assert.deepEqual(await code("GET /indexes?nothing=2&nothing=3"), [400, "bad_request"]);
});

test("a body above the limit is refused", async () => {
  const { code } = await startFixture({ httpPayloadSizeLimit: 1000 });
  const long = "x".repeat(2000);
  assert.deepEqual(await code("POST /indexes", { uid: long }), [413, "payload_too_large"]);
  assert.deepEqual(await code(`POST /indexes/${INDEX}/documents`, [{ id: long }]), [
    413,
    "payload_too_large",
  ]);
});

test("errors have the four fields of the error object and its own content type", async () => {
  const { app } = await startFixture();
  const response = await app.inject({ method: "GET", url: "/indexes/none" });
  assert.equal(response.statusCode, 404);
  assert.match(String(response.headers["content-type"]), /^application\/json/);
  const { message, ...rest } = response.json();
  assert.equal(typeof message, "string");
  const link = "https://tarsier.dev/docs/errors#index_not_found";
  assert.deepEqual(rest, { code: "index_not_found", type: "invalid_request", link });
});
