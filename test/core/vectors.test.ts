// Rows, queries and distances of vectors equal the definitions in every kind and at any length and address;
// scans find what sorting all distances finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { readNearest, VECTOR_BITS, VECTOR_CODES, VECTOR_FLOATS } from "../../src/core/vectors.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { distance, type Kind, nearest, seen } from "../twins/vectors.ts";

const REGION_BYTES = 1 << 17;
const TOLERANCE = 1e-5;
const core = new Core();
const kernels = core.exports;
const [source, rows, query, heap, bitmap, other] = Array.from({ length: 6 }, () =>
  core.reserve(REGION_BYTES),
);

const kinds = [VECTOR_FLOATS, VECTOR_CODES, VECTOR_BITS] as const;
const kind = fc.constantFrom<Kind>(...kinds);
const component = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -1000, max: 1000 }).map((whole) => whole / 1000) },
  { weight: 1, arbitrary: fc.constant(0) },
);
const dimensions = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(128, 256, 300));
const vectorsOf = (least: number, most: number) =>
  dimensions.chain((length) =>
    fc.array(fc.array(component, { minLength: length, maxLength: length }), {
      minLength: least,
      maxLength: most,
    }),
  );

/** Writes f32 one behind the other. */
function writeFloats(at: number, vector: readonly number[]): void {
  vector.forEach((value, i) => {
    core.view.setFloat32(at + 4 * i, value, true);
  });
}

/** Writes the rows of vectors from `at` on, surrounded by bytes of garbage. */
function writeRows(of: Kind, vectors: readonly (readonly number[])[], at: number): number {
  const bytes = kernels.vectorRowBytes(of, vectors[0].length);
  core.fill(rows, 0xa5, REGION_BYTES);
  vectors.forEach((vector, i) => {
    writeFloats(source, vector);
    kernels.vectorRows(of, source, 1, vector.length, at + bytes * i);
  });
  return bytes;
}

function writeQuery(of: Kind, vector: readonly number[]): void {
  core.fill(query, 0xa5, REGION_BYTES);
  writeFloats(source, vector);
  kernels.vectorQuery(of, source, vector.length, query);
}

/** What a row in memory says. */
function readRow(of: Kind, at: number, length: number): number[] {
  return Array.from({ length }, (_, i) => {
    if (of === VECTOR_FLOATS) return core.view.getFloat32(at + 4 * i, true);
    if (of === VECTOR_CODES) return core.view.getInt8(at + i);
    return (core.u8[at + (i >> 3)] >> (i & 7)) & 1;
  });
}

const near = (one: number, two: number, tolerance = TOLERANCE) =>
  assert.ok(Math.abs(one - two) <= tolerance, `${one} is not ${two}`);

test("a similarity of floats is rounded as the peer rounds it", () => {
  const pairs: [number[], number[], number][] = [
    [[0.8, 0.6], [0.8, 0.3], 0.9798687100410461],
    [[1, 0, 0.5], [0.9, 0.8, 0.05], 0.8432406187057495],
  ];
  for (const [one, other, expected] of pairs) {
    writeQuery(VECTOR_FLOATS, one);
    writeRows(VECTOR_FLOATS, [other], rows);
    const distance = kernels.vectorDistance(VECTOR_FLOATS, query, rows, one.length);
    assert.equal(Math.fround(1 - distance), expected);
  }
});

test("a row holds what its kind sees of a vector, and nothing behind it is touched", () => {
  fc.assert(
    fc.property(kind, vectorsOf(1, 1), fc.nat(3), (of, [vector], shift) => {
      const at = rows + 64 + 4 * shift;
      const bytes = writeRows(of, [vector], at);
      const expected = seen(of, vector);
      readRow(of, at, vector.length).forEach((value, i) => {
        near(value, expected[i], of === VECTOR_CODES ? 1 : 0);
      });
      for (const place of [at - 1, at + bytes]) assert.equal(core.u8[place], 0xa5);
      // Not even the bytes that nobody compares depend on what was there before.
      const row = core.read(at, bytes);
      core.fill(at, 0x5a, bytes);
      kernels.vectorRows(of, source, 1, vector.length, at);
      assert.deepEqual(core.read(at, bytes), row);
    }),
  );
});

