// The JSON of bodies: how deep it may be, that short and long ones are read alike, and for what the long ones
// wait.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { FastifyReply, FastifyRequest } from "fastify";
import { BodyBudget } from "../../src/http/bodybudget.ts";
import { BodyJson } from "../../src/http/bodyjson.ts";
import { JSON_DEPTH_MAX } from "../../src/schemas/depth.ts";

const read = (body: string): Promise<unknown> =>
  new BodyJson(new BodyBudget(2 ** 20)).read({ body, raw: {} } as FastifyRequest);

const nested = (levels: number, inner = ""): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;

test("containers may lie in each other as deep as the bound says, in short and long bodies", async () => {
  for (const inner of ["", " ".repeat(200_000)]) {
    equal(JSON.stringify(await read(nested(JSON_DEPTH_MAX, inner))), nested(JSON_DEPTH_MAX));
    await rejects(read(nested(JSON_DEPTH_MAX + 2, inner)), { code: "malformed_payload" });
  }
});

test("a body that is missing or broken is refused, whether it is short or long", async () => {
  await rejects(read(""), { code: "missing_payload" });
  for (const padding of ["", " ".repeat(200_000)]) {
    deepEqual(await read(`{"a":${padding}1}`), { a: 1 });
    await rejects(read(`{"a":${padding}`), { code: "malformed_payload" });
  }
});

test("half of a surrogate pair is read as U+FFFD in short and long bodies", async () => {
  const texts = {
    "\\ud83d": "\ufffd",
    "\\uDE00 a": "\ufffd a",
    "\\ud83d\\ud83d\\ude00": "\ufffd😀",
    "\\ude00\\ud83d": "\ufffd\ufffd",
    "\\uD83D\\uDE00": "😀",
    "\\\\ud83d": "\\ud83d",
    "\\ud7ff\\ue000": "\ud7ff\ue000",
  };
  for (const [written, meant] of Object.entries(texts)) {
    for (const padding of ["", " ".repeat(200_000)])
      deepEqual(await read(`{"${written}":${padding}"${written}"}`), { [meant]: meant }, written);
  }
});

const LONG = JSON.stringify({ text: "t".repeat(200_000) });

test("a long body whose client has gone is not read", async () => {
  const json = new BodyJson(new BodyBudget(2 ** 20));
  const request = { body: LONG, raw: { socket: { destroyed: true } } } as unknown as FastifyRequest;
  await rejects(json.read(request), { code: "malformed_payload" });
});

test("long bodies are read one after the other", async () => {
  const seen: string[] = [];
  const budget = { add: () => seen.push("end") } as unknown as BodyBudget;
  const json = new BodyJson(budget);
  const request = {
    body: LONG,
    get raw() {
      seen.push("begin");
      return {};
    },
  } as FastifyRequest;
  await Promise.all([json.read(request), json.read(request)]);
  deepEqual(seen, ["begin", "end", "begin", "end"]);
});

test("the objects of a long body take of the memory for bodies", async () => {
  const budget = new BodyBudget(2 ** 20);
  const json = new BodyJson(budget);
  const begin = (body: string) => {
    const request = { body, headers: {}, raw: {} } as FastifyRequest;
    const reply = { raw: new EventEmitter() } as unknown as FastifyReply;
    budget.counted(request, reply, new PassThrough());
    budget.add(request, 1);
    return request;
  };
  const [small, large] = [begin(LONG), begin(`[${"[],".repeat(100_000)}[]]`)];
  deepEqual(await json.read(small), JSON.parse(LONG));
  await rejects(json.read(large), { code: "too_many_search_requests" });
});
