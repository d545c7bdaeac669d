// What only shows on a real connection: keeping it after a refusal, uploads that stop half way.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { CONNECTION_LIMITS } from "../../src/http/connections.ts";
import { type Fixture, INDEX, startFixture } from "./harness.ts";

/** What a server fails to do shows in that nothing comes. */
const SOON = { timeout: 20_000 };
/** Longer than this process, which reads its own answers, is kept from reading by others on its machine. */
const BUSY_MS = 500;

const fixtures: Fixture[] = [];
after(() => Promise.all(fixtures.map(({ app }) => app.close())));

async function listen(
  httpPayloadSizeLimit = 1000,
  connections = CONNECTION_LIMITS,
): Promise<{ socket: Socket; fixture: Fixture; port: number }> {
  const fixture = await startFixture({ httpPayloadSizeLimit }, "{}", { connections });
  fixtures.push(fixture);
  await fixture.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = fixture.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return { socket, fixture, port };
}

function request(line: string, body: string, more = ""): string {
  const headers = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${more}`;
  return `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
}

/** Sends and returns the status of the next answer. */
async function statusOf(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [chunk] = await once(socket, "data");
  return String(chunk).split(" ")[1];
}

test("a connection survives refused bodies", async () => {
  const { socket } = await listen();
  assert.equal(await statusOf(socket, request("POST /indexes", "{")), "400");
  assert.equal(await statusOf(socket, request("POST /indexes", "")), "400");
  assert.equal(await statusOf(socket, request("POST /indexes", "{}")), "400");
  assert.equal(await statusOf(socket, request(`POST /indexes/${INDEX}/documents`, "[1]")), "400");
  assert.equal(await statusOf(socket, request("POST /indexes", '{"uid":"a"}')), "202");
  socket.destroy();
});

test("an upload that announces too much is refused before it is sent", async () => {
  const { socket } = await listen();
  const head = request(`POST /indexes/${INDEX}/documents`, "").replace("length: 0", "length: 5000");
  assert.equal(await statusOf(socket, head), "413");
  socket.destroy();
});

