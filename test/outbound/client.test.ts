// Calls over real sockets of this machine, with and without the option that allows them.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { Agent } from "undici";
import { OutboundClient } from "../../src/outbound/client.ts";
import { OutboundFailure, type OutboundReason } from "../../src/outbound/failure.ts";

let server: Server;
let port = 0;
let connections = 0;
let requests = 0;
const open = new OutboundClient(["127.0.0.0/8", "::1"]);
const shut = new OutboundClient([]);

let releaseSlow = () => {};
const slowReleased = new Promise<void>((resolve) => {
  releaseSlow = resolve;
});

const answers: Record<string, RequestListener> = {
  "/echo": async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method, headers } = request;
    response.setHeader("x-twice", ["a", "b"]);
    response.end(JSON.stringify({ method, headers, body: Buffer.concat(pieces).toString() }));
  },
  "/away": (_, response) => response.writeHead(302, { location: "/echo" }).end("elsewhere"),
  "/nowhere": (_, response) => response.writeHead(302).end(),
  "/known": (_, response) => response.writeHead(304, { etag: "v1" }).end(),
  "/soon": (_, response) => {
    response.writeEarlyHints({ link: "</style>; rel=preload" });
    response.writeHead(201).end("made");
  },
  "/missing": (_, response) => response.writeHead(404).end("none"),
  "/large": (_, response) => response.end("x".repeat(100_001)),
  "/silent": () => {},
  "/slow": (_, response) => void slowReleased.then(() => response.end("slow")),
  "/drip": (_, response) => response.write("x"),
  "/cut": (request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("x");
    setTimeout(() => request.socket.destroy(), 20);
  },
  "/broken": (request) => request.socket.end("HTTP/1.1 nonsense\r\n\r\n"),
};

