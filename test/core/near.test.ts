// Neighbouring words are found in the documents where a plain search of their positions finds them, in lists
// of like and of very different lengths; damaged bytes harm nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { bitmapBytes, bitmapWords } from "../twins/bitmap.ts";
import { encode, type Posting } from "../twins/postings.ts";
import { postings } from "./randompostings.ts";

const ROOM_BYTES = 1 << 20;
const GUARD_BYTES = 64;
const BITMAP_BYTES = 1 << 17;
const FIELDS = 4;
/** The lists of these tests have fields below this number, of which the index has fewer. */
const FIELDS_READ_MAX = 301;
const core = new Core();
const kernels = core.exports;
const [lists, positions] = Array.from({ length: 2 }, () => [
  core.reserve(ROOM_BYTES),
  core.reserve(ROOM_BYTES),
]);
const [scratch, bitmap] = [core.reserve(ROOM_BYTES), core.reserve(BITMAP_BYTES + GUARD_BYTES)];
const fieldFlags = core.reserve(FIELDS_READ_MAX);
// Behind the fields of the index there is what looks like flags.
core.fill(fieldFlags, 1, FIELDS_READ_MAX);

type Side = [list: number, length: number, positions: number, positionsLength: number];

/** Writes a word's lists; returns what the kernel asks about them. */
function write(some: readonly Posting[], side: number): Side {
  const bytes = encode(some);
  core.write(lists[side], bytes.list);
  core.write(positions[side], bytes.positions);
  return [lists[side], bytes.list.length, positions[side], bytes.positions.length];
}

/** Runs the kernel into a bitmap of so many words; it must write neither behind it nor behind its scratch. */
function match([a, b]: readonly [Side, Side], most: number, words: number): Uint8Array {
  const [countA, countB] = [a, b].map(([list, length]) => Math.max(0, kernels.postingsCount(list, length)));
  const bytes = Number(kernels.matchNearBytes(countA, countB));
  assert.ok(bytes <= ROOM_BYTES - GUARD_BYTES);
  const guards = [scratch + bytes, bitmap + words * 8];
  core.fill(bitmap, 0, words * 8);
  for (const guard of guards) core.fill(guard, 0xee, GUARD_BYTES);
  kernels.matchNear(...a, ...b, most, fieldFlags, FIELDS, scratch, bitmap, words);
  for (const guard of guards) assert.ok(core.read(guard, GUARD_BYTES).every((byte) => byte === 0xee));
  return core.read(bitmap, words * 8);
}

function isNear(a: readonly number[], b: readonly number[], most: number, fields: readonly number[]) {
  const isIn = (field: number) => [a, b].every((keys) => keys.some((key) => key >>> 16 === field));
  if (most === 0) return fields.some(isIn);
  return a.some((x) => b.some((y) => y > x && y - x <= most && y >>> 16 === x >>> 16));
}

test("words are near where one follows the other in a field, or where a field holds both", () => {
  const length = fc.constantFrom(3, 40, 700, 3000);
  const pair = fc.tuple(length, length).chain(([one, other]) => fc.tuple(postings(one), postings(other)));
  const fields = fc.uniqueArray(fc.nat(FIELDS - 1));
  fc.assert(
    fc.property(
      pair,
      fc.nat(4),
      fields,
      fc.integer({ min: 1, max: 9 }),
      ([one, other], most, allowed, part) => {
        // The bitmap of an index may end before the last docids of a list.
        const last = Math.min(Math.max(one.at(-1)!.docid, other.at(-1)!.docid), BITMAP_BYTES * 8 - 1);
        const words = bitmapWords(Math.ceil(((last + 1) * part) / 9));
        for (let field = 0; field < FIELDS; field++)
          core.u8[fieldFlags + field] = Number(allowed.includes(field));
        const keys = new Map(other.map((posting) => [posting.docid, posting.keys]));
        const docids = one
          .filter((posting) => isNear(posting.keys, keys.get(posting.docid) ?? [], most, allowed))
          .map(({ docid }) => docid)
          .filter((docid) => docid < words * 64);
        assert.deepEqual(match([write(one, 0), write(other, 1)], most, words), bitmapBytes(docids, words));
      },
    ),
    { numRuns: 400 },
  );
});

test("a rare word is found beside a frequent one in any document of a block, the last one included", () => {
  const frequent = Array.from({ length: 12 * 128 + 40 }, (_, docid) => ({ docid, keys: [1] }));
  const other = write(frequent, 1);
  const edges = Array.from({ length: 12 }, (_, block) =>
    [127, 128, 200].map((at) => 128 * block + at),
  ).flat();
  const pairs = edges.flatMap((one) => edges.filter((next) => next > one).map((next) => [one, next]));
  for (const docids of [...edges.map((docid) => [docid]), ...pairs]) {
    const rare = write(
      docids.map((docid) => ({ docid, keys: [0] })),
      0,
    );
    // Two documents in three are within the bitmap.
    for (const words of [bitmapWords(frequent.length), 16])
      assert.deepEqual(match([rare, other], 1, words), bitmapBytes(docids, words), `${docids} ${words}`);
  }
});

test("a word at the last position of a field is not near one at the beginning of the next field", () => {
  for (const [end, start] of [
    [65535, 65536],
    [65533, 65537],
    [3 * 65536 - 1, 3 * 65536 + 1],
  ]) {
    const sides: [Side, Side] = [
      write([{ docid: 3, keys: [end] }], 0),
      write([{ docid: 3, keys: [start] }], 1),
    ];
    assert.deepEqual(match(sides, 9, 1), bitmapBytes([], 1));
  }
});

test("documents without occurrences, which only damage makes, share no field", () => {
  core.fill(fieldFlags, 1, FIELDS);
  const sides = [0, 1].map((side) => write([{ docid: 3, keys: [0] }], side)) as [Side, Side];
  assert.deepEqual(match(sides, 0, 1), bitmapBytes([3], 1));
  for (const side of [0, 1]) {
    const damaged = sides.map((own, i) => (i === side ? [...own.slice(0, 3), 0] : own)) as [Side, Side];
    for (const most of [0, 1]) assert.deepEqual(match(damaged, most, 1), bitmapBytes([], 1));
  }
});

test("damaged lists and positions trap nothing, and nothing is written outside", () => {
  const edit = fc.record({ at: fc.nat(), value: fc.nat(255), side: fc.nat(1), isList: fc.boolean() });
  const edits = fc.array(edit, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(postings(500), postings(3000), edits, fc.nat(3), (one, other, changes, most) => {
      const sides: [Side, Side] = [write(one, 0), write(other, 1)];
      for (const { at, value, side, isList } of changes) {
        const [list, length, places, placesLength] = sides[side];
        // The beginning of a list, its length, is never wrong by so much that the room cannot be taken.
        if (isList) core.u8[list + 2 + (at % Math.max(1, length - 2))] = value;
        else core.u8[places + (at % placesLength)] = value;
      }
      match(sides, most, BITMAP_BYTES / 8);
    }),
    { numRuns: 300 },
  );
});
