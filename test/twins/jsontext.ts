// Generators of JSON text for property tests: every spelling that the grammar allows, blanks everywhere.
import fc from "fast-check";

/** Blanks that may stand between tokens; a line feed never occurs inside a document. */
const blank = fc.constantFrom("", "", "", " ", "\t", "\r", "  ");

/**
 * Letters of a string as they may be written: as they stand, escaped by letter, by number, as surrogate
 * pairs.
 */
const letter = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(..."abcdefgh XYZ019_-.,:{}[]/'éß漢😀\u2028\ufeff"),
  },
  { weight: 2, arbitrary: fc.constantFrom(...'"\\/bfnrt').map((c) => `\\${c}`) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => hexadecimal(code)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\\ud83d\\ude00", "\\uD83D\\uDE00", "\\ud83dx", "\\ude00", "\\u0000"),
  },
);

/** A string with its quotes. */
export const jsonString = fc.array(letter, { maxLength: 40 }).map((letters) => `"${letters.join("")}"`);

/** Strings of which most have no escapes, and some are longer than a SIMD step. */
const plainString = fc
  .string({ unit: fc.constantFrom(..."abc {}[]:,é"), maxLength: 80 })
  .map((text) => `"${text}"`);

export const jsonNumber = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 66n }).map(String),
  fc.constantFrom(
    "-0",
    "0",
    "0.0",
    "-0.0",
    "10.0",
    "1e21",
    "1E+2",
    "1.50",
    "0.00001",
    "0.000001",
    "123456789012345.6",
  ),
  fc.constantFrom(
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.integer(), fc.nat(999999), fc.integer({ min: -330, max: 300 }))
    .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
  fc.tuple(fc.integer(), fc.nat(99999999)).map(([whole, fraction]) => `${whole}.${fraction}`),
);

const scalar = fc.oneof(jsonString, plainString, jsonNumber, fc.constantFrom("null", "true", "false"));

/** Few names, so that they repeat and paths meet. */
const key = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(..."abcd", "a.b", "id", "", "naïve").map((name) => `"${name}"`) },
  { weight: 1, arbitrary: jsonString },
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5, depthSize: "medium" }, scalar, tie("array"), tie("object")),
  array: fc
    .tuple(fc.array(tie("value") as fc.Arbitrary<string>, { maxLength: 6 }), blank)
    .map(([items, pad]) => list("[", items, "]", pad)),
  object: objectOf(tie("value") as fc.Arbitrary<string>),
}));

export const jsonValue = value as fc.Arbitrary<string>;

/** A document: names may repeat, also with different spellings. */
export const jsonDocument = objectOf(jsonValue);

/** Text around one more value, far more deeply nested than others. */
export const deepDocument = fc.tuple(fc.integer({ min: 1, max: 300 }), jsonValue).map(([depth, inner]) => {
  const opened = Array.from({ length: depth }, (_, i) => (i % 3 ? "[" : '{"a":'));
  return `{"d":${opened.join("")}${inner}${opened
    .reverse()
    .map((open) => (open === "[" ? "]" : "}"))
    .join("")}}`;
});

function objectOf(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(key, blank, blank, values).map(([name, a, b, value]) => `${name}${a}:${b}${value}`);
  return fc
    .tuple(fc.array(member, { maxLength: 7 }), blank)
    .map(([members, pad]) => list("{", members, "}", pad));
}

function list(open: string, items: readonly string[], close: string, pad: string): string {
  return `${open}${pad}${items.join(`${pad},${pad}`)}${pad}${close}`;
}

function hexadecimal(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
