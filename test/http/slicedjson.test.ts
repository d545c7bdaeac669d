// Long bodies are read in slices: as the same values as short ones, within bounds, and while others are
// answered.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { JsonExcess, parseInSlices } from "../../src/schemas/slicedjson.ts";
import { INDEX, startFixture } from "./harness.ts";

const BOUNDS = { depthMax: 100, containersMax: 1000, membersMax: 100, scalarsMax: 1000, textsMax: 1000 };
/** UTF-8 has no halves of surrogate pairs. */
const inUtf8 = (text: string) => Buffer.from(text).toString();
const parsed = async (text: string) => (await parseInSlices(text, BOUNDS)).value;

test("a text read in slices is what JSON.parse makes of it", async () => {
  const spaces = fc.constantFrom("", " ", "\n\t", "\r\n");
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 5 }), spaces, async (json, space) => {
      const spaced = json.replace(/^[[{]/, `$&${space}`);
      deepEqual(await parsed(space + spaced + space), JSON.parse(spaced));
    }),
  );
});

test("a text broken anywhere is refused in slices as by JSON.parse", async () => {
  const sources = ['{"a":[1,-2.5e3,"x\\"\\\\",true],"b":{"c":null}}', "[[],{},[{}]]", '"\\ud83d\\u0041"'];
  for (const source of sources) {
    for (let at = 0; at < source.length; at++) {
      for (const part of ["", ",", '"', "]", "}", "0", "\\", " ", "\n", "-"]) {
        const text = source.slice(0, at) + part + source.slice(at + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(text, (_, value) => (typeof value === "string" ? inUtf8(value) : value));
        } catch {
          await rejects(parsed(text), SyntaxError, text);
          continue;
        }
        deepEqual(await parsed(text), expected, text);
      }
    }
  }
});

test("a field named like the prototype is a field", async () => {
  const value = (await parsed('{"__proto__":{"a":1},"constructor":2,"a":1,"a":3}')) as object;
  equal(Object.getPrototypeOf(value), Object.prototype);
  deepEqual(Object.entries(value), [
    ["__proto__", { a: 1 }],
    ["constructor", 2],
    ["a", 3],
  ]);
});

test("each bound is refused one beyond it", async () => {
  const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;
  const fields = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join()}}`;
  const bounds = { depthMax: 3, containersMax: 6, membersMax: 4, scalarsMax: 5, textsMax: 4 };
  const pairs = [
    [list(5, "[]"), list(6, "[]")],
    ["[[[[]]]]", "[[[[[]]]]]"],
    [fields(4), fields(5)],
    [list(5, "1"), list(6, "1")],
    [list(4, '"a"'), list(5, '"a"')],
  ];
  for (const [allowed, excess] of pairs) {
    deepEqual((await parseInSlices(allowed, bounds)).value, JSON.parse(allowed));
    await rejects(parseInSlices(excess, bounds), JsonExcess, excess);
  }
});

test("others have their turn while a long body is read", async () => {
  let isRead = false;
  let turns = 0;
  const text = `[${"[],".repeat(200_000)}[]]`;
  const reading = parseInSlices(text, { ...BOUNDS, containersMax: 300_000 }).then(() => {
    isRead = true;
  });
  for (; !isRead; turns++) await turn();
  await reading;
  equal(turns > 1, true);
});

test("a body with millions of containers, words or fields is refused, whatever it is about", async () => {
  const { app, code } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const bodies = {
    filter: `{"filter":[${"[],".repeat(2_000_000)}[]]}`,
    attributesToRetrieve: `{"attributesToRetrieve":[${'"a",'.repeat(1_000_000)}"a"]}`,
    q: `{"q":{${Array.from({ length: 262_145 }, (_, i) => `"${i}":0`).join()}}}`,
  };
  for (const [name, payload] of Object.entries(bodies)) {
    const headers = { "content-type": "application/json" };
    const url = `/indexes/${INDEX}/search`;
    const answer = await app.inject({ method: "POST", url, payload, headers });
    equal(answer.json().code, "malformed_payload", name);
  }
  deepEqual(await code("GET /health"), [200, null]);
});

test("a long body that is broken is refused, and holds up none that comes after it", async () => {
  const { app } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const send = async (payload: string) => {
    const headers = { "content-type": "application/json" };
    const answer = await app.inject({ method: "POST", url: `/indexes/${INDEX}/search`, payload, headers });
    return [answer.statusCode, answer.json().message];
  };
  const long = `{"q":"${"a".repeat(2 ** 18)}"`;
  const place = `\`${long.slice(0, 50)}\``;
  const message = `The json payload cannot be read at ${place}: this is not valid JSON`;
  deepEqual(await Promise.all([send(long), send(`${long}}`), send(long)]), [
    [400, message],
    [200, undefined],
    [400, message],
  ]);
});

test("the first fault of a long list is told without looking for all of them", async () => {
  const { code, app } = await startFixture({ httpPayloadSizeLimit: 2 ** 26 });
  const queries = Array.from({ length: 200_000 }, () => ({ indexUid: INDEX, limit: 0 }));
  const payload = JSON.stringify({ queries: [...queries, { indexUid: INDEX, limit: "x" }] });
  const headers = { "content-type": "application/json" };
  const { message } = (await app.inject({ method: "POST", url: "/multi-search", payload, headers })).json();
  equal(message.startsWith("Field `.queries[200000].limit`: "), true, message);
  deepEqual(await code("POST /multi-search", { queries: [{ indexUid: 1 }] }), [400, "invalid_index_uid"]);
});
