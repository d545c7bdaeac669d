// The value table keeps each distinct value of a column once, with the documents that have it; a document for
// which it has no room leaves nothing behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KIND_BARE, KIND_EMPTY, KIND_NULL, KIND_TEXT, VALUE_ROW_FIELDS } from "../../src/core/columns.ts";
import { Core } from "../../src/core/core.ts";
import { keyOfNumber } from "../../src/segment/columnkeys.ts";

const ROOM_BYTES = 1 << 17;
const GUARD_BYTES = 64;
/** What each document takes. */
const LOG_BYTES = 4;
/** Answer of the walk when a document does not fit. */
const FULL = -1;
const NAMES = ["a", "b", "c"];

const core = new Core();
const { exports } = core;
const overhead = exports.valuesOverhead();
const walkerBytes = exports.jsonWalkerBytes(1 << 14);
const [walker, inverter] = [core.reserve(walkerBytes), core.reserve(ROOM_BYTES)];
const [text, rows, entries] = Array.from({ length: 3 }, () => core.reserve(ROOM_BYTES));
const table = core.reserve(overhead + ROOM_BYTES);

/** What a document has in each column: keys as latin-1 texts. */
type Keys = Map<number, Set<string>>;
type Value = number | string | boolean | null | Value[] | { x?: number };

const scalar = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Value>(0, -0, "", "Tea", " tea ", "TEA", true, false, null),
  fc.string({ unit: fc.constantFrom(...'abXYZ \\"'), maxLength: 90 }),
  fc.nat(999).map((number) => `${number}`.repeat(20)),
);
const value = fc.oneof<fc.Arbitrary<Value>[]>(
  scalar,
  fc.array(scalar, { maxLength: 30, size: "max" }),
  fc.constantFrom<Value>([], {}, [[]], { x: 1 }, [[null], ""]),
);
const document = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });

const latin1 = (kind: number, bytes = ""): string => `${String.fromCharCode(kind)}${bytes}`;

function keyOf(one: Value): string | null {
  if (typeof one === "number") return Buffer.from(keyOfNumber(one)).toString("latin1");
  if (typeof one === "boolean") return latin1(KIND_TEXT, `${one}`);
  if (typeof one !== "string" || one === "") return null;
  return latin1(KIND_TEXT, one.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "").toLowerCase());
}

function keysOf(own: Value): Set<string> {
  if (own === null) return new Set([latin1(KIND_NULL)]);
  const isEmpty = own === "" || (typeof own === "object" && Object.keys(own).length === 0);
  if (isEmpty) return new Set([latin1(KIND_EMPTY)]);
  const all = Array.isArray(own) ? own.flat() : [own];
  const found = all.map((one) => keyOf(one as Value)).filter((key) => key !== null);
  return new Set(found.length > 0 ? found : [latin1(KIND_BARE)]);
}

function walk(json: string, docid: number): number {
  const bytes = Buffer.from(json);
  core.write(text, bytes);
  return exports.jsonDocument(walker, inverter, table, 0, docid, text, bytes.length);
}

/** Feeds documents to a table of this size; returns what those have that fit. */
function feed(documents: readonly Record<string, Value>[], bytes: number): Keys[] {
  core.imports.field = () => -1;
  core.imports.column = (pointer, length) =>
    NAMES.indexOf(Buffer.from(core.read(pointer, length)).toString("latin1"));
  exports.jsonWalkerReset(walker, walkerBytes);
  exports.inverterStart(inverter, ROOM_BYTES);
  // As if the first document of an earlier table had been here.
  core.u32.fill(1, table / 4, (table + overhead + bytes) / 4);
  core.fill(table + overhead + bytes, 0xee, GUARD_BYTES);
  exports.valuesStart(table, overhead + bytes);
  const kept: Keys[] = [];
  documents.forEach((own, i) => {
    const answer = walk(JSON.stringify(own), 2 * i);
    assert.ok(answer === FULL || answer >= 0, `${answer}`);
    if (answer >= 0) {
      const members = Object.entries(own).map(([name, one]) => [NAMES.indexOf(name), keysOf(one)] as const);
      kept.push(new Map(members));
    } else if (exports.valuesFree(table) >= LOG_BYTES) {
      // What had no room takes none from the next document.
      assert.ok(walk("{}", 2 * i + 1) >= 0);
      kept.push(new Map());
    }
  });
  assert.ok(core.read(table + overhead + bytes, GUARD_BYTES).every((byte) => byte === 0xee));
  return kept;
}

