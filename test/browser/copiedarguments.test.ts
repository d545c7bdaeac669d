// What becomes of arguments that no message carries as they are.
import { deepEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { copiedArguments } from "../../src/browser/copiedarguments.ts";

test("proxies are copied at any depth; beside them, what can be sent stays as it is", () => {
  const [date, vector] = [new Date(0), Float32Array.of(0.5, 1)];
  const nested = new Proxy([new Proxy({ a: 1 }, {})], {});
  const copies = copiedArguments(["teas", new Proxy({ nested, date, vector, none: null }, {}), 5]);
  deepEqual(copies, ["teas", { nested: [{ a: 1 }], date, vector, none: null }, 5]);
  deepEqual(structuredClone(copies), copies);
});

test("what is no data is refused by its place", () => {
  for (const [given, place] of [
    [() => 1, "The body"],
    [{ filter: ["a", { b: Symbol("s") }] }, "Field `.filter[1].b`"],
  ] as const) {
    const message = new RegExp(`^${place.replace(/[.[\]]/g, "\\$&")}: expected data, but found a `);
    throws(() => copiedArguments(["teas", given]), { code: "bad_request", message });
  }
});