test("an upload that is cut off leaves nothing behind", async () => {
  const { socket, fixture } = await listen(10_000_000);
  const head = request(`POST /indexes/${INDEX}/documents`, "").replace("length: 0", "length: 9000000");
  // So much that it gets a file of its own.
  socket.write(`${head}[${'{"id":1,"text":"some text"},'.repeat(50_000)}`);
  while (fixture.storage.list("payloads").length === 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  socket.destroy();
  while (fixture.storage.list("payloads").length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(fixture.registrations, []);
});

const QUICK = { ...CONNECTION_LIMITS, bodyPeriodMs: 30, bodyBytesMin: 100 };

/** Everything that comes until the connection ends. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  await once(socket, "close");
  return text;
}

test("a body that drips is refused with 408, an upload that goes on is not", async () => {
  const { socket, fixture } = await listen(10_000_000, QUICK);
  const head = request(`POST /indexes/${INDEX}/documents`, "").replace("length: 0", "length: 9000000");
  socket.write(head);
  const drip = setInterval(() => socket.write(" "), 10);
  const answer = await rest(socket);
  clearInterval(drip);
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.equal(JSON.parse(answer.split("\r\n\r\n")[1]).code, "bad_request");
  assert.deepEqual(fixture.registrations, []);

  const { socket: steady } = await listen(10_000_000, QUICK);
  const text = `[${Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, text: "x".repeat(400) }))}]`;
  const first = once(steady, "data");
  steady.write(
    request(`POST /indexes/${INDEX}/documents`, "").replace("length: 0", `length: ${text.length}`),
  );
  // Much longer than a period, in pieces that each period gets some of.
  for (let at = 0; at < text.length; at += 400) {
    steady.write(text.slice(at, at + 400));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.match(String((await first)[0]), /^HTTP\/1\.1 202 /);
  steady.destroy();
});

test("a body that goes on after its request was refused may not drip either", SOON, async () => {
  for (const more of ["", "connection: close\r\n"]) {
    const { socket } = await listen(10_000_000, QUICK);
    // So that the end of the answer does not end the body.
    socket.allowHalfOpen = true;
    socket.on("error", () => {});
    const head = request("POST /indexes/nowhere/search", "", more).replace("length: 0", "length: 9000000");
    const answered = once(socket, "data");
    // Refused before its body is read.
    socket.write(head.replace("application/json", "text/csv"));
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 415 /);
    const drip = setInterval(() => socket.write(" "), 10);
    // `once` would reject when a drip finds the connection cut.
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(drip);
  }
});

test("nor may a compressed body that turned out to be broken, or that nobody reads", async () => {
  const sound = gzipSync(randomBytes(200_000)).subarray(0, 150_000);
  for (const [type, sent] of [
    ["application/json", Buffer.from("zz")],
    ["text/csv", Buffer.from("zz")],
    ["text/csv", sound],
  ] as const) {
    const { socket } = await listen(10_000_000, QUICK);
    const head = request("POST /indexes/nowhere/search", "", "content-encoding: gzip\r\n");
    const answered = once(socket, "data");
    socket.on("error", () => {});
    socket.write(head.replace("length: 0", "length: 9000000").replace("application/json", type));
    socket.write(sent);
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 4\d\d /);
    const drip = setInterval(() => socket.write(" "), 10);
    await once(socket, "close");
    clearInterval(drip);
  }
});

test("what is no request gets an error object, and so does a head that is too long", async () => {
  for (const [text, status] of [
    ["this is no HTTP\r\n\r\n", 400],
    [`GET /health HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(70_000)}\r\n\r\n`, 431],
    [`GET /${"y".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ["POST /indexes HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n", 400],
    ["GET /health HTTP/1.1\r\nhost: x\r\nx: a\nb: c\u0000\r\n\r\n", 400],
    ["GET /health HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    ["NOTHING /health HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["GET /health HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\n\r\n", 417],
  ] as const) {
    const { socket } = await listen();
    socket.write(text);
    const answer = await rest(socket);
    assert.equal(answer.split(" ")[1], String(status), text.slice(0, 40));
    assert.equal(JSON.parse(answer.split("\r\n\r\n")[1]).code, "bad_request");
  }
});

test("letters that a URL cannot hold as they are are named as the reason", async () => {
  // The parser of Node before 20.19 lets them through.
  const reason = process.versions.llhttp?.startsWith("8.") ? /`a` not found|an index uid/ : /percent-encoded/;
  for (const target of ["/indexes/a/search?q=caf\u00e9", "/indexes/\u00e9"]) {
    const { socket } = await listen();
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const [, body] = (await rest(socket)).split("\r\n\r\n");
    assert.match(JSON.parse(body).message, reason);
  }
});

test("connections above the bound are closed; others go on", async () => {
  const { socket, port } = await listen(1000, { ...CONNECTION_LIMITS, connectionsMax: 2 });
  const second = connect(port, "127.0.0.1");
  assert.equal(await statusOf(second, request("GET /health", "")), "200");
  const third = connect(port, "127.0.0.1");
  assert.equal(await rest(third), "");
  assert.equal(await statusOf(socket, request("GET /health", "")), "200");
  for (const one of [socket, second]) one.destroy();
});

test("an idle connection is kept for longer than the proxies that we know keep it", async () => {
  const { socket } = await listen();
  const told = once(socket, "data");
  socket.write(request("GET /health", ""));
  const [, seconds] = /keep-alive: timeout=(\d+)/i.exec(String((await told)[0])) ?? [];
  // Caddy keeps it for two minutes, others for less.
  assert.ok(Number(seconds) > 120);
  socket.destroy();
});

test("a server that closes answers what it has begun, and refuses what is new", async () => {
  const { socket, fixture, port } = await listen();
  let answer = (_: Uint8Array) => {};
  fixture.engine.search = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const idle = connect(port, "127.0.0.1");
  assert.equal(await statusOf(idle, request("GET /health", "")), "200");
  socket.write(`GET /indexes/${INDEX}/search HTTP/1.1\r\nhost: x\r\n\r\n`);
  while (fixture.calls.every(([name]) => name !== "handle")) await new Promise((done) => setTimeout(done, 2));
  const ended = Promise.all([rest(socket), rest(idle)]);
  const closed = fixture.app.close();
  await new Promise((done) => setTimeout(done, 50));
  idle.write(request("GET /health", ""));
  await new Promise((done) => setTimeout(done, 50));
  answer(new TextEncoder().encode('{"hits":[]}'));
  const [last, refused] = await ended;
  await closed;
  assert.match(last, /^HTTP\/1\.1 200 [\s\S]*\{"hits":\[\]\}$/);
  assert.match(last, /connection: close/i);
  assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*retry-after: \d+[\s\S]*"code":"server_closing"/);
});

test("a server that closes does not wait for ever", async () => {
  const { socket, fixture } = await listen(1000, { ...CONNECTION_LIMITS, closingMsMax: 40 });
  fixture.engine.search = () => new Promise(() => {});
  socket.write(`GET /indexes/${INDEX}/search HTTP/1.1\r\nhost: x\r\n\r\n`);
  const ended = rest(socket);
  await new Promise((done) => setTimeout(done, 50));
  await fixture.app.close();
  assert.equal(await ended, "");
});

test("large bodies that come at once take a bounded memory: one too many is told to come again", async () => {
  const limits = { ...CONNECTION_LIMITS, bodiesBytesMax: 150_000 };
  const { socket, fixture, port } = await listen(10_000_000, limits);
  const body = JSON.stringify({ q: "x".repeat(100_000) });
  const whole = request(`POST /indexes/${INDEX}/search`, body);
  const first = once(socket, "data");
  const arrival = once(fixture.app.server, "request");
  socket.write(whole.slice(0, -1));
  const [arrived] = await arrival;
  while (arrived.socket.bytesRead < whole.length - 1) await new Promise((done) => setTimeout(done, 2));
  const second = connect(port, "127.0.0.1");
  await new Promise((done) => setTimeout(done, 50));
  second.write(whole);
  const refused = await rest(second);
  assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*retry-after: \d+/);
  socket.write(whole.slice(-1));
  assert.match(String((await first)[0]), /^HTTP\/1\.1 200 /);
  // Its memory is free again; one alone may be larger than all together.
  const larger = JSON.stringify({ q: "x".repeat(400_000) });
  assert.equal(await statusOf(socket, request(`POST /indexes/${INDEX}/search`, larger)), "200");
  socket.destroy();
});

test("of requests in one go some are answered at a time, and few for a client that has gone", async () => {
  const { socket, fixture, port } = await listen();
  const answers: ((answer: Uint8Array) => void)[] = [];
  let begun = 0;
  fixture.engine.search = () => {
    begun++;
    return new Promise((resolve) => answers.push(resolve));
  };
  const empty = new TextEncoder().encode("{}");
  const search = request(`GET /indexes/${INDEX}/search`, "");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(search.repeat(50));
  await new Promise((done) => setTimeout(done, 100));
  assert.ok(begun > 0 && begun < 50, `${begun} at once`);
  while (text.split("HTTP/1.1 200 ").length <= 50) {
    for (const answer of answers.splice(0)) answer(empty);
    await new Promise((done) => setTimeout(done, 2));
  }
  assert.equal(begun, 50);
  const gone = connect(port, "127.0.0.1");
  gone.write(search.repeat(50));
  while (answers.length === 0) await new Promise((done) => setTimeout(done, 2));
  gone.destroy();
  await new Promise((done) => setTimeout(done, 50));
  for (let round = 0; round < 20; round++) {
    for (const answer of answers.splice(0)) answer(empty);
    await new Promise((done) => setTimeout(done, 2));
  }
  assert.ok(begun < 100, `${begun - 50} of 50 for a client that has gone`);
  socket.destroy();
});

test("a long answer that nobody reads ends its connection", SOON, async () => {
  const { socket, fixture } = await listen(1000, { ...CONNECTION_LIMITS, unreadMsMax: 50 });
  fixture.engine.search = async () => new Uint8Array(64 * 2 ** 20).fill(32);
  const arrival = once(fixture.app.server, "request");
  socket.pause();
  socket.write(request(`GET /indexes/${INDEX}/search`, ""));
  const [arrived] = await arrival;
  await once(arrived.socket, "close");
  socket.destroy();
});

test("long answers that nobody reads have a bound together", SOON, async () => {
  const limits = { ...CONNECTION_LIMITS, unreadBytesMax: 40 * 2 ** 20 };
  const { socket, fixture, port } = await listen(1000, limits);
  fixture.engine.search = async () => new Uint8Array(32 * 2 ** 20).fill(32);
  const search = request(`GET /indexes/${INDEX}/search`, "");
  const arrival = once(fixture.app.server, "request");
  socket.pause();
  socket.write(search);
  const [arrived] = await arrival;
  // Any other answer is too much beside this one, once it is not new any more.
  for (let others = 0; !arrived.socket.destroyed; others++) {
    const another = connect(port, "127.0.0.1");
    assert.equal(await statusOf(another, search), "200");
    if (others === 0) assert.equal(arrived.socket.destroyed, false);
    another.destroy();
    await new Promise((done) => setTimeout(done, 200));
  }
  socket.destroy();
});

test("a long answer behind another one has to be read, and a slow search has its time", SOON, async () => {
  const { socket, fixture } = await listen(1000, { ...CONNECTION_LIMITS, unreadMsMax: BUSY_MS });
  const long = new Uint8Array(32 * 2 ** 20).fill(32);
  const search = request(`GET /indexes/${INDEX}/search`, "");
  let received = 0;
  socket.on("data", (chunk) => {
    received += chunk.length;
  });
  const answered = async (length: number) => {
    while (received < length) await once(socket, "data");
  };
  let searches = 0;
  fixture.engine.search = async () => {
    if (++searches === 2) await new Promise((done) => setTimeout(done, 2 * BUSY_MS));
    return long;
  };
  socket.write(search.repeat(2));
  await answered(2 * long.length);
  const arrival = once(fixture.app.server, "request");
  socket.write(search.repeat(2));
  const [arrived] = await arrival;
  await answered(3 * long.length + 4096);
  socket.pause();
  await once(arrived.socket, "close");
  socket.destroy();
});

test("searches of clients that went before their turn came are not run", SOON, async () => {
  const { socket, fixture, port } = await listen();
  const answers: ((answer: Uint8Array) => void)[] = [];
  fixture.engine.search = () => new Promise((resolve) => answers.push(resolve));
  const clients = Array.from({ length: 60 }, () => connect(port, "127.0.0.1"));
  for (const client of clients) client.write(request(`GET /indexes/${INDEX}/search`, ""));
  let arrived = 0;
  fixture.app.server.on("request", () => arrived++);
  while (arrived < clients.length) await new Promise((done) => setTimeout(done, 2));
  await new Promise((done) => setTimeout(done, 50));
  const begun = answers.length;
  assert.ok(begun < clients.length, `${begun} at once`);
  for (const client of clients) client.destroy();
  await new Promise((done) => setTimeout(done, 50));
  for (const answer of answers) answer(new TextEncoder().encode("{}"));
  const last = statusOf(socket, request(`GET /indexes/${INDEX}/search`, ""));
  while (answers.length === begun) await new Promise((done) => setTimeout(done, 2));
  answers[begun](new TextEncoder().encode("{}"));
  assert.equal(await last, "200");
  assert.equal(answers.length, begun + 1);
});

test("headers behind very many others count", async () => {
  const { socket } = await listen();
  const many = "a: b\r\n".repeat(2500);
  const search = `GET /indexes/${INDEX}/search HTTP/1.1\r\nhost: x\r\n${many}authorization: Basic x\r\n\r\n`;
  assert.equal(await statusOf(socket, search), "401");
  socket.destroy();
});