/** Compares the columns of the table with those of the documents. */
function assertHolds(kept: readonly Keys[]): void {
  exports.valuesSort(table);
  const count = exports.valuesRows(table, 0, rows, 9);
  const columns = NAMES.map((_, i) => i).filter((i) => kept.some((own) => own.has(i)));
  assert.equal(count, columns.length);
  columns.forEach((column, i) => {
    const all = [...new Set(kept.flatMap((own) => [...(own.get(column) ?? [])]))].sort();
    const row = [
      ...core.u32.subarray(rows / 4 + VALUE_ROW_FIELDS * i, rows / 4 + VALUE_ROW_FIELDS * (i + 1)),
    ];
    const kind = (key: string) => key.charCodeAt(0);
    const expected = kept.flatMap((own, ordinal) =>
      [...(own.get(column) ?? [])].map((key) => [ordinal, all.indexOf(key)]),
    );
    assert.deepEqual(
      [row[0], row[2], row[3], row[5], row[6]],
      [
        column,
        all.filter((key) => kind(key) < KIND_TEXT).length,
        all.filter((key) => kind(key) === KIND_TEXT).length,
        expected.length,
        all.join("").length,
      ],
    );
    core.fill(entries, 0xee, ROOM_BYTES);
    exports.valuesTargetNone(table);
    exports.valuesTarget(table, column, entries);
    exports.valuesEntries(table);
    const found = expected.map((_, at) => [
      ...core.u32.slice(entries / 4 + 2 * at, entries / 4 + 2 * at + 2),
    ]);
    assert.equal(core.u32[entries / 4 + 2 * expected.length], 0xeeeeeeee);
    const inOrder = (list: number[][]) => list.sort(([a, x], [b, y]) => a - b || x - y);
    assert.deepEqual(inOrder(found), inOrder(expected));
  });
}

test("the values of columns are those of the documents, each once", () => {
  fc.assert(
    fc.property(fc.array(document, { maxLength: 30 }), (documents) => {
      const kept = feed(documents, ROOM_BYTES - GUARD_BYTES);
      assert.equal(kept.length, documents.length);
      assertHolds(kept);
    }),
    { numRuns: 150 },
  );
});

test("documents for which there is no room are dropped, all others stay, nothing is written outside", () => {
  let dropped = 0;
  fc.assert(
    fc.property(
      fc.array(document, { minLength: 5, maxLength: 60, size: "max" }),
      fc.integer({ min: 20, max: 1000 }),
      (documents, words) => {
        const kept = feed(documents, 4 * words);
        dropped += documents.length - kept.length;
        assertHolds(kept);
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(dropped > 400);
});

test("keys of texts of more than 468 bytes are made by the host", () => {
  let asked = 0;
  core.imports.facet = (_text, length, to) => {
    asked = length;
    core.write(to, Buffer.from("made"));
    return 4;
  };
  const longest = "x".repeat(468);
  feed([{ a: longest }], 4096);
  assert.equal(asked, 0);
  assertHolds([new Map([[0, new Set([latin1(KIND_TEXT, longest)])]])]);
  feed([{ a: `${longest}y` }], 4096);
  assert.equal(asked, 469);
  assertHolds([new Map([[0, new Set([latin1(KIND_TEXT, "made")])]])]);
});
