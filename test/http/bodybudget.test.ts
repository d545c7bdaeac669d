// What the bodies of JSON routes take of their common memory, and when they give it back.
import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { announcesLittle, BodyBudget } from "../../src/http/bodybudget.ts";
import { INDEX, startFixture } from "./harness.ts";

type Counted = Parameters<BodyBudget["counted"]>;

const KIBIBYTE = 1024;

/** A body that announces no length, and the end of its answer. */
function begin(budget: BodyBudget) {
  const socket = new PassThrough();
  const raw = new EventEmitter();
  const request = { headers: {} } as unknown as Counted[0];
  const body = budget.counted(request, { raw } as unknown as Counted[1], socket);
  const send = (kibibytes: number) => socket.write(Buffer.alloc(kibibytes * KIBIBYTE));
  const addKibibytes = (kibibytes: number) => budget.add(request, kibibytes * KIBIBYTE);
  return { socket, send, addKibibytes, bytes: buffer(body), answer: () => raw.emit("close") };
}

test("what comes after the answer takes nothing from the bodies that follow", async () => {
  const budget = new BodyBudget(100 * KIBIBYTE);
  const refused = begin(budget);
  refused.send(10);
  refused.answer();
  refused.send(95);
  refused.socket.end();
  equal((await refused.bytes).length, 105 * KIBIBYTE);
  const next = begin(budget);
  next.send(50);
  next.socket.end();
  equal((await next.bytes).length, 50 * KIBIBYTE);
});

test("a body that is one too many is refused, and taken when the other was answered", async () => {
  const budget = new BodyBudget(100 * KIBIBYTE);
  const first = begin(budget);
  first.send(60);
  first.socket.end();
  await first.bytes;
  const second = begin(budget);
  second.send(60);
  await rejects(second.bytes, { code: "too_many_search_requests" });
  second.answer();
  first.answer();
  const [third, fourth] = [begin(budget), begin(budget)];
  third.send(60);
  third.socket.end();
  equal((await third.bytes).length, 60 * KIBIBYTE);
  fourth.send(40);
  fourth.socket.end();
  equal((await fourth.bytes).length, 40 * KIBIBYTE, "just the bound");
});

test("who reads a body is told that it broke off", async () => {
  const { socket, send, bytes } = begin(new BodyBudget(100 * KIBIBYTE));
  send(10);
  socket.destroy(new Error("connection reset"));
  await rejects(bytes, /connection reset/);
});

test("what is made of a body counts like the body, and is given back with it", async () => {
  const budget = new BodyBudget(100 * KIBIBYTE);
  const [first, second] = [begin(budget), begin(budget)];
  for (const { send, socket, bytes } of [first, second]) {
    send(10);
    socket.end();
    await bytes;
  }
  first.addKibibytes(60);
  throws(() => second.addKibibytes(30), { code: "too_many_search_requests" });
  first.answer();
  second.addKibibytes(30);
});

test("only a body that announces few bytes is not counted", () => {
  const lengths = ["0", String(64 * KIBIBYTE - 1), String(64 * KIBIBYTE), undefined, "x"];
  const requests = lengths.map((length) => ({ headers: { "content-length": length } }) as Counted[0]);
  deepEqual(requests.map(announcesLittle), [true, true, false, false, false]);
});

test("a compressed body is counted, however short it is announced", async () => {
  const counted: boolean[] = [];
  const { app } = await startFixture({}, "{}", {
    app: (server) =>
      server.addHook("preValidation", async (request) => {
        counted.push(!announcesLittle(request));
      }),
  });
  const payload = gzipSync(JSON.stringify({ q: " ".repeat(90_000) }));
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const { statusCode } = await app.inject({
    method: "POST",
    url: `/indexes/${INDEX}/search`,
    headers,
    payload,
  });
  deepEqual([statusCode, counted.at(-1)], [200, true]);
});
