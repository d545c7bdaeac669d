// Members, elements and strings of raw JSON, compared with JSON.parse.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { JSON_DAMAGED, JSON_FULL, JsonScanner } from "../../src/core/json.ts";
import { printedNumber } from "../../src/core/jsonnumbers.ts";
import { isInteger64, parseJson, wellFormed } from "../twins/json.ts";
import { deepDocument, jsonDocument, jsonNumber, jsonString, jsonValue } from "../twins/jsontext.ts";

const TEXT_BYTES = 1 << 20;
const ROW_BYTES = 24;
const TYPES = ["null", "false", "true", "number", "string", "array", "object"];

const core = new Core();
const scanner = new JsonScanner(core);
const text = core.reserve(TEXT_BYTES);
const out = core.reserve(TEXT_BYTES);

/** Puts a text between bytes that a kernel must not take for a part of it. */
function place(json: string): number {
  const bytes = new TextEncoder().encode(json);
  core.u8.fill(0x5d, text, text + bytes.length + 128);
  core.write(text, bytes);
  return bytes.length;
}

describe("members of objects and elements of arrays", () => {
  it("are those of a parser, with keys, values and types as they stand", () => {
    fc.assert(
      fc.property(fc.oneof(jsonDocument, jsonValue, deepDocument), (json) => {
        const node = parseJson(json);
        if (node.type !== "object" && node.type !== "array") return;
        const length = place(json);
        const found = node.type === "object" ? scanner.entries(text, length) : scanner.elements(text, length);
        assert.deepEqual(
          found.map((entry) => [
            core.read(entry.keyAddress, entry.keyLength).toString(),
            scanner.name(entry),
            scanner.source(entry),
            TYPES[entry.type],
            entry.escaped,
          ]),
          node.children.map(({ key, name, value }) => [
            new TextEncoder().encode(key).toString(),
            wellFormed(name),
            value.source,
            value.type,
            key.includes("\\"),
          ]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("end where runs of backslashes and brackets in strings say", () => {
    const pieces = fc.constantFrom("\\\\", '\\"', "]", "}", "[{", "a");
    const strings = fc.array(fc.array(pieces, { maxLength: 150 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(strings, (parts) => {
        const value = `[${parts.map((part) => `"${part.join("")}"`).join(",")}]`;
        const [entry] = scanner.entries(text, place(`{"a":${value}}`));
        assert.equal(scanner.source(entry), value);
      }),
      { numRuns: 500 },
    );
  });

  it("come without limit on their number", () => {
    const members = Array.from({ length: 5000 }, (_, i) => `"k${i}":[${i}]`);
    const found = scanner.entries(text, place(`{${members.join(",")}}`));
    assert.equal(found.length, 5000);
    assert.equal(scanner.name(found[4999]), "k4999");
    assert.equal(scanner.source(found[4999]), "[4999]");
  });

  it("are counted out when they exceed the output", () => {
    const length = place('{"a":1,"b":2}');
    core.u32[(out >>> 2) + ROW_BYTES / 4] = 77;
    assert.equal(core.exports.jsonEntries(text, length, out, 1), JSON_FULL);
    assert.equal(core.u32[(out >>> 2) + ROW_BYTES / 4], 77);
    assert.equal(core.exports.jsonEntries(text, length, out, 2), 2);
  });

  it("of damaged text stay inside the text", () => {
    fc.assert(
      fc.property(
        jsonDocument,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(255),
        (json, where, byte) => {
          const whole = place(json);
          const length = Math.floor(whole * where);
          if (length > 0) core.u8[text + Math.floor(length / 2)] = byte;
          const count = core.exports.jsonEntries(text, length, out, 1000);
          assert.ok(count >= 0 || count === JSON_DAMAGED);
          for (let i = 0; i < count; i++) {
            const row = (out >>> 2) + i * (ROW_BYTES / 4);
            for (const [address, bytes] of [core.u32.slice(row, row + 2), core.u32.slice(row + 2, row + 4)]) {
              assert.ok(address >= text && address + bytes <= text + length);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are refused for what is no object", () => {
    for (const json of [
      "[]",
      "",
      " ",
      "{",
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":"',
      '{"a" 1}',
      "{1:2}",
      '{"a":[}',
    ])
      assert.equal(core.exports.jsonEntries(text, place(json), out, 10), JSON_DAMAGED, json);
  });
});

describe("unescaping", () => {
  it("gives what JSON.parse gives, and writes no more than the string is long", () => {
    fc.assert(
      fc.property(jsonString, (string) => {
        const length = place(string) - 2;
        core.u8.fill(0xee, out, out + length + 64);
        const written = core.exports.jsonUnescape(text + 1, length, out);
        const expected = new TextEncoder().encode(JSON.parse(string) as string);
        assert.deepEqual(core.read(out, written), expected);
        assert.ok(core.read(out + length, 64).every((byte) => byte === 0xee));
      }),
      { numRuns: 1000 },
    );
  });

  it("pairs only a high surrogate with the low one right behind it", () => {
    const halves = fc.constantFrom("\\ud83d", "\\ude00", "\\uD800", "\\uDFFF", "x", "\\n", "\\u0041");
    fc.assert(
      fc.property(fc.array(halves, { maxLength: 8 }), (parts) => {
        const length = place(`"${parts.join("")}"`) - 2;
        const expected = new TextEncoder().encode(JSON.parse(`"${parts.join("")}"`) as string);
        assert.deepEqual(core.read(out, core.exports.jsonUnescape(text + 1, length, out)), expected);
      }),
      { numRuns: 500 },
    );
  });

  it("of damaged strings ends", () => {
    for (const string of [
      "\\",
      "a\\",
      "\\u",
      "\\u12",
      "\\uzzzz",
      "\\ud83d\\u",
      "0123456789abcde\\",
      "\\ud83d\\udz00",
    ]) {
      const length = place(string);
      assert.ok(core.exports.jsonUnescape(text, length, out) <= length, string);
    }
  });
});

describe("printed numbers", () => {
  it("read back as the same number", () => {
    fc.assert(
      fc.property(jsonNumber, (number) => {
        const printed = printedNumber(number);
        if (isInteger64(number)) assert.equal(printed, number);
        else if (!Number.isFinite(Number(number))) assert.equal(printed, "");
        else {
          assert.ok(Object.is(Number(printed), Number(number)), printed);
          assert.match(printed, /[.e]/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("have the form that clients know", () => {
    const forms: [string, string][] = [
      ["10.0", "10.0"],
      ["1e21", "1e+21"],
      ["1e2", "100.0"],
      ["1.50", "1.5"],
      ["-0", "-0.0"],
      ["0.00001", "0.00001"],
      ["0.000001", "1e-6"],
      ["0.00000123", "1.23e-6"],
      ["1e15", "1000000000000000.0"],
      ["1e16", "1e+16"],
      ["123456789012345680000", "1.2345678901234568e+20"],
      ["18446744073709551616", "1.8446744073709552e+19"],
      ["5e-324", "5e-324"],
      ["1e400", ""],
    ];
    for (const [number, printed] of forms) assert.equal(printedNumber(number), printed);
  });
});
