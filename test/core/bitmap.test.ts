// Bitmaps and sorted lists compute the same sets as JavaScript sets do, at every length, and write nothing
// outside.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { ascending, bitmapBytes, bitmapWords, difference, intersection, union } from "../twins/bitmap.ts";

const BITS = 1500;
const core = new Core();
const kernels = core.exports;
const [a, b, out, list] = [0, 0, 0, 0].map(() => core.reserve(1 << 17));

const size = fc.integer({ min: 1, max: BITS });
const docids = fc.oneof(
  fc.uniqueArray(fc.nat(BITS - 1), { maxLength: 300, size: "max" }).map(ascending),
  // Dense stretches.
  fc.tuple(fc.nat(BITS - 1), fc.nat(700)).map(([from, count]) => {
    return Array.from({ length: Math.min(count, BITS - from) }, (_, index) => from + index);
  }),
);

const below = (set: readonly number[], bits: number): number[] => set.filter((docid) => docid < bits);

function writeBitmap(pointer: number, set: readonly number[], words: number): void {
  core.u8.fill(0xee, pointer, pointer + words * 8 + 64);
  core.write(pointer, bitmapBytes(set, words));
}

function assertBitmap(pointer: number, set: readonly number[], words: number): void {
  assert.deepEqual(core.read(pointer, words * 8), bitmapBytes(set, words));
  assert.ok(core.u8.subarray(pointer + words * 8, pointer + words * 8 + 64).every((byte) => byte === 0xee));
}

function writeList(pointer: number, set: readonly number[]): number {
  core.u32.set(set, pointer >>> 2);
  return set.length;
}

const readList = (pointer: number, count: number): number[] => [
  ...core.u32.subarray(pointer >>> 2, (pointer >>> 2) + count),
];

test("and, or, andNot and their three-operand forms equal set operations", () => {
  const operations = [
    [kernels.bitmapAnd, kernels.bitmapMeet, intersection],
    [kernels.bitmapOr, kernels.bitmapOrInto, union],
    [kernels.bitmapAndNot, kernels.bitmapAndNotInto, difference],
  ] as const;
  fc.assert(
    fc.property(docids, docids, size, (one, other, bits) => {
      const words = bitmapWords(bits);
      for (const [inPlace, into, twin] of operations) {
        writeBitmap(a, one, words);
        writeBitmap(b, other, words);
        writeBitmap(out, [], words);
        const expected = twin(below(one, words * 64), below(other, words * 64));
        const found = into(out, a, b, words);
        assertBitmap(out, expected, words);
        if (into === kernels.bitmapMeet) assert.equal(found, Number(expected.length > 0));
        inPlace(a, b, words);
        assertBitmap(a, expected, words);
      }
    }),
  );
});

test("counts, emptiness and membership equal those of sets", () => {
  fc.assert(
    fc.property(docids, docids, size, fc.nat(BITS), (one, other, bits, docid) => {
      const words = bitmapWords(bits);
      writeBitmap(a, one, words);
      writeBitmap(b, other, words);
      const set = below(one, words * 64);
      assert.equal(kernels.bitmapCount(a, words), set.length);
      assert.equal(kernels.bitmapAndCount(a, b, words), intersection(set, below(other, words * 64)).length);
      assert.equal(kernels.bitmapAny(a, words), Number(set.length > 0));
      assert.equal(kernels.bitmapHas(a, words, docid), Number(set.includes(docid)));
    }),
  );
});

test("setting changes exactly the docids meant", () => {
  fc.assert(
    fc.property(size, docids, docids, (bits, before, set) => {
      const words = bitmapWords(bits);
      writeBitmap(a, before, words);
      const added = below(set, words * 64);
      for (const docid of added) kernels.bitmapSet(a, docid);
      assertBitmap(a, union(before, added), words);
    }),
  );
});

test("lists become bitmaps and come back in portions", () => {
  fc.assert(
    fc.property(docids, size, fc.nat(BITS), fc.integer({ min: 1, max: 90 }), (set, bits, from, most) => {
      const words = bitmapWords(bits);
      writeBitmap(a, [], words);
      kernels.bitmapFromList(a, words, list, writeList(list, set));
      assertBitmap(a, set, words);
      const found: number[] = [];
      for (let next = from; ; next = found[found.length - 1] + 1) {
        const guard = guardBehind(out + 4 * most);
        const count = kernels.bitmapToList(a, words, next, out, most);
        guard();
        found.push(...readList(out, count));
        if (count < most) break;
      }
      assert.deepEqual(
        found,
        below(set, words * 64).filter((docid) => docid >= from),
      );
    }),
  );
});

/** Marks bytes that a kernel must not write; the result sees that it did not. */
function guardBehind(address: number): () => void {
  core.fill(address, 0xee, 64);
  return () => assert.ok(core.read(address, 64).every((byte) => byte === 0xee));
}

/** In few docids, many stretches begin with 64 others. */
const sampled = fc.oneof(docids, fc.uniqueArray(fc.nat(BITS - 1), { maxLength: 20 }).map(ascending));

test("a sample has the first docid of each stretch, if it is near its beginning", () => {
  fc.assert(
    fc.property(sampled, fc.nat(BITS), fc.nat(BITS), fc.integer({ min: 1, max: 60 }), (set, x, y, count) => {
      const [from, to] = [Math.min(x, y), Math.max(x, y)];
      writeBitmap(a, set, bitmapWords(BITS + 64));
      const bounds = Array.from(
        { length: count + 1 },
        (_, i) => from + Math.floor(((to - from) * i) / count),
      );
      const expected = bounds.slice(1).flatMap((end, i) => {
        const first = set.find((docid) => docid >= bounds[i] && docid < Math.min(end, bounds[i] + 64));
        return first === undefined ? [] : [first];
      });
      const guard = guardBehind(out + 4 * count);
      assert.deepEqual(readList(out, kernels.bitmapSample(a, from, to, count, out)), expected);
      guard();
    }),
    { numRuns: 500 },
  );
});

test("a sample looks at 64 docids, wherever they begin in a word", () => {
  for (let from = 0; from < 130; from++) {
    for (const [step, expected] of [
      [0, [from]],
      [63, [from + 63]],
      [64, []],
    ] as const) {
      writeBitmap(a, [from + step], bitmapWords(BITS));
      assert.deepEqual(readList(out, kernels.bitmapSample(a, from, from + 200, 1, out)), expected);
    }
  }
});

test("the places of docids that two lists share are found, whatever their lengths", () => {
  const long = fc.uniqueArray(fc.nat(20_000), { maxLength: 3000, size: "max" }).map(ascending);
  const any = fc.oneof(docids, long, fc.uniqueArray(fc.nat(20_000), { maxLength: 12 }).map(ascending));
  fc.assert(
    fc.property(any, any, (one, other) => {
      // Behind each list there is the next docid of the other one, which must not be taken for its own.
      const next = (list: number[], before: number[]) =>
        list.find((docid) => docid > (before.at(-1) ?? -1)) ?? 0;
      writeList(a, [...one, next(other, one)]);
      writeList(b, [...other, next(one, other)]);
      const [m, n] = [one.length, other.length];
      const pairs = intersection(one, other).flatMap((docid) => [one.indexOf(docid), other.indexOf(docid)]);
      const guard = guardBehind(out + 8 * Math.min(m, n));
      assert.deepEqual(readList(out, 2 * kernels.listPairs(a, m, b, n, out)), pairs);
      guard();
    }),
    { numRuns: 200 },
  );
});
