// An f32 is written as short as can be, and read again it is the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shortFloat } from "../../src/core/shortfloat.ts";

test("an f32 is written by the fewest digits that make it", () => {
  const pairs = [
    [Math.fround(0.1), 0.1],
    [0.123456789012345, 0.12345679],
    [-0.5, -0.5],
    [0, 0],
    [Math.fround(1e-40), 1e-40],
    [16777216, 16777216],
  ];
  for (const [value, expected] of pairs) assert.equal(shortFloat(value), expected);
});

test("what is written is the same f32", () => {
  const value = fc.float({ noNaN: true, noDefaultInfinity: true });
  fc.assert(fc.property(value, (one) => Math.fround(shortFloat(one)) === Math.fround(one)));
});
