// The Model Context Protocol at /mcp, spoken by the client of its own library: the tools, and that a key can
// do with them what it can do without.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { putKey } from "../../src/tasks/keys.ts";
import { type Fixture, INDEX, startFixture } from "./harness.ts";
import { bearer, keyValue, MASTER_KEY, READER_UID, storedKey, tenantToken } from "./keyring.ts";

const ANSWER = '{"hits":[{"id":1}]}';

async function startServer() {
  const instance: NonNullable<Parameters<typeof startFixture>[2]>["instance"] = (opened) =>
    putKey(opened, storedKey(READER_UID, ["search"], [INDEX]));
  return startFixture({ masterKey: MASTER_KEY }, ANSWER, { instance });
}

/** A client with a key; its requests reach the application without a network. */
async function connect({ app }: Fixture, key: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    requestInit: { headers: bearer(key) },
    fetch: async (url, init) => {
      const { statusCode, headers, payload } = await app.inject({
        method: (init?.method ?? "GET") as "GET",
        url: new URL(url).pathname,
        headers: Object.fromEntries(new Headers(init?.headers)),
        payload: init?.body as string | undefined,
      });
      const body = [202, 204].includes(statusCode) ? null : payload;
      return new Response(body, {
        status: statusCode,
        headers: { "content-type": `${headers["content-type"]}` },
      });
    },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { isError, told: JSON.parse(text) };
}

test("the tools are listed with schemas of their arguments", async () => {
  const client = await connect(await startServer(), MASTER_KEY);
  const { tools } = await client.listTools();
  const names = ["list_indexes", "search", "get_documents", "get_settings", "get_stats"];
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  );
  for (const { inputSchema, description } of tools) {
    assert.equal(inputSchema.type, "object");
    assert.ok(description);
  }
  const search = tools.find(({ name }) => name === "search");
  assert.deepEqual(search?.inputSchema.required, ["indexUid"]);
});

test("tools answer what the routes answer", async () => {
  const fixture = await startServer();
  const client = await connect(fixture, MASTER_KEY);
  const { told: indexes } = await call(client, "list_indexes");
  assert.deepEqual(
    indexes.results.map(({ uid }: { uid: string }) => uid),
    [INDEX],
  );
  const args = { indexUid: INDEX, q: "tea", filter: "a = 1", limit: 3 };
  assert.deepEqual(await call(client, "search", args), { isError: false, told: JSON.parse(ANSWER) });
  const [, , query] = fixture.calls.find(([name]) => name === "search")!;
  const { q, filter, limit } = query as Record<string, unknown>;
  assert.deepEqual({ q, filter, limit }, { q: "tea", filter: "a = 1", limit: 3 });
  const documents = await call(client, "get_documents", { indexUid: INDEX, ids: ["1"] });
  assert.deepEqual(documents, { isError: false, told: JSON.parse(ANSWER) });
  assert.ok((await call(client, "get_settings", { indexUid: INDEX })).told.rankingRules);
  assert.equal((await call(client, "get_stats", { indexUid: INDEX })).told.numberOfDocuments, 2);
});

test("a key can do with the tools what it can do without them", async () => {
  const fixture = await startServer();
  const reader = await connect(fixture, keyValue(READER_UID));
  assert.equal((await call(reader, "search", { indexUid: INDEX })).isError, false);
  const refused: [string, Record<string, unknown>][] = [
    ["search", { indexUid: "cups" }],
    ["get_settings", { indexUid: INDEX }],
    ["get_documents", { indexUid: INDEX }],
    ["list_indexes", {}],
  ];
  for (const [name, args] of refused) {
    const { isError, told } = await call(reader, name, args);
    assert.deepEqual([isError, told.code], [true, "invalid_api_key"], name);
  }
  const stranger = await connect(fixture, "no key");
  assert.equal((await call(stranger, "search", { indexUid: INDEX })).told.code, "invalid_api_key");
});

test("the filter of a tenant token holds for the search tool", async () => {
  const fixture = await startServer();
  const token = await tenantToken({ searchRules: { [INDEX]: { filter: "owner = 7" } } });
  await call(await connect(fixture, token), "search", { indexUid: INDEX, filter: "a = 1" });
  const [, , query] = fixture.calls.find(([name]) => name === "search")!;
  assert.deepEqual((query as { filter: unknown }).filter, ["owner = 7", "a = 1"]);
});

test("what does not fit is told in words, for the model to try again", async () => {
  const client = await connect(await startServer(), MASTER_KEY);
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ["serch", {}, /no tool `serch`.*`search`/],
    ["search", {}, /`indexUid` is missing/],
    ["search", { indexUid: INDEX, limit: "3" }, /`\.limit`/],
    ["search", { indexUid: INDEX, query: "tea" }, /`query`/],
    ["search", { indexUid: "../tasks" }, /\.\.\/tasks/],
    ["get_stats", { indexUid: ".." }, /an index uid.*`\.\.`/],
    ["get_settings", { indexUid: "" }, /an index uid/],
  ];
  for (const [name, args, message] of wrong) {
    const { isError, told } = await call(client, name, args);
    assert.equal(isError, true);
    assert.match(told.message, message);
  }
});

test("parameters of a wrong form are told by their place, as the caller's mistake", async () => {
  const { app } = await startServer();
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const wrong: [string, unknown, RegExp][] = [
    ["tools/call", { name: "search", arguments: [1] }, /^`params\.arguments`: .*expected record.*array$/],
    ["tools/call", { name: "search", arguments: "x" }, /^`params\.arguments`: .*expected record.*string$/],
    ["tools/call", { name: 5 }, /^`params\.name`: .*expected string.*number$/],
    ["tools/call", undefined, /^`params`: .*expected object/],
    ["tools/list", { cursor: 5 }, /^`params\.cursor`: .*expected string/],
    ["initialize", {}, /^`params\.protocolVersion`: .*expected string/],
  ];
  for (const [method, params, message] of wrong) {
    const payload = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
    const answer = await app.inject({ method: "POST", url: "/mcp", headers, payload });
    const { id, error } = answer.json();
    assert.deepEqual([answer.statusCode, id, error.code], [200, 7, -32602], method);
    assert.match(error.message, message);
  }
});

test("without a key or with a wrong one a tool refuses as its route does", async () => {
  const { app } = await startServer();
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const params = { name: "list_indexes" };
  const payload = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const keys: [object, string][] = [
    [{}, "missing_authorization_header"],
    [bearer("wrong"), "invalid_api_key"],
  ];
  for (const [key, code] of keys) {
    const answer = await app.inject({
      method: "POST",
      url: "/mcp",
      headers: { ...headers, ...key },
      payload,
    });
    const { isError, content } = answer.json().result;
    assert.deepEqual([isError, JSON.parse(content[0].text).code], [true, code]);
  }
});

test("what is no message of the protocol is refused", async () => {
  const { app } = await startServer();
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const send = (payload: string) => app.inject({ method: "POST", url: "/mcp", headers, payload });
  for (const payload of ["{}", "[1]", "null"]) assert.equal((await send(payload)).statusCode, 400);
  const unknown = await send('{"jsonrpc":"2.0","id":1,"method":"nothing"}');
  assert.equal(unknown.json().error.code, -32601);
  assert.equal((await app.inject({ method: "GET", url: "/mcp" })).statusCode, 405);
});
