// What only shows on a real connection: keeping it after a refusal, uploads that stop half way.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { type Fixture, INDEX, startFixture } from "./harness.ts";

const fixtures: Fixture[] = [];
after(() => Promise.all(fixtures.map(({ app }) => app.close())));

async function listen(httpPayloadSizeLimit = 1000): Promise<{ socket: Socket; fixture: Fixture }> {
  const fixture = await startFixture({ httpPayloadSizeLimit });
  fixtures.push(fixture);
  await fixture.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = fixture.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return { socket, fixture };
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