test("the distance of a query and a row is that of the definition", () => {
  fc.assert(
    fc.property(kind, vectorsOf(2, 2), fc.nat(3), (of, [vector, asked], shift) => {
      const at = rows + 64 + 4 * shift;
      writeRows(of, [vector], at);
      writeQuery(of, asked);
      const row = readRow(of, at, vector.length);
      const expected = distance(of, row, seen(of, asked, 2047));
      near(
        kernels.vectorDistance(of, query, at, vector.length),
        expected,
        1e-3 * Number(of === VECTOR_CODES) + TOLERANCE,
      );
      if (of === VECTOR_FLOATS) return;
      kernels.vectorQueryOfRow(of, at, vector.length, query);
      writeFloats(source, asked);
      kernels.vectorRows(of, source, 1, vector.length, other);
      const two = distance(of, row, readRow(of, other, vector.length));
      near(kernels.vectorDistance(of, query, other, vector.length), two);
      const bytes = kernels.vectorRowBytes(of, vector.length);
      near(kernels.vectorRowsDistance(of, at, other, vector.length, bytes), two);
    }),
  );
});

test("long vectors keep their sums within bounds", () => {
  for (const length of [4096, 10000]) {
    const vector = Array.from({ length }, (_, i) => (i % 2 ? -1 : 1));
    for (const of of kinds) {
      writeRows(of, [vector], rows);
      writeQuery(of, vector);
      near(kernels.vectorDistance(of, query, rows, length), 0);
      writeQuery(
        of,
        vector.map((value) => -value),
      );
      near(
        kernels.vectorDistance(of, query, rows, length),
        of === VECTOR_BITS ? length / (64 * Math.ceil(length / 64)) : 1,
      );
    }
  }
});

test("the zero vector is next to all, its codes at a right angle", () => {
  const zero = [0, 0, 0];
  for (const of of [VECTOR_FLOATS, VECTOR_CODES] as const) {
    writeRows(of, [zero, [1, 2, 3]], rows);
    const bytes = kernels.vectorRowBytes(of, 3);
    for (const asked of [zero, [1, 2, 3]]) {
      writeQuery(of, asked);
      near(kernels.vectorDistance(of, query, rows, 3), of === VECTOR_FLOATS ? 0 : 0.5);
    }
    writeQuery(of, zero);
    near(kernels.vectorDistance(of, query, rows + bytes, 3), of === VECTOR_FLOATS ? 0 : 0.5);
  }
});

test("how long a row is does not matter, however near to the bounds of its numbers", () => {
  const vectors = vectorsOf(2, 2).filter(([one, asked]) => [one, asked].every((each) => each.some(Boolean)));
  const powers = fc.oneof(fc.integer({ min: -130, max: 127 }), fc.constantFrom(-130, -70, 63, 64, 127));
  fc.assert(
    fc.property(vectors, powers, ([vector, asked], power) => {
      const row = vector.map((component) => Math.fround(component * 2 ** power));
      for (const of of [VECTOR_FLOATS, VECTOR_CODES] as const) {
        writeRows(of, [row], rows);
        writeQuery(of, asked);
        const expected = distance(VECTOR_FLOATS, row, asked);
        const tolerance = of === VECTOR_CODES ? 0.02 : TOLERANCE;
        near(kernels.vectorDistance(of, query, rows, vector.length), expected, tolerance);
      }
    }),
  );
});

test("a scan finds the nearest of the allowed rows, in one piece or several", () => {
  const sets = fc.uniqueArray(fc.nat(199), { maxLength: 200 });
  fc.assert(
    fc.property(kind, vectorsOf(1, 200), fc.nat(30), sets, fc.nat(200), (of, vectors, most, set, cut) => {
      const length = vectors[0].length;
      if (vectors.length * kernels.vectorRowBytes(of, length) > REGION_BYTES - 128) return;
      const bytes = writeRows(of, vectors, rows);
      writeQuery(of, vectors[0]);
      const distances = vectors.map((_, item) =>
        kernels.vectorDistance(of, query, rows + bytes * item, length),
      );
      const half = Math.min(cut, vectors.length);
      for (const allowed of [undefined, new Set(set)]) {
        core.write(bitmap, bitmapBytes(set, bitmapWords(200)));
        const at = allowed ? bitmap : 0;
        const scan = (from: number, to: number, found: number) =>
          kernels.vectorScan(of, rows + bytes * from, from, to - from, length, query, at, heap, found, most);
        const found = scan(half, vectors.length, scan(0, half, 0));
        kernels.nearestSort(heap, found);
        const expected = nearest(distances, most, (item) => allowed?.has(item) ?? true);
        assert.deepEqual(readNearest(core, heap, found), expected);
      }
    }),
  );
});

