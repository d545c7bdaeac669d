// Parts of JSON texts against JSON.parse.
import { deepEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { elementsIn, idIn, membersIn } from "../../src/network/jsonparts.ts";

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

test("an id keeps its digits, and is found below names with dots", () => {
  deepEqual(idIn('{"id": 1234567890123456789, "x": {"id": 3}}', "id"), "1234567890123456789");
  deepEqual(idIn('{"x": {"id": "a\\u0062"}}', "x.id"), "ab");
  deepEqual(idIn('{"x.y": {"id": 7}, "x": {"z": 8}}', "x.y.id"), "7");
  deepEqual(idIn('{"x.id": 5, "x": {"no": 6}}', "x.id"), "5");
  throws(() => idIn('{"x": {"no": 1}}', "x.id"), /without its id `x.id`/);
});
