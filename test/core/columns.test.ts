// The kernels below columns: packed numbers, keys of numbers, the reading of JSON numbers, grouping, and the
// selection of the first candidates of a sort.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KIND_NUMBER, VALUE_ROW_FIELDS } from "../../src/core/columns.ts";
import { Core } from "../../src/core/core.ts";
import { DICTIONARY_WRITER_BYTES } from "../../src/core/dictionary.ts";
import { keyOfNumber, numberOfKey } from "../../src/segment/columnkeys.ts";
import { jsonNumber } from "../twins/jsontext.ts";

const core = new Core();
const kernels = core.exports;
const ROOM_BYTES = 1 << 18;
/** Wider codes are not found eight at a time. */
const SCAN_WIDTH_MAX = 24;
const [input, output, spare, keys] = Array.from({ length: 4 }, () => core.reserve(ROOM_BYTES));

function put(address: number, numbers: readonly number[]): void {
  core.u32.set(numbers, address / 4);
}

const get = (address: number, count: number): number[] => [
  ...core.u32.slice(address / 4, address / 4 + count),
];

test("packed numbers read back, and take no more than their bits", () => {
  const numbers = fc.nat(32).chain((width) =>
    fc.record({
      width: fc.constant(width),
      list: fc.array(fc.nat({ max: 2 ** width - 1 }), { maxLength: 200 }),
    }),
  );
  fc.assert(
    fc.property(numbers, ({ width, list }) => {
      put(input, list);
      core.u8.fill(0xaa, output, output + 1024);
      assert.equal(
        kernels.bitsWrite(input, list.length, width, output),
        Math.ceil((list.length * width) / 8),
      );
      list.forEach((number, i) => {
        assert.equal(kernels.bitsRead(output, i, width) >>> 0, number);
      });
    }),
  );
});

test("codes of a range are found eight at a time, whatever their width", () => {
  const cases = fc.nat(30).chain((width) =>
    fc.record({
      width: fc.constant(width),
      list: fc.array(fc.nat({ max: 2 ** width - 1 }), { minLength: 300, maxLength: 700, size: "max" }),
      from: fc.nat({ max: 2 ** width }),
      length: fc.nat({ max: 2 ** width }),
      firstDocid: fc.nat(200),
      words: fc.nat(16),
    }),
  );
  fc.assert(
    fc.property(cases, ({ width, list, from, length, firstDocid, words }) => {
      put(input, list);
      kernels.bitsWrite(input, list.length, width, output);
      core.u8.fill(0, spare, spare + 256);
      const done = kernels.bitsScan(output, list.length, width, from, length, spare, words, firstDocid);
      const isEmpty = width === 0 || length === 0 || from === 2 ** width;
      const isLeft = isEmpty || width > SCAN_WIDTH_MAX;
      assert.ok(isLeft ? done === 0 : list.length - done < 64 + 129, `${done} of ${list.length}`);
      const isIn = (code: number, i: number) =>
        i < done && code >= from && code < from + length && firstDocid + i < words * 64;
      const want = list.flatMap((code, i) => (isIn(code, i) ? [firstDocid + i] : []));
      const got = Array.from({ length: 2048 }, (_, i) => i).filter(
        (docid) => (core.u8[spare + (docid >> 3)] >> (docid & 7)) & 1,
      );
      assert.deepEqual(got, want);
    }),
  );
});

test("keys of numbers sort as numbers, read back, and are the same here and in the core", () => {
  const double = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(0, -0, 1, -1, 0.5, 2 ** 53, -(2 ** 53), Number.MIN_VALUE, Number.MAX_VALUE),
  );
  fc.assert(
    fc.property(double, double, (a, b) => {
      const [one, other] = [keyOfNumber(a), keyOfNumber(b)];
      // `-0 - 0` is `-0`, which is not `0` to the assertion.
      assert.equal(Math.sign(Buffer.compare(one, other)), Math.sign(a - b) + 0);
      assert.equal(numberOfKey(one), a + 0);
      const length = kernels.numberKey(a, output);
      assert.deepEqual([KIND_NUMBER, ...core.read(output, length)], [...one]);
    }),
  );
});

/** The value that the walk over a document with one number finds, through the value table. */
function readNumber(json: string): number | null {
  const bytes = new TextEncoder().encode(`{"a":${json}}`);
  core.write(input, bytes);
  core.imports.column = () => 0;
  const overhead = kernels.valuesOverhead();
  kernels.jsonWalkerReset(walker, walkerBytes);
  kernels.inverterStart(inverter, ROOM_BYTES);
  kernels.valuesStart(values, overhead + ROOM_BYTES);
  assert.ok(kernels.jsonDocument(walker, inverter, values, 0, 1, input, bytes.length) >= 0);
  assert.equal(kernels.valuesSort(values), 1);
  assert.equal(kernels.valuesRows(values, 0, output, 2), 1);
  const [column, first, numbers] = get(output, VALUE_ROW_FIELDS);
  assert.deepEqual([column, first], [0, 0]);
  if (numbers === 0) return null;
  const writer = core.take(DICTIONARY_WRITER_BYTES);
  kernels.dictionaryWriterStart(writer, output, 4096);
  assert.equal(kernels.valuesDictionary(values, 0, 1, writer), 0);
  assert.ok(kernels.dictionaryWriterFinish(writer) > 0);
  core.give(writer, DICTIONARY_WRITER_BYTES);
  return numberOfKey(core.read(spare, kernels.dictionaryTerm(output, 0, spare)));
}
const walkerBytes = kernels.jsonWalkerBytes(4096);
const walker = core.reserve(walkerBytes);
const inverter = core.reserve(ROOM_BYTES);
const values = core.reserve(kernels.valuesOverhead() + ROOM_BYTES);

