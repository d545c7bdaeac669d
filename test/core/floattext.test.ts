// Floats are told from integers in answers, and read back as the same numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { floatsText, floatText, textWithFloats } from "../../src/core/floattext.ts";

test("a float has a decimal point or an exponent, and is the same number", () => {
  const whole = fc.integer().map(Number);
  const number = fc.oneof(whole, fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(number, (value) => {
      const text = floatText(value);
      assert.match(text, /[.e]/);
      assert.ok(Number(text) === value);
    }),
  );
  assert.equal(floatsText([1, 0.5, -2]), "[1.0,0.5,-2.0]");
});

test("numbers below the names are floats, all others stay as JSON has them", () => {
  const value = {
    order: 4,
    score: 1,
    at: { score: { lat: 3, list: [1, null] } },
    no: undefined,
    text: "a\n1",
  };
  assert.equal(
    textWithFloats(value, new Set(["score"])),
    '{"order":4,"score":1.0,"at":{"score":{"lat":3.0,"list":[1.0,null]}},"text":"a\\n1"}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      assert.equal(textWithFloats(any, new Set()), JSON.stringify(any));
    }),
  );
});
