// The JSON of bodies: how deep it may be, and that short and long ones are read alike.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
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
