// Webhooks over HTTP: what may be defined, changed and removed, and how it is shown.
import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { Webhooks } from "../../src/tasks/webhooks.ts";
import { type Fixture, NO_WEBHOOK, startFixture } from "./harness.ts";

const URL = "https://hooks.example.org/a";
const NIL = "00000000-0000-0000-0000-000000000000";
const OTHER = "550e8400-e29b-41d4-a716-446655440000";

async function send({ app }: Fixture, method: "GET" | "POST" | "PATCH", url: string, payload?: object) {
  const response = await app.inject({ method, url, ...(payload && { payload }) });
  equal(response.statusCode, 200, response.body);
  return response.json();
}

test("webhooks are made, read, listed by uuid, and removed", async () => {
  const fixture = await startFixture();
  const one = await send(fixture, "POST", "/webhooks", { url: URL });
  match(one.uuid, /^[0-9a-f-]{36}$/);
  deepEqual(one, { uuid: one.uuid, isEditable: true, url: URL, headers: {} });
  const two = await send(fixture, "POST", "/webhooks", { url: URL, headers: { "x-a": "1", "x-b": null } });
  deepEqual(two.headers, { "x-a": "1", "x-b": "" });
  deepEqual(await send(fixture, "GET", `/webhooks/${two.uuid.toUpperCase()}`), two);
  const { results } = await send(fixture, "GET", "/webhooks");
  deepEqual(
    results,
    [one, two].sort((a, b) => (a.uuid < b.uuid ? -1 : 1)),
  );
  deepEqual(await fixture.code(`DELETE /webhooks/${one.uuid}`), [204, null]);
  deepEqual(await fixture.code(`GET /webhooks/${one.uuid}`), [404, "webhook_not_found"]);
});

test("a patch merges headers by name and keeps what it does not name", async () => {
  const fixture = await startFixture();
  const { uuid } = await send(fixture, "POST", "/webhooks", { url: URL, headers: { a: "1", b: "2" } });
  const patch = (body: object) => send(fixture, "PATCH", `/webhooks/${uuid}`, body);
  deepEqual((await patch({ url: `${URL}/moved` })).headers, { a: "1", b: "2" });
  const changed = await patch({ headers: { a: null, c: "3" } });
  deepEqual([changed.url, changed.headers], [`${URL}/moved`, { b: "2", c: "3" }]);
  deepEqual((await patch({ headers: {} })).headers, { b: "2", c: "3" });
  deepEqual((await patch({ headers: null })).headers, {});
  for (const url of [null, ""])
    deepEqual(await fixture.code(`PATCH /webhooks/${uuid}`, { url }), [400, "invalid_webhook_url"]);
  deepEqual(await fixture.code(`PATCH /webhooks/${OTHER}`, {}), [404, "webhook_not_found"]);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, "1"]));
  await patch({ headers: many });
  const more = await fixture.code(`PATCH /webhooks/${uuid}`, { headers: { "x-more": "1" } });
  deepEqual(more, [400, "invalid_webhook_headers"]);
});

test("what authorizes is shown in part", async () => {
  const fixture = await startFixture();
  const shown = async (headers: Record<string, string>) =>
    (await send(fixture, "POST", "/webhooks", { url: URL, headers })).headers;
  deepEqual(await shown({ authorization: "Bearer abcdefghijklmnop" }), { authorization: "Bearer abXXXX..." });
  deepEqual(await shown({ AUTHORIZATION: "short" }), { AUTHORIZATION: "XXX..." });
  deepEqual(await shown({ "x-token": "shown" }), { "x-token": "shown" });
  const stored = fixture.instance
    .values("webhook")
    .map(([, value]) => (value as { headers: object }).headers);
  deepEqual(stored[0], { authorization: "Bearer abcdefghijklmnop" });
});

test("bad requests have the code of their field", async () => {
  const { code } = await startFixture();
  const refusals: [body: unknown, expected: string][] = [
    [{}, "invalid_webhook_url"],
    [{ url: null }, "invalid_webhook_url"],
    [{ url: "" }, "invalid_webhook_url"],
    [{ url: 5 }, "invalid_webhook_url"],
    [{ url: "/path" }, "invalid_webhook_url"],
    [{ url: "ftp://hooks.example.org" }, "invalid_webhook_url"],
    [{ url: URL, headers: ["x"] }, "invalid_webhook_headers"],
    [{ url: URL, headers: "x" }, "invalid_webhook_headers"],
    [{ url: URL, headers: { a: 1 } }, "invalid_webhook_headers"],
    [{ url: URL, headers: { "": "1" } }, "invalid_webhook_headers"],
    [{ url: URL, headers: { "bad name": "1" } }, "invalid_webhook_headers"],
    [{ url: URL, headers: { a: "line\nbreak" } }, "invalid_webhook_headers"],
    [{ url: URL, uuid: OTHER }, "immutable_webhook_uuid"],
    [{ url: URL, isEditable: true }, "immutable_webhook_is_editable"],
    [{ url: URL, name: "x" }, "bad_request"],
    [[], "bad_request"],
  ];
  for (const [body, expected] of refusals)
    deepEqual(await code("POST /webhooks", body), [400, expected], JSON.stringify(body));
  deepEqual(await code("GET /webhooks/nope"), [400, "invalid_webhook_uuid"]);
  deepEqual(await code(`DELETE /webhooks/${OTHER}`), [404, "webhook_not_found"]);
});

