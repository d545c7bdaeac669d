// Numbers that are ids reach routes as they were written, in short and in long bodies.
import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactValue, withExactNumbers } from "../../src/http/exactnumbers.ts";
import { parseInSlices } from "../../src/http/slicedjson.ts";
import type { DocumentsQuery } from "../../src/schemas/documents.ts";
import { INDEX, startFixture } from "./harness.ts";

const BOUNDS = { depthMax: 100, containersMax: 1000, membersMax: 100, scalarsMax: 9000, textsMax: 1000 };
const LARGE = ["9007199254740992", "9007199254740993", "18446744073709551615"];

test("a number that would read otherwise is a text, in one go and in slices; all else stays", async () => {
  const literals = ["1", "-7", "0", "-0", "1.0", "1e2", "0.25", "12345678901234567890", "1E-7", "1.50"];
  const scalar = fc.oneof(
    fc.constantFrom(...literals),
    fc.string().map((text) => JSON.stringify(text)),
  );
  const member = fc.tuple(fc.string(), scalar).map(([name, value]) => `{${JSON.stringify(name)}:${value}}`);
  const json = fc.array(fc.oneof(scalar, member)).map((values) => `[${values.join(" , ")}]`);
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      const read = JSON.parse(withExactNumbers(text));
      deepEqual((await parseInSlices(text, BOUNDS, exactValue)).value, read);
      const asNumbers = (_: string, value: unknown) =>
        typeof value === "string" && literals.includes(value) ? Number(value) : value;
      deepEqual(JSON.parse(JSON.stringify(read), asNumbers), JSON.parse(text, asNumbers));
    }),
  );
  deepEqual(JSON.parse(withExactNumbers(`[${literals.join()},"1.0 \\"1.0",{"1.0":2}]`)), [
    ...[1, -7, 0, "-0", "1.0", "1e2", 0.25, "12345678901234567890", "1E-7", "1.50", '1.0 "1.0', { "1.0": 2 }],
  ]);
});

test("what is no JSON stays none", () => {
  const broken = [
    "[1.0",
    "[01.0]",
    "[1.]",
    "[-]",
    "[1.0.0]",
    '["1.0]',
    "[1e]",
    "[--1.0]",
    "[1.0e+]",
    "1.0 1.0",
  ];
  for (const text of broken) throws(() => JSON.parse(withExactNumbers(text)), SyntaxError, text);
});

test("ids come to the operations as they were written, from bodies of any length", async () => {
  const fixture = await startFixture({ httpPayloadSizeLimit: 1_000_000 });
  const send = async (path: string, payload: string) => {
    const url = `/indexes/${INDEX}/documents/${path}`;
    const headers = { "content-type": "application/json" };
    const { statusCode } = await fixture.app.inject({ method: "POST", url, headers, payload });
    return statusCode;
  };
  const written = [...LARGE, "7", "1.0", "1e2"];
  const long = Array.from({ length: 20_000 }, (_, at) => `${10_000_000 + at}`);
  for (const ids of [written, [...long, ...written]]) {
    equal(await send("delete-batch", `[${ids.join()}]`), 202);
    deepEqual((fixture.registrations.at(-1) as { ids: string[] }).ids, ids);
  }
  equal(await send("fetch", `{"ids":[${LARGE.join()}],"limit":3}`), 200);
  const [, , query] = fixture.calls.findLast(([name]) => name === "documents")!;
  deepEqual((query as DocumentsQuery).ids, LARGE);
  for (const wrong of ["1.0", "-0.5", "12.50"]) equal(await send("fetch", `{"ids":[${wrong}]}`), 400, wrong);
  equal(await send("fetch?limits=1", "{}"), 400);
});
