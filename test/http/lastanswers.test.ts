// Refusals of uploads whose clients send everything before they read anything.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { collectGarbage } from "../garbage.ts";
import { type Fixture, INDEX, startFixture } from "./harness.ts";

const SOON = { timeout: 20_000 };
/** More than the system keeps for a connection that nobody reads. */
const BODY = Buffer.alloc(32 * 2 ** 20, "[");
const DOCUMENTS = `/indexes/${INDEX}/documents`;

const fixtures: Fixture[] = [];
after(() => Promise.all(fixtures.map(({ app }) => app.close())));

async function open(httpPayloadSizeLimit = 2 * BODY.length, allowHalfOpen = false): Promise<Socket> {
  const fixture = await startFixture({ httpPayloadSizeLimit });
  fixtures.push(fixture);
  await fixture.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = fixture.app.server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen });
  await once(socket, "connect");
  return socket;
}

/** `next`: goes on in one piece with the body. Rejects when the connection breaks. */
function sendAll(socket: Socket, head: string, type: string, next = ""): Promise<void> {
  const length = `content-length: ${BODY.length}`;
  socket.write(`${head}\r\nhost: x\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.write(Buffer.concat([BODY, Buffer.from(next)]), () => resolve());
  });
}

/** What has come when the server ends the connection. */
async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) text += chunk;
  return text;
}

/** Of the latest connection. */
async function serverHasClosed(): Promise<void> {
  const { server } = fixtures.at(-1)!.app;
  const count = promisify(server.getConnections.bind(server));
  while ((await count()) > 0) await delay(5);
}

test("who sends all before reading sees the refusal, and then the end of the connection", SOON, async () => {
  const refused = [
    [`POST ${DOCUMENTS} HTTP/1.1\r\nconnection: close`, "text/csv-not", 415],
    [`POST ${DOCUMENTS} HTTP/1.0`, "text/csv-not", 415],
    [`POST ${DOCUMENTS} HTTP/1.1\r\nconnection: close`, "application/json", 413, 1000],
    [`POST /indexes/${INDEX}/search HTTP/1.1\r\nconnection: close`, "text/csv", 415],
    [`PATCH /indexes/${INDEX}/settings HTTP/1.1`, "application/json", 413, 1000],
    ["POST /nowhere HTTP/1.0", "application/json", 404],
  ] as const;
  for (const [head, type, status, limit] of refused) {
    const socket = await open(limit);
    await sendAll(socket, head, type);
    const text = await textOf(socket);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, "i"), head);
    assert.equal(text.match(/HTTP\/1/g)?.length, 1);
  }
});

test("a connection that is kept goes on after a refused body that was read in part", SOON, async () => {
  const socket = await open();
  await sendAll(socket, `POST /indexes/${INDEX}/search HTTP/1.1`, "text/csv");
  socket.write("GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  assert.deepEqual((await textOf(socket)).match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 415", "HTTP/1.1 200"]);
});

test("what comes after the last answer is no request", SOON, async () => {
  const socket = await open(1000, true);
  const { app } = fixtures.at(-1)!;
  const head = `PATCH /indexes/${INDEX}/settings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: 2000\r\n\r\n`);
  const ended = once(socket, "end");
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  await ended;
  const next = "DELETE /tasks?types=dumpCreation HTTP/1.1\r\nhost: x";
  socket.write(`${"[".repeat(2000)}${next}\r\n\r\n`);
  await serverHasClosed();
  socket.destroy();
  const { results } = (await app.inject("/tasks?types=taskDeletion")).json();
  assert.deepEqual(results, []);
});

test("a connection that idles does not keep its last request", SOON, async () => {
  const socket = await open();
  let last: WeakRef<IncomingMessage> | null = null;
  fixtures.at(-1)!.app.server.on("request", (request) => {
    last = new WeakRef(request);
  });
  socket.write(`POST /indexes/${INDEX}/search HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`);
  socket.write("content-length: 2\r\n\r\n{}");
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 200 /);
  const isKept = () => last!.deref() !== undefined;
  for (let tries = 0; tries < 20 && isKept(); tries++) {
    await turn();
    collectGarbage();
  }
  assert.equal(isKept(), false);
  assert.equal(socket.readyState, "open");
  socket.destroy();
});

test("the end is told before the body has come; then nothing holds the connection", SOON, async () => {
  // This client leaves its side open as long as the server does.
  const socket = await open(undefined, true);
  socket.write("POST /nowhere HTTP/1.0\r\ncontent-length: 1000\r\n\r\n[");
  assert.match(await textOf(socket), /^HTTP\/1\.1 404 /);
  socket.write(Buffer.alloc(999));
  await serverHasClosed();
  socket.destroy();
});

test("what follows a refused body on a connection that ends is not done", SOON, async () => {
  const socket = await open(1000);
  const { app } = fixtures.at(-1)!;
  const deletion = `DELETE /indexes/${INDEX} HTTP/1.1\r\nhost: x\r\n\r\n`;
  await sendAll(socket, `PATCH /indexes/${INDEX}/settings HTTP/1.1`, "application/json", deletion);
  assert.deepEqual((await textOf(socket)).match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 413"]);
  await serverHasClosed();
  const { results } = (await app.inject("/tasks?types=indexDeletion")).json();
  assert.deepEqual(results, []);
});

test("a server that closes does not wait for a body whose request is answered", SOON, async () => {
  const socket = await open();
  const { app } = fixtures.at(-1)!;
  socket.write("POST /nowhere HTTP/1.0\r\ncontent-length: 1000000\r\n\r\n[");
  const [chunk] = await once(socket, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 404 /);
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await app.close();
  socket.destroy();
  await closed;
});
