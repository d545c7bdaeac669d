// The walk of a document: which leaves it feeds to the inverter, and in which order.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import {
  COLUMN_DEGREES,
  COLUMN_GEOMETRY,
  COLUMN_POINT,
  JSON_DAMAGED,
  JSON_DEPTH_MAX,
  JSON_FIELD_NUMBER,
  JSON_FULL,
  JSON_TOO_DEEP,
  JSON_TOO_MANY_PATHS,
} from "../../src/core/json.ts";
import { printedNumber } from "../../src/core/jsonnumbers.ts";
import { localeCode } from "../../src/core/locales.ts";
import { Tokenizer } from "../../src/core/tokenizer.ts";
import { type TwinLeaf, twinLeaves, wellFormed } from "../twins/json.ts";
import { deepDocument, jsonDocument } from "../twins/jsontext.ts";

const TEXT_BYTES = 2 << 20;
const INVERTER_BYTES = 1 << 20;
/** Room behind the fixed part of a walker's region for no document at all (assembly/json-walker.ts). */
const MARGIN_BYTES = 64;
const LEAF_BYTES = 12;
/** Where its cache of paths ends: header, locales, cache. */
const PATHS_END = 64 + 2 * 65536 + (8 << 20);
const INVERTER_FULL = -1;
const KINDS = ["empty", "text", "escaped", "number"];

const core = new Core();
const { exports } = core;
const text = core.reserve(TEXT_BYTES);
const walkerBytes = exports.jsonWalkerBytes(TEXT_BYTES);
const region = core.reserve(walkerBytes);
const leavesStart = region + exports.jsonWalkerBytes(0) - MARGIN_BYTES;
const tokenizer = new Tokenizer(core).handle;
const inverter = core.reserve(INVERTER_BYTES);
const values = core.reserve(exports.valuesOverhead() + INVERTER_BYTES);

let asked: string[] = [];
let shapes: string[] = [];

/** Starts a walker whose host knows `fieldOf`. */
function start(fieldOf: (name: string) => number, bytes = walkerBytes): void {
  asked = [];
  shapes = [];
  const stringAt = (pointer: number, length: number) => Buffer.from(core.read(pointer, length)).toString();
  core.imports.field = (pointer, length) => {
    asked.push(stringAt(pointer, length));
    return fieldOf(asked[asked.length - 1]);
  };
  core.imports.shape = (pointer, length) => shapes.push(stringAt(pointer, length)) - 1;
  assert.equal(exports.jsonWalkerReset(region, bytes), 1);
}

/** `table`: of values, 0 for none. */
function walk(json: string, table = 0): number {
  const bytes = new TextEncoder().encode(json);
  core.u8.fill(0x7d, text, text + bytes.length + 128);
  core.write(text, bytes);
  exports.inverterStart(inverter, INVERTER_BYTES);
  if (table) exports.valuesStart(table, exports.valuesOverhead() + INVERTER_BYTES);
  return exports.jsonDocument(region, inverter, table, tokenizer, 1, text, bytes.length);
}

/** The leaves that the last walk left behind in its region, in their final order. */
function leaves(count: number): TwinLeaf[] {
  return Array.from({ length: count }, (_, i) => {
    const at = leavesStart + i * LEAF_BYTES;
    const source = Buffer.from(
      core.read(core.view.getUint32(at, true), core.view.getUint32(at + 4, true)),
    ).toString();
    const kind = KINDS[core.view.getUint16(at + 10, true)];
    const field = core.view.getUint16(at + 8, true);
    if (kind === "empty") return { field, text: null };
    if (kind === "escaped") return { field, text: wellFormed(JSON.parse(`"${source}"`) as string) };
    return { field, text: kind === "number" ? printedNumber(source) : source };
  });
}

/** Some number for each name, a third of them not searchable; nothing below the name `c` is. */
function someFields(seed: number): (name: string) => number {
  return (name) => {
    if (/(^|\.)c(\.|$)/.test(name)) return -2;
    let hash = seed;
    for (const letter of name) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0;
    return (Math.abs(hash) % 9) - 3 < 0 ? -1 : Math.abs(hash) % 9;
  };
}

