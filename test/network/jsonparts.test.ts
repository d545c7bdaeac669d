// Parts of JSON texts against JSON.parse.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { elementsIn, membersIn } from "../../src/network/jsonparts.ts";

const json = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t")).map(([value, space]) => {
  return { value, text: JSON.stringify(value, null, space) };
});

test("members and elements are those that JSON.parse finds", () => {
  fc.assert(
    fc.property(json, ({ text }) => {
      const value = JSON.parse(text);
      if (Array.isArray(value))
        deepEqual(
          elementsIn(text).map((part) => JSON.parse(part)),
          value,
        );
      else if (typeof value === "object" && value !== null) {
        const members = membersIn(text).map((member) => [member.name, JSON.parse(member.value)]);
        deepEqual(new Map(members as [string, unknown][]), new Map(Object.entries(value)));
      }
    }),
  );
});

test("numbers stay as they are written", () => {
  deepEqual(membersIn('{ "a" : 12345678901234567890 , "b\\"": [1.0, {"c": "}"}] }'), [
    { name: "a", value: "12345678901234567890" },
    { name: 'b"', value: '[1.0, {"c": "}"}]' },
  ]);
  deepEqual(elementsIn("[ 1.50, [], -0 ]"), ["1.50", "[]", "-0 "]);
  deepEqual([elementsIn("[]"), membersIn(" { } ")], [[], []]);
});
