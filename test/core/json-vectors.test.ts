// Vectors are read from JSON with the same bits that the host's own numbers give.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { JSON_ARRAY, JsonScanner } from "../../src/core/json.ts";

const SHOWN_MAX = 60;
const scanner = new JsonScanner(new Core());

function read(json: string): Float32Array[] | null {
  const bytes = Buffer.from(json);
  const [valueAddress] = scanner.lend(Buffer.concat([bytes, Buffer.from("77777777")]));
  const place = { valueAddress, valueLength: bytes.length, type: JSON_ARRAY };
  return scanner.vectors({ ...place, keyAddress: 0, keyLength: 0, escaped: false });
}

const bitsOf = (vector: Float32Array) => [
  ...new Uint32Array(vector.buffer, vector.byteOffset, vector.length),
];

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(..."0012345678999"), minLength: 1, maxLength: most });
/** Numbers as people and programs write them, with any number of digits and any exponent. */
const written = fc
  .tuple(
    fc.constantFrom("", "-"),
    digits(25),
    fc.option(digits(30)),
    fc.option(fc.integer({ min: -60, max: 30 })),
  )
  .map(([sign, integer, decimals, exponent]) => {
    const whole = integer.replace(/^0+(?=\d)/, "");
    const [fraction, power] = [
      decimals === null ? "" : `.${decimals}`,
      exponent === null ? "" : `e${exponent}`,
    ];
    return `${sign}${whole}${fraction}${power}`;
  });
/** Doubles at and beside the middle of two neighbouring f32, where rounding is decided by the last digit. */
const single = fc.float({ noNaN: true, noDefaultInfinity: true });
const nearMiddle = fc.tuple(single, fc.integer({ min: -12, max: 12 })).map(([value, steps]) => {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] += 0x10000000n + BigInt(steps);
  return JSON.stringify(new Float64Array(bits.buffer)[0]);
});
/** What the digits and the exponent say of the size takes each other back. */
const wide = fc.tuple(fc.integer({ min: 9990, max: 10_010 }), fc.integer({ min: -4, max: 4 }), fc.boolean());
const cancelled = wide.map(([zeros, more, isSmall]) =>
  isSmall ? `0.${"0".repeat(zeros)}1e${zeros + more}` : `1${"0".repeat(zeros)}e-${zeros + more}`,
);
const number = fc.oneof(
  { weight: 20, arbitrary: single.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: cancelled },
  { weight: 20, arbitrary: written },
  { weight: 20, arbitrary: nearMiddle },
  fc.double({ min: -1, max: 1, noNaN: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "0",
    "-0",
    "-0.0",
    "0e9",
    "3.4028235e38",
    "3.4028236e38",
    "1e39",
    "1e-50",
    "1E+2",
    "1.17549435e-38",
  ),
);

test("numbers of a list are the f32 that the host makes of them", () => {
  const property = fc.property(fc.array(number, { minLength: 1, maxLength: SHOWN_MAX }), (numbers) => {
    const json = `[ ${numbers.join(" ,\n")}]`;
    const expected = Float32Array.from(JSON.parse(json) as number[]);
    const found = read(json);
    if (!expected.every((value) => Number.isFinite(value))) assert.equal(found, null);
    else assert.deepEqual(found?.map(bitsOf), [bitsOf(expected)], json);
  });
  fc.assert(property, { numRuns: 2000 });
});

test("lists of equally many numbers are vectors, all else is left to the host", () => {
  for (const json of ["[]", " [ ] ".trim()]) assert.deepEqual(read(json), []);
  assert.deepEqual(read("[1]"), [Float32Array.of(1)]);
  assert.deepEqual(read("[[1,2],[3,-4.5]]"), [Float32Array.of(1, 2), Float32Array.of(3, -4.5)]);
  assert.deepEqual(read(" [ [ 1 , 2 ] , [ 3 , 4 ] ] ".trim()), [
    Float32Array.of(1, 2),
    Float32Array.of(3, 4),
  ]);
  const others = [
    "[[]]",
    "[[1],[2,3]]",
    "[1,[2]]",
    "[[1],2]",
    '["1"]',
    "[null]",
    "[[null]]",
    "[true]",
    "[{}]",
    "[[[1]]]",
  ];
  for (const json of others) assert.equal(read(json), null, json);
});