describe("the walk of a document", () => {
  it("gives the leaves of a parser, field by field", () => {
    fc.assert(
      fc.property(fc.oneof(jsonDocument, jsonDocument, deepDocument), fc.integer(), (json, seed) => {
        const fieldOf = someFields(seed);
        start(fieldOf);
        const expected = twinLeaves(json, fieldOf, printedNumber);
        assert.equal(walk(json), expected.length);
        assert.deepEqual(leaves(expected.length), expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("steps once for a container that is the value of a nested name, and once for an empty one", () => {
    start(() => 0);
    const count = (json: string) => walk(json);
    assert.equal(count('{"tags":["a","b"]}'), 2);
    assert.equal(count('{"tags":[["a"],["b"]]}'), 2);
    assert.equal(count('{"x":{"tags":["a","b"]}}'), 3);
    assert.equal(count('{"x":[{"tags":["a"]},{"tags":["b"]}]}'), 4);
    assert.equal(count('{"x":{"y":{"z":1}}}'), 2);
    assert.equal(count('{"x":[]}'), 1);
    assert.equal(count('{"x":{}}'), 1);
    assert.equal(count('{"x":[[],[]]}'), 2);
    assert.equal(count('{"x":{"y":[]}}'), 2);
    assert.equal(count('{"x":null}'), 1);
    assert.equal(count("{}"), 0);
  });

  it("keeps the order of leaves of one field, however many there are", () => {
    start((name) => (name === "a" ? 1 : 0));
    const texts = Array.from({ length: 3000 }, (_, i) => `w${i}`);
    const half = texts.map((word) => `"${word}"`).join(",");
    assert.equal(walk(`{"a":[${half}],"b":[${half}]}`), 6000);
    assert.deepEqual(
      leaves(6000).map((leaf) => leaf.text),
      [...texts, ...texts],
    );
    assert.deepEqual(
      [0, 2999, 3000, 5999].map((i) => leaves(6000)[i].field),
      [0, 0, 1, 1],
    );
  });

  it("asks the host once for each path, and again after a reset", () => {
    start(() => 0);
    walk('{"a":{"b":1},"a.b":2}');
    walk('{"a":[{"b":1},{"\\u0062":2}]}');
    assert.deepEqual(asked, ["a", "a.b", "a.b"]);
    start(() => 0);
    walk('{"a":1}');
    assert.deepEqual(asked, ["a"]);
  });

  it("forgets paths when there are too many, and goes on", () => {
    // The cache has room for 131,072 paths.
    start((name) => Number(name.slice(1)) % 60_000);
    for (let i = 0; i < 140; i++) {
      const members = Array.from({ length: 1000 }, (_, j) => `"f${i * 1000 + j}":"x"`);
      assert.equal(walk(`{${members.join(",")}}`), 1000);
      const numbers = members.map((_, j) => (i * 1000 + j) % 60_000).sort((a, b) => a - b);
      assert.equal(leaves(1000)[999].field, numbers[999]);
    }
    const members = Array.from({ length: 140_000 }, (_, j) => `"f${j}":1`);
    assert.equal(walk(`{${members.join(",")}}`), JSON_TOO_MANY_PATHS);
  });

  it("forgets paths when their names fill the cache, and writes nothing behind it", () => {
    start(() => 0);
    for (let i = 0; i < 100; i++) {
      const names = Array.from({ length: 1000 }, (_, j) => `${i}.${j}.`.padEnd(90 + (j % 13), "x"));
      assert.equal(walk(`{"a":{${names.map((name) => `"${name}":1`).join(",")}}}`), 1000);
      // What follows the cache is the number of known shapes.
      assert.equal(core.u32[(region + PATHS_END) >>> 2], 1);
    }
  });

  it("numbers sets of top-level names, whatever their order", () => {
    start(() => -1);
    const shapeOf = (json: string) => {
      walk(json);
      return exports.jsonWalkerShape(region);
    };
    assert.deepEqual(
      ['{"a":1,"b":2}', '{"b":{"c":1},"\\u0061":0}', '{"a":1}', "{}", '{"a":{"b":1}}', '{"b":1,"a":1}'].map(
        shapeOf,
      ),
      [0, 0, 1, 2, 1, 0],
    );
    assert.deepEqual(shapes, ['{"a":1,"b":2}', '{"a":1}', "{}"]);
    // The empty name is a name, too.
    assert.deepEqual(['{"":1}', "{}", '{"":1,"a":1}', '{"a":1}'].map(shapeOf), [3, 2, 4, 1]);
    for (let i = 0; i < 3000; i++) assert.equal(shapeOf(`{"k${i}":1}`), 5 + i);
  });

  it("refuses documents that nest too deeply", () => {
    start(() => 0);
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    assert.equal(walk(nested(JSON_DEPTH_MAX)), 1);
    assert.equal(walk(nested(JSON_DEPTH_MAX + 1)), JSON_TOO_DEEP);
  });

  it("says so when its region is too small, and writes nothing behind it", () => {
    fc.assert(
      fc.property(jsonDocument, fc.nat(200), fc.integer(), (json, room, seed) => {
        const bytes = exports.jsonWalkerBytes(0) + room;
        start(someFields(seed), bytes);
        core.u8.fill(0xee, region + bytes, region + bytes + 64);
        const answer = walk(json);
        assert.ok(answer >= 0 || answer === JSON_FULL);
        assert.ok(core.read(region + bytes, 64).every((byte) => byte === 0xee));
      }),
      { numRuns: 500 },
    );
  });

  it("writes nothing behind a region that has no room to order the leaves", () => {
    const length = 100;
    for (const leaves of [length, length + 1, 2 * length - 1, 2 * length]) {
      const bytes = exports.jsonWalkerBytes(0) + leaves * LEAF_BYTES;
      start((name) => 9 - Number(name), bytes);
      core.u8.fill(0xee, region + bytes, region + bytes + length * LEAF_BYTES);
      const members = Array.from({ length }, (_, i) => `"${i % 10}":[${i}]`);
      assert.equal(walk(`{${members.join(",")}}`), leaves < 2 * length - 5 ? JSON_FULL : length);
      assert.ok(core.read(region + bytes, length * LEAF_BYTES).every((byte) => byte === 0xee));
    }
  });

  it("writes nothing behind a region that has no room for a string with escapes", () => {
    for (const length of [30, 70, 100, 400]) {
      const bytes = exports.jsonWalkerBytes(0) + 3 * LEAF_BYTES;
      start(() => 0, bytes);
      core.u8.fill(0xee, region + bytes, region + bytes + 1024);
      // The leaf before it takes room as well.
      const answer = walk(`{"a":[1,"${"\\n".repeat(length / 2)}"]}`);
      assert.equal(answer, 2 * LEAF_BYTES + length > 3 * LEAF_BYTES + MARGIN_BYTES ? JSON_FULL : 2);
      assert.ok(core.read(region + bytes, 1024).every((byte) => byte === 0xee));
    }
  });

  it("asks for no more room than its own strings with escapes take", () => {
    start(() => 0, exports.jsonWalkerBytes(200));
    assert.equal(walk(`{"a":"${"\\n".repeat(1000)}"}`), 1);
    assert.equal(walk(`{"a":[${"1,".repeat(99)}1]}`), 100);
  });

  it("remembers the location and the geometry of the last document only", () => {
    start(() => 0);
    core.imports.column = (pointer, bytes) => {
      const name = Buffer.from(core.read(pointer, bytes)).toString();
      return ({ p: COLUMN_POINT, g: COLUMN_GEOMETRY } as Record<string, number>)[name] ?? -1;
    };
    const found = (json: string) => {
      assert.ok(walk(json, values) >= 0);
      const point = core.read(exports.jsonWalkerPoint(region), exports.jsonWalkerPointBytes(region));
      const shape = core.read(exports.jsonWalkerGeometry(region), exports.jsonWalkerGeometryBytes(region));
      return [
        exports.jsonWalkerPoint(region) && Buffer.from(point).toString(),
        exports.jsonWalkerGeometry(region) && Buffer.from(shape).toString(),
      ];
    };
    assert.deepEqual(found('{"p":{"lat":1},"g":{"type":2}}'), ['{"lat":1}', '{"type":2}']);
    assert.deepEqual(found('{"g":[1]}'), [0, "[1]"]);
    assert.deepEqual(found('{"p":{}}'), ["{}", 0]);
    assert.deepEqual(found('{"p":1,"g":"x","a":{"p":{},"g":{}}}'), [0, 0]);
  });

  it("always fits into the region that is asked for its length", () => {
    for (const json of [
      `{"b":[${"1,".repeat(5000)}1],"a":1}`,
      `{"${"\\u00e9".repeat(2000)}":"${"\\n".repeat(5000)}"}`,
    ]) {
      start((name) => (name === "b" ? 1 : 0), exports.jsonWalkerBytes(json.length));
      assert.ok(walk(json) > 0);
    }
  });

  it("ends with damaged text, whatever the columns hold", () => {
    start(() => 0);
    const damaged = [
      "",
      "[1]",
      "{",
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":[1',
      '{"a":"x',
      '{"a":{"b":[}',
      "{1:2}",
      '{"a":1 "b":2}',
    ];
    for (const json of damaged) assert.equal(walk(json), JSON_DAMAGED, json);
    for (const kind of [0, COLUMN_POINT, COLUMN_GEOMETRY, COLUMN_DEGREES]) {
      start(() => 0);
      core.imports.column = () => kind;
      for (const json of damaged) assert.equal(walk(json, values), JSON_DAMAGED, `${kind} ${json}`);
    }
  });
});

describe("what the walk feeds to the inverter", () => {
  const words = (): string[] => {
    const terms = Array.from({ length: exports.inverterSort(inverter) }, (_, i) =>
      Buffer.from(core.read(exports.inverterTerm(inverter, i), exports.inverterTermLength(inverter, i))),
    );
    return terms.filter((term) => term[0] > 0).map(String);
  };

  it("are the words of all texts, unescaped, and of printed numbers", () => {
    start((name) => name.length - 1);
    assert.equal(walk('{"bb":"first \\u0073econd","a":1.50,"ccc":[true,"\\"quoted\\""],"dddd":null}'), 5);
    assert.deepEqual(words(), ["1", "5", "first", "quoted", "second", "true"]);
  });

  it("come with the locale of their field", () => {
    start((name) => (name === "a" ? 7 : 8));
    exports.jsonWalkerLocale(region, 7, localeCode(["swe"]));
    walk('{"a":"få","b":"få"}');
    assert.deepEqual(words(), ["fa", "få"]);
  });

  it("end when the inverter is full", () => {
    start(() => 0);
    const texts = Array.from({ length: 60_000 }, (_, i) => `word${i}`);
    assert.equal(walk(`{"a":"${texts.join(" ")}"}`), INVERTER_FULL);
  });

  it("are none where the host numbers a field beyond 65535", () => {
    start(() => 65_536);
    assert.equal(walk('{"a":1}'), JSON_FIELD_NUMBER);
  });
});