before(async () => {
  server = createServer((request, response) => {
    requests++;
    answers[new URL(request.url!, "http://host").pathname]?.(request, response);
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

after(async () => {
  await Promise.all([open.close(), shut.close()]);
  server.closeAllConnections();
  server.close();
});

const at = (path: string, host = "127.0.0.1") => `http://${host}:${port}${path}`;
const because = (reason: OutboundReason) => (error: unknown) => {
  ok(error instanceof OutboundFailure, String(error));
  equal(error.reason, reason, error.message);
  return true;
};

test("a call carries method, headers and body, and its answer status, headers and body", async () => {
  const request = { method: "POST", headers: { "X-Name": "value" }, body: "text" } as const;
  const { status, headers, body } = await open.request(at("/echo?q=1"), request);
  equal(status, 200);
  equal(headers["x-twice"], "a, b");
  const echo = JSON.parse(Buffer.from(body).toString());
  equal(echo.method, "POST");
  equal(echo.body, "text");
  equal(echo.headers["x-name"], "value");
  equal((await open.request(at("/missing"))).status, 404);
});

test("a stream is sent, and destroyed where it is not wanted", async () => {
  const body = () => Readable.from(["some ", "text"]);
  const sent = await open.request(at("/echo"), { method: "POST", body: body() });
  equal(JSON.parse(Buffer.from(sent.body).toString()).body, "some text");
  const calls: [OutboundReason, string, object][] = [
    ["connection", "http://127.0.0.1:1/", {}],
    ["timeout", at("/silent"), { timeoutMs: 50 }],
  ];
  for (const [reason, url, more] of calls) {
    const unwanted = body();
    await rejects(open.request(url, { method: "POST", body: unwanted, ...more }), because(reason));
    equal(unwanted.destroyed, true, url);
    unwanted.emit("error", new Error("too late"));
  }
});

test("a call that is stopped while the library is loaded sends nothing", async () => {
  const client = new OutboundClient(["any"]);
  const [asked, body, stop] = [requests, Readable.from(["text"]), new AbortController()];
  const call = client.request(at("/echo"), { method: "POST", body, signal: stop.signal });
  stop.abort();
  await rejects(call, because("aborted"));
  deepEqual([body.destroyed, requests], [true, asked]);
  await client.close();
});

test("credentials of the URL are sent unless a header says otherwise", async () => {
  const authorization = async (headers: Record<string, string>) => {
    const { body } = await open.request(at("/echo", "me:se%20cret@127.0.0.1"), { headers });
    return JSON.parse(Buffer.from(body).toString()).headers.authorization;
  };
  equal(await authorization({}), `Basic ${Buffer.from("me:se cret").toString("base64")}`);
});

test("connections are used again", async () => {
  await open.request(at("/echo"));
  const before = connections;
  for (let call = 0; call < 3; call++) await open.request(at("/echo"));
  equal(connections, before);
});

test("private addresses are refused before anything is sent, by number and by name", async () => {
  const [before, asked] = [connections, requests];
  for (const host of ["127.0.0.1", "localhost", "127.1", "0x7f000001", "[::ffff:127.0.0.1]", "[::1]"])
    await rejects(shut.request(at("/echo", host)), because("address"), host);
  deepEqual([connections, requests], [before, asked]);
});

test("names of allowed addresses are called", async () => {
  equal((await open.request(at("/echo", "localhost"))).status, 200);
});

test("redirects are refused, and not followed", async () => {
  const before = requests;
  await rejects(open.request(at("/away")), { reason: "redirect", message: /302 leads to `\/echo`$/ });
  await rejects(open.request(at("/nowhere")), { reason: "redirect", message: /302 leads elsewhere$/ });
  equal(requests, before + 2);
});

test("what is no redirect is an answer: nothing new, and one that was announced", async () => {
  equal((await open.request(at("/known"))).status, 304);
  const { status, body } = await open.request(at("/soon"));
  deepEqual([status, Buffer.from(body).toString()], [201, "made"]);
});

test("a failure has the status of an answer that had begun", async () => {
  const statusOf = (path: string, more = {}) =>
    open.request(at(path), more).then(
      () => -1,
      ({ status }: OutboundFailure) => status,
    );
  equal(await statusOf("/cut"), 200);
  equal(await statusOf("/away"), 302);
  equal(await statusOf("/silent", { timeoutMs: 50 }), null);
});

test("answers have a bound", async () => {
  await rejects(open.request(at("/large"), { answerBytesMax: 100_000 }), because("size"));
  equal((await open.request(at("/large"), { answerBytesMax: 100_001 })).body.length, 100_001);
});

test("silence, dripping and nonsense end in a failure", async () => {
  await rejects(open.request(at("/silent"), { timeoutMs: 50 }), because("timeout"));
  await rejects(open.request(at("/drip"), { timeoutMs: 50 }), because("timeout"));
  await rejects(open.request(at("/broken")), because("connection"));
  await rejects(open.request("http://127.0.0.1:1/"), because("connection"));
});

test("a caller stops its call, and closing stops all", async () => {
  await rejects(open.request(at("/silent"), { signal: AbortSignal.timeout(20) }), because("aborted"));
  const client = new OutboundClient(["any"]);
  const refused = rejects(client.request(at("/silent")), because("aborted"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await client.close();
  await refused;
  await rejects(client.request(at("/echo")), because("aborted"));
});

test("only http and https URLs are called", async () => {
  for (const url of ["", "nothing", "ftp://127.0.0.1/", "file:///etc/hosts"])
    await rejects(open.request(url), because("url"), url);
});

test("a header that HTTP does not allow is told, without what it holds", async () => {
  for (const [name, value] of [
    ["authorization", "Bearer \ufeff"],
    ["authorization", "Bearer a\nb"],
    ["a name", "x"],
    ["content-length", "5"],
  ]) {
    const call = open.request(at("/echo"), { method: "POST", body: "more", headers: { [name]: value } });
    await rejects(call, (error: Error) => because("request")(error) && !error.message.includes(value));
  }
});

test("what cannot be sent, however often and how many at once, is in nobody's way", async () => {
  const bad = () =>
    rejects(open.request(at("/echo"), { headers: { expect: "a miracle" } }), because("request"));
  const good = async (path: string, expected: number) =>
    equal((await open.request(at(path), { timeoutMs: 5000 })).status, expected);
  const times = (count: number, call: () => Promise<void>) => Array.from({ length: count }, call);
  const slow = times(20, () => good("/slow", 200));
  for (let i = 0; i < 40; i++) await bad();
  await Promise.all(times(40, bad));
  // More than there are connections: some wait for one.
  const waiting = [...times(20, () => good("/slow", 200)), ...times(40, bad)];
  releaseSlow();
  await Promise.all([...slow, ...waiting, ...times(40, () => good("/missing", 404)), ...times(40, bad)]);
  await good("/missing", 404);
});

test("nothing of the library is loaded before the first call", () => {
  const client = new URL("../../src/outbound/client.js", import.meta.url).href;
  const script = `
    const { OutboundClient } = await import(${JSON.stringify(client)});
    const caller = new OutboundClient([]);
    const { Module } = await import("node:module");
    const isLoaded = () => Object.keys(Module._cache).some((path) => path.includes("undici"));
    const before = isLoaded();
    await caller.request("http://127.0.0.1/").catch(() => {});
    console.log(before, isLoaded());`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  match(stdout, /^false true$/m);
});

test("an answer that ends before its length is none", async () => {
  await rejects(open.request(at("/cut")), because("connection"));
});

test("a call is given to the library in the turn it is made in, where there was one before", async (t) => {
  await open.request(at("/missing"));
  const dispatch = t.mock.method(Agent.prototype, "dispatch");
  const call = open.request(at("/missing"));
  equal(dispatch.mock.callCount(), 1);
  equal((await call).status, 404);
});

test("many calls may share a signal, of which nobody is warned", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 20 }, () => open.request(at("/missing"), { signal })));
  deepEqual(getEventListeners(signal, "abort"), [], "none of them is kept by it");
  // Warnings come in a turn of their own.
  await new Promise(setImmediate);
  process.off("warning", note);
  deepEqual(warnings, []);
});