test("a scan of pieces that end anywhere finds each row once", () => {
  const rowsOf = fc.array(fc.constantFrom([1, 2], [2, 1], [-1, 3]), { minLength: 190, maxLength: 200 });
  fc.assert(
    fc.property(kind, rowsOf, fc.integer({ min: 1, max: 130 }), (of, vectors, step) => {
      const bytes = writeRows(of, vectors, rows);
      writeQuery(of, vectors[0]);
      const items = vectors.map((_, item) => item);
      core.write(bitmap, bitmapBytes(items, bitmapWords(vectors.length)));
      for (const at of [0, bitmap]) {
        let found = 0;
        for (let from = 0; from < vectors.length; from += step) {
          const count = Math.min(step, vectors.length - from);
          found = kernels.vectorScan(of, rows + bytes * from, from, count, 2, query, at, heap, found, 300);
        }
        const seen = readNearest(core, heap, found).map(({ item }) => item);
        assert.deepEqual(
          seen.sort((a, b) => a - b),
          items,
        );
      }
    }),
  );
});

test("four distances at once are those one by one, at the ends of their range and for damaged rows", () => {
  const lengths = fc.integer({ min: 1, max: 70 });
  const steps = fc.array(fc.constantFrom(-1, 1, 1, 2), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(lengths, steps, fc.constantFrom(1, 5), fc.boolean(), (length, signs, period, isDamaged) => {
      // Vectors of one direction or its opposite: rounding may lead beyond a cosine of 1.
      const vectors = signs.map((sign) => Array.from({ length }, (_, i) => (sign * ((i % period) + 1)) / 7));
      const bytes = writeRows(VECTOR_CODES, vectors, rows);
      if (isDamaged) core.view.setFloat32(rows + 2 * bytes - 4, Number.NaN, true);
      writeQuery(VECTOR_CODES, vectors[0]);
      const expected = vectors.map((_, item) =>
        kernels.vectorDistance(VECTOR_CODES, query, rows + bytes * item, length),
      );
      assert.ok(expected.every((distance) => distance >= 0 && distance <= 1));
      const found = kernels.vectorScan(VECTOR_CODES, rows, 0, 8, length, query, 0, heap, 0, 8);
      kernels.nearestSort(heap, found);
      assert.deepEqual(
        readNearest(core, heap, found),
        nearest(expected, 8, () => true),
      );
    }),
    { numRuns: 500 },
  );
});

test("rescoring gives pairs the distances of other rows, which are then sorted", () => {
  fc.assert(
    fc.property(vectorsOf(1, 50), fc.boolean(), (vectors, inOrder) => {
      const length = vectors[0].length;
      const order = vectors.map((_, item) => vectors.length - 1 - item);
      const bytes = writeRows(VECTOR_FLOATS, inOrder ? order.map((item) => vectors[item]) : vectors, rows);
      writeQuery(VECTOR_FLOATS, vectors[0]);
      order.forEach((item, i) => {
        core.view.setUint32(heap + 8 * i, item, true);
      });
      kernels.vectorRescore(heap, order.length, VECTOR_FLOATS, rows, Number(inOrder), length, query);
      kernels.nearestSort(heap, order.length);
      const distances = vectors.map((_, item) => {
        const place = inOrder ? order.indexOf(item) : item;
        return kernels.vectorDistance(VECTOR_FLOATS, query, rows + bytes * place, length);
      });
      assert.deepEqual(
        readNearest(core, heap, order.length),
        nearest(distances, order.length, () => true),
      );
    }),
  );
});

test("items are allowed when their documents are candidates and not dead", () => {
  const sets = fc.uniqueArray(fc.nat(255), { maxLength: 200 });
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 300 }), sets, sets, (docids, candidates, dead) => {
      core.u32.set(docids, source >> 2);
      core.write(rows, bitmapBytes(candidates, 4));
      core.write(other, bitmapBytes(dead, 4));
      for (const [tombstones, all] of [
        [0, 0],
        [other, 0],
        [other, 1],
        [0, 1],
      ]) {
        const allowed = docids
          .map((docid, item) => ({ docid, item }))
          .filter(({ docid }) => all || candidates.includes(docid))
          .filter(({ docid }) => !tombstones || !dead.includes(docid))
          .map(({ item }) => item);
        const count = kernels.vectorAllowed(source, docids.length, all ? 0 : rows, tombstones, 4, bitmap);
        assert.equal(count, allowed.length);
        const words = bitmapWords(docids.length);
        assert.deepEqual(core.read(bitmap, words * 8), bitmapBytes(allowed, words));
      }
    }),
  );
});
