// The kernels over the points of a segment (assembly/points.ts) against plain definitions.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Core } from "../../src/core/core.ts";
import { directionOf, type Location, POINT_BYTES, PointArrays } from "../../src/segment/points.ts";
import { ascending, bitmapBytes, bitmapWords } from "../twins/bitmap.ts";

const POINTS_MAX = 60;
const BITS = 256;
const core = new Core();
const [section, tombstones, found, doubtful] = [
  ...[POINTS_MAX * POINT_BYTES, BITS / 8, BITS / 8, 4 * POINTS_MAX].map((bytes) => core.reserve(bytes)),
];

/** Whole degrees, so that many lie on the edges that are asked for. */
const place = fc.record({ lat: fc.integer({ min: -4, max: 4 }), lng: fc.integer({ min: -180, max: 180 }) });
const points = fc.array(place, { maxLength: POINTS_MAX, size: "max" });
const dead = fc.array(fc.nat(BITS - 1), { maxLength: 40 }).map(ascending);

/** Writes points with every third docid, all of those in `dead` deleted; returns the docids. */
function write(locations: readonly Location[], dead: readonly number[]): number[] {
  const arrays = new PointArrays(core.memory.buffer, section, locations.length);
  locations.forEach((location, i) => {
    arrays.lats[i] = location.lat;
    arrays.lngs[i] = location.lng;
    arrays.docids[i] = 3 * i;
    directionOf(location).forEach((value, axis) => {
      arrays.directions[axis * locations.length + i] = value;
    });
  });
  core.write(tombstones, bitmapBytes(dead, bitmapWords(BITS)));
  core.fill(found, 0, BITS / 8);
  return locations.map((_, i) => 3 * i);
}

const bitmapOf = (docids: readonly number[]) => [...bitmapBytes(docids, bitmapWords(BITS))];
const foundBits = () => [...core.u8.subarray(found, found + BITS / 8)];

test("points surely near enough are documents, those that may be are places", () => {
  const squares = fc.tuple(
    fc.double({ min: 0, max: 4, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  const property = fc.property(points, place, dead, squares, (locations, from, dead, [sure, more]) => {
    const docids = write(locations, dead);
    const [least, most] = [Math.fround(sure), Math.fround(sure + more)];
    const center = directionOf(from).map(Math.fround) as [number, number, number];
    const count = core.exports.pointsNear(
      ...([section, locations.length, ...center, least, most] as const),
      ...([tombstones, bitmapWords(BITS), found, doubtful] as const),
    );
    const square = (location: Location) =>
      directionOf(location)
        .map((value, axis) => Math.fround(Math.fround(value) - center[axis]))
        .map((difference) => Math.fround(difference * difference))
        .reduce((sum, part) => Math.fround(sum + part));
    const living = docids.map((docid, i) => ({ docid, i, square: square(locations[i]) }));
    const seen = living.filter(({ docid, square }) => !dead.includes(docid) && square <= most);
    const [near, rest] = [seen.filter((p) => p.square <= least), seen.filter((p) => p.square > least)];
    assert.deepEqual(foundBits(), bitmapOf(near.map(({ docid }) => docid)));
    assert.deepEqual(
      [...core.u32.subarray(doubtful >>> 2, (doubtful >>> 2) + count)],
      rest.map(({ i }) => i),
    );
  });
  fc.assert(property);
});

test("points of candidates that live get keys in the order of their distances", () => {
  const [candidates, keys, places, numbers] = Array.from({ length: 4 }, () => core.reserve(4 * POINTS_MAX));
  const property = fc.property(points, place, dead, dead, (locations, from, dead, chosen) => {
    const docids = write(locations, dead);
    core.write(candidates, bitmapBytes(chosen, bitmapWords(BITS)));
    const center = directionOf(from).map(Math.fround) as [number, number, number];
    for (const deleted of [0, tombstones]) {
      const count = core.exports.pointKeys(
        ...([section, locations.length, ...center, candidates, deleted, bitmapWords(BITS)] as const),
        ...([keys, places, numbers, 7] as const),
      );
      const isIn = (docid: number) => chosen.includes(docid) && !(deleted && dead.includes(docid));
      const expected = docids.flatMap((docid, i) => (isIn(docid) ? [i] : []));
      const read = (at: number) => [...core.u32.subarray(at / 4, at / 4 + count)];
      assert.deepEqual(read(places), expected);
      assert.deepEqual(
        read(numbers),
        expected.map((_, i) => 7 + i),
      );
      const squares = new Float32Array(Uint32Array.from(read(keys)).buffer);
      squares.forEach((square, i) => {
        const direction = directionOf(locations[expected[i]]);
        const own = direction.reduce((sum, value, axis) => sum + (value - center[axis]) ** 2, 0);
        assert.ok(Math.abs(square - own) < 1e-5);
      });
    }
  });
  fc.assert(property, { seed: 1 });
});

test("points in a box are those between its edges", () => {
  const property = fc.property(points, place, place, dead, (locations, a, b, dead) => {
    const docids = write(locations, dead);
    const [top, bottom] = [Math.max(a.lat, b.lat), Math.min(a.lat, b.lat)];
    const [right, left] = [Math.max(a.lng, b.lng), Math.min(a.lng, b.lng)];
    core.exports.pointsInBox(
      ...([section, locations.length, top, right, bottom, left] as const),
      ...([tombstones, bitmapWords(BITS), found] as const),
    );
    const inside = docids.filter((docid, i) => {
      const { lat, lng } = locations[i];
      return lng >= left && lng <= right && lat <= top && lat >= bottom && !dead.includes(docid);
    });
    assert.deepEqual(foundBits(), bitmapOf(inside));
  });
  fc.assert(property);
});
