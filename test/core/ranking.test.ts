// The kernels of the ranking (assembly/ranking-*.ts) against plain definitions, on generated costs and keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { Scratch } from "../../src/core/scratch.ts";
import { ascending, bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { encode } from "../twins/postings.ts";

const core = new Core();
const scratch = new Scratch(core, 4 * 1024 * 1024);
const { exports } = core;

/** Cost of a document that does not satisfy. */
const NO_MATCH = 0xffff;
/** The kernels write up to 8 numbers behind an array of costs. */
const COSTS_SLACK_BYTES = 16;

const key = fc.tuple(fc.nat(3), fc.nat(20)).map(([field, position]) => field * 65536 + position);
const cost = fc.oneof(fc.nat(6), fc.constant(NO_MATCH));

function u32s(values: readonly number[]): number {
  const pointer = scratch.alloc(4 * values.length + 16);
  core.u32.set(values, pointer >>> 2);
  return pointer;
}

function costs(values: readonly number[]): number {
  const pointer = scratch.alloc(2 * values.length + COSTS_SLACK_BYTES);
  new Uint16Array(core.memory.buffer, pointer, values.length).set(values);
  return pointer;
}

/** Chained keys as a walk leaves them; returns the heads. */
function chains(documents: readonly number[][]): number {
  const heads = documents.map((keys) =>
    keys.reduce((next, key) => {
      const pair = scratch.alloc(8);
      core.u32.set([key, next], pair >>> 2);
      return pair;
    }, 0),
  );
  return u32s(heads);
}

function spans(documents: readonly number[][]): number {
  const bytes = 4 * documents.flat().length;
  const [out, sorted] = [scratch.alloc(8 * documents.length), scratch.alloc(bytes)];
  exports.rankingSortChains(chains(documents), documents.length, out, sorted + bytes);
  return out;
}

test("near words cost their least distance in a field", () => {
  const sides = fc.array(fc.tuple(fc.array(key, { maxLength: 40 }), fc.array(key, { maxLength: 9 })), {
    maxLength: 9,
  });
  const property = fc.property(sides, fc.integer({ min: 1, max: 3 }), (documents, most) => {
    scratch.reset();
    const [a, b] = [documents.map(([a]) => a), documents.map(([, b]) => b)];
    const before = documents.map((_, i) => 9 - (i % 7));
    const out = costs(before);
    exports.rankingNear(spans(a), spans(b), documents.length, most, 2, out);
    const expected = documents.map(([a, b], i) => {
      const distances = a.flatMap((x) => b.filter((y) => x >> 16 === y >> 16 && y > x).map((y) => y - x));
      return Math.min(
        before[i],
        ...distances.filter((distance) => distance <= most).map((distance) => distance + 2),
      );
    });
    assert.deepEqual([...new Uint16Array(core.memory.buffer, out, documents.length)], expected);
  });
  fc.assert(property);
});

test("chained keys of any number are written in order, each document's behind the next one's", () => {
  for (const count of [0, 1, 23, 24, 25, 60, 120, 500]) {
    scratch.reset();
    const documents = [5, 3, 7].map((step) =>
      Array.from({ length: count }, (_, i) => ((i * step * 7919) % 1009) * 65 + 70_000),
    );
    const heads = chains(documents);
    const [out, room] = [scratch.alloc(24), scratch.alloc(12 * count)];
    exports.rankingSortChains(heads, 3, out, room + 12 * count);
    documents.forEach((keys, i) => {
      const [start, end] = core.u32.subarray(out / 4 + 2 * i);
      assert.equal(start, room + 4 * count * (2 - i));
      const sorted = [...keys].sort((x, y) => x - y);
      assert.deepEqual([...core.u32.subarray(start / 4, end / 4)], sorted, `${count}`);
    });
  }
});

test("a document costs what its first cheapest path costs", () => {
  const paths = fc.array(
    fc.tuple(fc.nat(3), fc.array(fc.array(cost, { minLength: 20, maxLength: 20 }), { maxLength: 3 })),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  const property = fc.property(paths, fc.integer({ min: 1, max: 20 }), fc.nat(8), (paths, count, wanted) => {
    scratch.reset();
    const table = paths.flatMap(([constant, steps]) => [constant, steps.length, ...steps.map(costs)]);
    const [totals, firsts] = [costs(Array(count).fill(0)), costs(Array(count).fill(0))];
    exports.rankingTotals(u32s(table), paths.length, count, totals, firsts);
    const expected = Array.from({ length: count }, (_, i) => {
      const sums = paths.map(([constant, steps]) => steps.reduce((sum, step) => sum + step[i], constant));
      const least = Math.min(...sums);
      return least < NO_MATCH ? [least, sums.indexOf(least)] : [NO_MATCH, 0];
    });
    const [sums, first] = [totals, firsts].map(
      (pointer) => new Uint16Array(core.memory.buffer, pointer, count),
    );
    assert.deepEqual(
      expected,
      Array.from(sums, (sum, i) => [sum, first[i]]),
    );
    const list = u32s(Array.from({ length: count }, (_, i) => 10 * i));
    const [out, indexes] = [scratch.alloc(4 * count + 8), scratch.alloc(4 * count + 8)];
    const found = exports.rankingSelect(list, totals, count, wanted, wanted + 1, out, indexes);
    const chosen = expected.flatMap(([sum], i) => (sum === wanted || sum === wanted + 1 ? [i] : []));
    assert.deepEqual([...core.u32.subarray(indexes >>> 2, (indexes >>> 2) + found)], chosen);
    const docids = chosen.map((i) => 10 * i);
    assert.deepEqual([...core.u32.subarray(out >>> 2, (out >>> 2) + found)], docids);
  });
  fc.assert(property);
});

test("of the documents that begin with the query, those of a posting list that live cost nothing", () => {
  const bits = 4096;
  const docids = (most: number) =>
    fc.array(fc.nat(bits - 1), { maxLength: most, size: "max" }).map(ascending);
  const postings = docids(1500).filter(({ length }) => length > 0);
  const property = fc.property(postings, docids(60), docids(60), fc.nat(31), (counted, others, dead, bit) => {
    scratch.reset();
    // Most of the bucket is in the list, so that its blocks are met at every place.
    const bucket = ascending([...others, ...counted.filter((_, i) => i % 7 === bit % 7)]);
    const masks = bucket.map((docid) => (docid % 3 === 0 ? 0 : docid % 3 === 1 ? 1 << bit : ~(1 << bit)));
    const bytes = encode(counted.map((docid) => ({ docid, keys: [0] }))).list;
    const [list, tombstones] = [scratch.alloc(bytes.length + 64), scratch.alloc(bits / 8)];
    core.write(list, bytes);
    core.write(tombstones, bitmapBytes(dead, bitmapWords(bits)));
    const out = costs(bucket.map(() => 2));
    const [documents, own] = [u32s(bucket), u32s(masks)];
    exports.rankingBeginnings(own, bucket.length, out);
    const deadBits = dead.length ? tombstones : 0;
    const words = bitmapWords(bits);
    exports.rankingWhole(documents, own, bucket.length, bit, list, bytes.length, deadBits, words, out);
    const [isCounted, isDead] = [new Set(counted), new Set(dead)];
    const expected = bucket.map((docid, i) => {
      if (!masks[i]) return 2;
      return docid % 3 === 1 && isCounted.has(docid) && !isDead.has(docid) ? 0 : 1;
    });
    assert.deepEqual([...new Uint16Array(core.memory.buffer, out, bucket.length)], expected);
  });
  fc.assert(property);
});

test("the place of a position is as wide as the ranking sees it", () => {
  const mostOf = new Map<number, number>();
  for (let position = 0; position < 65536; position++) mostOf.set(exports.placeOf(position), position);
  for (let position = 0; position < 65536; position++) {
    const most = mostOf.get(exports.placeOf(position))!;
    assert.ok(position < 16 ? most === position : most >= position && (most <= 24 || most < 2 * position));
  }
});
