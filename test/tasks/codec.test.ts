// Values of the journal as bytes and back: whatever their keys are called.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { Packr } from "msgpackr/pack";
import { pack, unpack } from "../../src/tasks/codec.ts";

/** An object with a member of any name. */
const objectOf = (...members: [string, unknown][]): object => Object.fromEntries(members);

const VALUES: unknown[] = [
  { a: [1, null, { b: "x" }], "": -0.5 },
  objectOf(["__proto__", 1]),
  { change: objectOf(["__proto__", objectOf(["\0__proto__", [objectOf(["__proto__", "x"])]])]) },
  objectOf(["\0__proto__", "x"], ["__proto__", "y"], ["proto", "__proto__"]),
  objectOf(["constructor", 1], ["toJSON", 2], ["then", { constructor: null, toJSON: [] }]),
  { [`\ufeff${"k".repeat(70)}`]: [`\ufeff\ufeff${"v".repeat(70)}`, `\0\ufeff${"w".repeat(70)}`, "\ufeff"] },
];

for (const value of VALUES) {
  test(`${JSON.stringify(value)} comes back as it was`, () => {
    const back = unpack<object>(pack(value));
    equal(JSON.stringify(back), JSON.stringify(value));
    equal(Object.getPrototypeOf(back), Object.prototype);
  });
}

test("bytes beside a key that the decoder renames stay bytes", () => {
  const body = Uint8Array.of(7, 8, 9);
  const record = { type: "finish", outcomes: [{ uid: 3, body }], change: objectOf(["__proto__", 2]) };
  const { outcomes, change } = unpack<typeof record>(pack(record));
  deepEqual(new Uint8Array(outcomes[0].body), body);
  deepEqual(Object.entries(change), [["__proto__", 2]]);
});

test("what was packed as JSON before is read", () => {
  const packr = new Packr({ useRecords: false, variableMapSize: true });
  const packed = packr.pack(["\0json", '{"synonyms":{"__proto__":["x"]},"none":{},"few":{"0":"a"}}']);
  equal(JSON.stringify(unpack(packed)), '{"synonyms":{"__proto__":["x"]},"none":{},"few":{"0":"a"}}');
  const text = JSON.stringify({ a: Uint8Array.of(1, 255), b: Buffer.from("x") });
  const bytes = unpack<Record<string, Uint8Array>>(packr.pack(["\0json", text]));
  deepEqual(Object.values(bytes), [Uint8Array.of(1, 255), Uint8Array.of(120)]);
});
