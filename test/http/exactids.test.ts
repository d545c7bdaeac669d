// Numbers that are ids reach routes as they were written, in short and in long bodies; all else is read as
// ever.
import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DocumentsQuery } from "../../src/schemas/documents.ts";
import { type IdPlace, mayRound } from "../../src/schemas/exactids.ts";
import type { SimilarQuery } from "../../src/schemas/similar.ts";
import { parseAtOnce, parseInSlices } from "../../src/schemas/slicedjson.ts";
import { INDEX, startFixture } from "./harness.ts";

const BOUNDS = { depthMax: 100, containersMax: 1000, membersMax: 100, scalarsMax: 9000, textsMax: 1000 };
const LARGE = ["9007199254740992", "9007199254740993", "18446744073709551615"];
const PLACES: IdPlace[] = ["elements", "ids", "id"];
const read = (text: string, place: IdPlace) => parseAtOnce(text, BOUNDS, place);

test("ids are read from their texts, and nothing else is", () => {
  const list = `[${LARGE[1]},[${LARGE[1]}],{"id":${LARGE[1]}},"${LARGE[1]}",7,1.0,-0,1e2,0.25]`;
  const rounded = Number(LARGE[1]);
  deepEqual(read(list, "elements"), [
    LARGE[1],
    [rounded],
    { id: rounded },
    LARGE[1],
    7,
    "1.0",
    "-0",
    "1e2",
    0.25,
  ]);
  for (const place of ["ids", "id"] as const) deepEqual(read(list, place), JSON.parse(list));
  const ids = `[${LARGE},-${LARGE[1]},1.0,-0,1e2,[${LARGE[1]}]]`;
  const body = `{"ids":${ids},"id":${LARGE[1]},"limit":2.0,"a":{"id":${LARGE[1]},"ids":[${LARGE[1]}]}}`;
  const parsed = JSON.parse(body);
  deepEqual(read(body, "ids"), {
    ...parsed,
    ids: [Number(LARGE[0]), LARGE[1], LARGE[2], `-${LARGE[1]}`, 1, -0, 100, [rounded]],
  });
  deepEqual(read(body, "id"), { ...parsed, id: LARGE[1] });
  deepEqual(read(body, "elements"), parsed);
});

test("but for ids, a body is what JSON.parse makes of it, in one go and in slices", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.constantFrom(...PLACES), async (text, place) => {
      const value = read(text, place);
      deepEqual((await parseInSlices(text, BOUNDS, place)).value, value);
      if (!mayRound(text)) deepEqual(value, JSON.parse(text));
    }),
  );
});

test("what is no JSON stays none, and takes no longer than its length", () => {
  const broken = [
    "[1.0",
    "[01.0]",
    "[1.]",
    "[-]",
    "[1.0.0]",
    '["1.0]',
    "[1e]",
    "{1.0:2}",
    "[1.0e+]",
    "1.0 1.0",
  ];
  const quotes = `[1.0,"${'\\"'.repeat(60_000)}`;
  for (const text of [...broken, quotes])
    for (const place of PLACES) throws(() => read(text, place), SyntaxError, text.slice(0, 20));
});

test("ids come to the operations as they were written, from bodies of any length", async () => {
  const fixture = await startFixture({ httpPayloadSizeLimit: 1_000_000 });
  const send = async (path: string, payload: string) => {
    const url = `/indexes/${INDEX}/${path}`;
    const headers = { "content-type": "application/json" };
    const { statusCode } = await fixture.app.inject({ method: "POST", url, headers, payload });
    return statusCode;
  };
  const asked = (name: string) => fixture.calls.findLast(([called]) => called === name)![2];
  const written = [...LARGE, "7", "1.0", "1e2"];
  const long = Array.from({ length: 20_000 }, (_, at) => `${10_000_000 + at}`);
  for (const ids of [written, [...long, ...written]]) {
    equal(await send("documents/delete-batch", `[${ids.join()}]`), 202);
    deepEqual((fixture.registrations.at(-1) as { ids: string[] }).ids, ids);
  }
  for (const ids of [LARGE, [...long, ...LARGE]]) {
    equal(await send("documents/fetch", `{"ids":[${ids.join()}],"limit":3}`), 200);
    deepEqual((asked("documents") as DocumentsQuery).ids, ids);
  }
  for (const wrong of ['"ids":[-0.5]', '"ids":[12.50]', '"ids":[1e400]', '"fields":[1.0]', '"filter":1.0'])
    equal(await send("documents/fetch", `{${wrong}}`), 400, wrong);
  equal(await send("documents/fetch?limits=1", "{}"), 400);
  equal(await send("similar", `{"id":${LARGE[1]},"embedder":"e","rankingScoreThreshold":0.50}`), 200);
  const { id, rankingScoreThreshold } = asked("similar") as SimilarQuery;
  deepEqual([id, rankingScoreThreshold], [LARGE[1], 0.5]);
});
