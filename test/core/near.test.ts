// Neighbouring words are found in the documents where a plain search of their positions finds them, in lists
// of like and of very different lengths; damaged bytes harm nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { encode, type Posting } from "../twins/postings.ts";
import { postings } from "./randompostings.ts";

const ROOM_BYTES = 1 << 19;
const GUARD_BYTES = 64;
const BITS = 1 << 20;
const FIELDS = 4;
const core = new Core();
const kernels = core.exports;
const [lists, positions] = Array.from({ length: 2 }, () => [
  core.reserve(ROOM_BYTES),
  core.reserve(ROOM_BYTES),
]);
const [scratch, bitmap] = [core.reserve(ROOM_BYTES), core.reserve(BITS / 8)];
const fieldFlags = core.reserve(FIELDS);

/** Writes a word's lists; returns what the kernel asks about them. */
function write(some: readonly Posting[], side: number): [number, number, number, number] {
  const bytes = encode(some);
  core.write(lists[side], bytes.list);
  core.write(positions[side], bytes.positions);
  return [lists[side], bytes.list.length, positions[side], bytes.positions.length];
}

function isNear(a: readonly number[], b: readonly number[], most: number, fields: readonly number[]) {
  if (most === 0)
    return fields.some((field) => [a, b].every((keys) => keys.some((key) => key >>> 16 === field)));
  return a.some((x) => b.some((y) => y > x && y - x <= most && y >>> 16 === x >>> 16));
}

test("words are near where one follows the other in a field, or where a field holds both", () => {
  const length = fc.constantFrom(3, 40, 700);
  const lists = fc.tuple(length, length).chain(([one, other]) => fc.tuple(postings(one), postings(other)));
  const fields = fc.uniqueArray(fc.nat(FIELDS - 1));
  fc.assert(
    fc.property(lists, fc.nat(4), fields, ([one, other], most, allowed) => {
      const words = bitmapWords(Math.max(one.at(-1)!.docid, other.at(-1)!.docid) + 1);
      const bytes = Number(kernels.matchNearBytes(BigInt(one.length), BigInt(other.length)));
      core.fill(bitmap, 0, words * 8);
      core.fill(fieldFlags, 0, FIELDS);
      for (const field of allowed) core.u8[fieldFlags + field] = 1;
      core.fill(scratch + bytes, 0xee, GUARD_BYTES);
      const [a, b] = [write(one, 0), write(other, 1)];
      kernels.matchNear(...a, ...b, most, fieldFlags, FIELDS, scratch, bitmap, words);
      const keys = new Map(other.map((posting) => [posting.docid, posting.keys]));
      const expected = one.filter((posting) =>
        isNear(posting.keys, keys.get(posting.docid) ?? [], most, allowed),
      );
      const docids = expected.map(({ docid }) => docid);
      assert.deepEqual(core.read(bitmap, words * 8), bitmapBytes(docids, words));
      assert.ok(core.read(scratch + bytes, GUARD_BYTES).every((byte) => byte === 0xee));
    }),
    { numRuns: 400 },
  );
});

test("damaged lists and positions trap nothing, and nothing is written behind the scratch", () => {
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(postings(500), postings(500), edits, fc.nat(3), (one, other, changes, most) => {
      const [a, b] = [write(one, 0), write(other, 1)];
      for (const [at, value] of changes) {
        core.u8[a[0] + (at % a[1])] = value;
        core.u8[b[2] + (at % b[3])] = value;
      }
      const counts = [a, b].map(([list, length]) => Math.max(0, kernels.postingsCount(list, length)));
      const bytes = Number(kernels.matchNearBytes(BigInt(counts[0]), BigInt(counts[1])));
      if (bytes > ROOM_BYTES - GUARD_BYTES) return;
      core.fill(scratch + bytes, 0xee, GUARD_BYTES);
      kernels.matchNear(...a, ...b, most, fieldFlags, FIELDS, scratch, bitmap, BITS / 64);
      assert.ok(core.read(scratch + bytes, GUARD_BYTES).every((byte) => byte === 0xee));
    }),
    { numRuns: 300 },
  );
});