test("numbers of documents are the doubles that a parser reads", () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 19n }), fc.nat(25))
    .map(
      ([digits, places]) =>
        `${digits}`.padStart(places + 1, "0").replace(/^0+(?=\d)/, "") +
        (places ? `.${"1".repeat(places)}` : ""),
    );
  const tiny = fc
    .tuple(fc.nat(1), fc.integer({ min: 15, max: 24 }), fc.nat(9999))
    .map(([whole, zeros, digits]) => `${whole}.${"0".repeat(zeros)}${digits}`);
  fc.assert(
    fc.property(fc.oneof(jsonNumber, decimals, tiny), (json) => {
      const number = Number(json);
      assert.equal(readNumber(json), Number.isFinite(number) ? number + 0 : null);
    }),
    { numRuns: 400 },
  );
});

test("entries are grouped by document, codes in order, and by code, documents in order", () => {
  const entry = fc.tuple(fc.nat(19), fc.nat(9));
  fc.assert(
    fc.property(fc.uniqueArray(entry, { maxLength: 80, selector: String }), (entries) => {
      const [starts, codes, lists, ordinals] = [output, output + 4096, spare, spare + 4096];
      put(input, entries.flat());
      const most = kernels.columnGroup(input, entries.length, 20, starts, codes);
      kernels.columnInvert(starts, codes, 20, 10, lists, ordinals);
      kernels.columnOrder(lists, ordinals, 10, 20, starts, codes);
      const parts = (bounds: number, numbers: number, count: number) =>
        Array.from({ length: count }, (_, i) => {
          const [from, to] = get(bounds + 4 * i, 2);
          return get(numbers + 4 * from, to - from);
        });
      const ofDocument = Array.from({ length: 20 }, (_, document) =>
        entries.flatMap(([own, code]) => (own === document ? [code] : [])).sort((a, b) => a - b),
      );
      assert.equal(most, Math.max(...ofDocument.map(({ length }) => length)));
      assert.deepEqual(parts(starts, codes, 20), ofDocument);
      const ofCode = Array.from({ length: 10 }, (_, code) =>
        ofDocument.flatMap((own, document) => (own.includes(code) ? [document] : [])),
      );
      assert.deepEqual(parts(lists, ordinals, 10), ofCode);
    }),
  );
});

test("posting lists of codes are written as long as there is room", () => {
  const lists = fc.array(fc.uniqueArray(fc.nat(900), { minLength: 1, maxLength: 200, size: "max" }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(lists, fc.nat(), fc.nat(), (some, one, cut) => {
      const sorted = some.map((list) => list.sort((a, b) => a - b));
      const bytes = sorted.map((list) => {
        put(input, list);
        const length = kernels.postingsEncode(input, list.length, 0, 0, output, ROOM_BYTES);
        return [...core.read(output, length)];
      });
      const from = one % some.length;
      const capacity = cut % (bytes.slice(from).flat().length + 20);
      put(keys, [0, ...sorted.map((_, i) => sorted.slice(0, i + 1).flat().length)]);
      put(input, sorted.flat());
      core.u8.fill(0xee, output, output + capacity + 64);
      const done = kernels.columnLists(keys, input, from, some.length, output, capacity, spare);
      const fitting = bytes.slice(from, from + done);
      assert.deepEqual(
        get(spare, done),
        fitting.map(({ length }) => length),
      );
      assert.deepEqual([...core.read(output, fitting.flat().length)], fitting.flat());
      const left = capacity - fitting.flat().length;
      // A head is written only if there is room for a longer one.
      if (from + done < some.length) assert.ok(bytes[from + done].length + 5 > left);
      assert.ok(core.read(output + capacity, 64).every((byte) => byte === 0xee));
    }),
  );
});

test("a selection takes the smallest keys, all of each, in order", () => {
  const key = fc.oneof(fc.nat(20), fc.nat(5000), fc.nat({ max: 2 ** 32 - 1 }), fc.constant(2 ** 32 - 1));
  const range = fc.tuple(
    fc.oneof(fc.nat(20), fc.nat(3000)),
    fc.oneof(fc.nat(20), fc.nat(5000), fc.constant(-1)),
  );
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 300, size: "max" }),
      fc.nat(50),
      range,
      (list, wanted, [from, more]) => {
        const last = more < 0 ? 2 ** 32 - 2 : Math.max(0, from + more - 1);
        const docids = list.map((_, i) => 3 * i);
        put(keys, list);
        put(input, docids);
        const bound = kernels.selectBound(keys, list.length, from, last, wanted + 1) >>> 0;
        const expected = docids
          .map((docid, i) => [docid, list[i]])
          .filter(([, own]) => own >= from && own < bound && own <= last)
          .sort(([, a], [, b]) => a - b);
        assert.equal(kernels.selectCount(), expected.length);
        const isEnough = expected.length > wanted || bound === last + 1;
        assert.ok(isEnough, `${expected.length} of ${wanted + 1}`);
        // In a small range, each bucket is one key: so the bound is the least one.
        const before = expected.filter(([, own]) => own < bound - 1).length;
        if (last - from < 4096 && expected.length > wanted) assert.ok(before <= wanted);
        assert.equal(kernels.selectPairs(keys, input, list.length, from, bound, output), expected.length);
        kernels.selectSort(output, expected.length, spare);
        assert.deepEqual(get(output, 2 * expected.length), expected.flat());
      },
    ),
  );
});