test("there are at most 20 webhooks, also when all come at once, and 200 headers in each", async () => {
  const { code } = await startFixture();
  const headers = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`h${at}`, "1"]));
  deepEqual(await code("POST /webhooks", { url: URL, headers: { ...headers, more: "1" } }), [
    400,
    "invalid_webhook_headers",
  ]);
  const answers = await Promise.all(
    Array.from({ length: 21 }, () => code("POST /webhooks", { url: URL, headers })),
  );
  deepEqual(answers.filter(([status]) => status === 200).length, 20);
  deepEqual(answers[20], [400, "invalid_webhooks"]);
});

test("of several faults the one that clients know is told", async () => {
  const { code } = await startFixture();
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`h${at}`, null]));
  const bad = { "bad name": "1" };
  const tell = async (bodies: [body: object, expected: string][], line = "POST /webhooks") => {
    for (const [body, expected] of bodies)
      deepEqual(await code(line, body), [400, expected], `${line} ${JSON.stringify(body).slice(0, 60)}`);
  };
  await tell([
    [{ headers: many }, "invalid_webhook_headers"],
    [{ headers: bad }, "invalid_webhook_url"],
    [{ url: "", headers: bad }, "invalid_webhook_url"],
    [{ url: "/path", headers: bad }, "invalid_webhook_headers"],
  ]);
  for (let more = 0; more < 20; more++) await code("POST /webhooks", { url: URL });
  await tell([
    [{ headers: many }, "invalid_webhook_headers"],
    [{ headers: bad }, "invalid_webhooks"],
    [{ url: "/path" }, "invalid_webhooks"],
    [{ url: 5 }, "invalid_webhook_url"],
  ]);
  deepEqual(await code(`PATCH /webhooks/${OTHER}`, { url: null }), [404, "webhook_not_found"]);
  await tell([[{ url: null }, "immutable_webhook"]], `PATCH /webhooks/${NIL}`);
});

test("the uuid of the command line's webhook is kept for it, also when there is none", async () => {
  const { code } = await startFixture();
  for (const method of ["PATCH", "DELETE"])
    deepEqual(await code(`${method} /webhooks/${NIL}`, {}), [400, "immutable_webhook"]);
  deepEqual(await code(`GET /webhooks/${NIL}`), [404, "webhook_not_found"]);
});

test("the webhook of the command line is shown first, and neither stored nor changed", async () => {
  const options = { taskWebhookUrl: URL, taskWebhookAuthorizationHeader: "Bearer abcdefghijklmnop" };
  const fixture = await startFixture({}, "{}", { webhook: options });
  const reserved = { uuid: NIL, isEditable: false, url: URL, headers: { Authorization: "Bearer abXXXX..." } };
  for (let more = 0; more < 20; more++) await send(fixture, "POST", "/webhooks", { url: URL });
  const { results } = await send(fixture, "GET", "/webhooks");
  deepEqual(results[0], reserved);
  equal(results.length, 21);
  deepEqual(await send(fixture, "GET", `/webhooks/${NIL}`), reserved);
  deepEqual(await fixture.code(`PATCH /webhooks/${NIL}`, { url: URL }), [400, "immutable_webhook"]);
  deepEqual(await fixture.code(`DELETE /webhooks/${NIL}`), [400, "immutable_webhook"]);
  equal(fixture.instance.value("webhook", NIL), undefined);
});

test("a webhook of the command line that cannot be called is refused at launch", async () => {
  const { instance } = await startFixture();
  const open = (taskWebhookUrl: string, taskWebhookAuthorizationHeader: string | null) => () =>
    new Webhooks(instance, { taskWebhookUrl, taskWebhookAuthorizationHeader });
  throws(open("nothing", null), /--task-webhook-url/);
  equal(open("http://hooks.example.org", null)().list()[0].url, "http://hooks.example.org/");
  throws(open(URL, "two\nlines"), /--task-webhook-authorization-header/);
  const none = new Webhooks(instance, { taskWebhookUrl: null, taskWebhookAuthorizationHeader: null });
  await rejects(none.delete(OTHER), { code: "webhook_not_found" });
});

test("whoever calls webhooks hears of each that is another one, or gone", async () => {
  const { instance } = await startFixture();
  const heard: string[] = [];
  const webhooks = new Webhooks(instance, NO_WEBHOOK, (uuid) => heard.push(uuid));
  const { uuid } = await webhooks.create(URL, { a: "1" });
  await webhooks.update(uuid, URL, { a: "1" });
  deepEqual(heard, []);
  await webhooks.update(uuid, "http://other.example.org/", undefined);
  await webhooks.update(uuid, undefined, { a: "2" });
  await webhooks.delete(uuid);
  deepEqual(heard, [uuid, uuid, uuid]);
});
