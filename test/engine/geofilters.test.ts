// Circles hold the documents whose great-circle distance is at most their radius: from a metre to the other
// side of the globe, on the very edge, after changes, in one segment and in several.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distanceBetween } from "../../src/engine/filter/geo.ts";
import { addition, found, TestIndex } from "./index.ts";

const DOCUMENTS = 240;
const METERS_PER_DEGREE = 111_195;
const centers: [lat: number, lng: number][] = [
  [48.2, 16.4],
  [0, 180],
  [89.99, -45],
  [-33.9, -0.001],
];

/** Places around the centres, each ring ten times as wide as the one before. */
function placeOf(id: number): [lat: number, lng: number] {
  const [lat, lng] = centers[id % centers.length];
  const meters = 0.5 * 10 ** (id % 8);
  const angle = id * 2.4;
  const north = Math.max(-90, Math.min(90, lat + (meters * Math.sin(angle)) / METERS_PER_DEGREE));
  return [north, ((lng + (meters * Math.cos(angle)) / METERS_PER_DEGREE + 540) % 360) - 180];
}

const documentOf = (id: number, [lat, lng] = placeOf(id)) =>
  `{"id":${id},"_geo":{"lat":${lat},"lng":${lng}}}`;

test("a circle holds the documents that are near enough, and no others", () => {
  const index = new TestIndex();
  const ids = Array.from({ length: DOCUMENTS }, (_, id) => id);
  index.run([{ kind: "settings", patch: { filterableAttributes: ["_geo"] } }]);
  for (let from = 0; from < DOCUMENTS; from += 80) {
    index.run([addition(ids.slice(from, from + 80).map((id) => documentOf(id)))]);
  }
  // One of each centre moves to the next, another goes.
  const moved = ids.filter((id) => id % 60 < 4);
  index.run([addition(moved.map((id) => documentOf(id, centers[(id + 1) % centers.length])))]);
  const gone = ids.filter((id) => id % 60 >= 56);
  index.run([{ kind: "deleteIds", ids: gone.map(String) }]);
  const places = new Map(ids.map((id) => [id, moved.includes(id) ? centers[(id + 1) % 4] : placeOf(id)]));
  for (const id of gone) places.delete(id);

  const center = fc.oneof(fc.constantFrom(...centers), fc.constantFrom(...places.values()));
  const exponent = fc.double({ min: -1, max: 7.4, noNaN: true });
  const property = fc.property(
    center,
    exponent,
    fc.nat(DOCUMENTS - 1),
    fc.boolean(),
    (at, power, id, isEdge) => {
      const edge = places.get(id);
      const meters = isEdge && edge ? distanceBetween(at, edge) : 10 ** power;
      const filter = `_geoRadius(${at[0]}, ${at[1]}, ${meters})`;
      const near = [...places].filter(([, place]) => distanceBetween(at, place) <= meters);
      assert.deepEqual(
        found(index, filter),
        near.map(([id]) => id).sort((a, b) => a - b),
      );
    },
  );
  fc.assert(property, { numRuns: 300 });
  index.close();
});

test("every corner of an area has to be on the globe, and a box may have no height", () => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["_geo", "_geojson"] } }]);
  index.run([addition([documentOf(1, [1, 1])])]);
  assert.deepEqual(found(index, "_geoBoundingBox([1, 2], [1, 0])"), [1]);
  for (const filter of [
    "_geoBoundingBox([91, 2], [0, 0])",
    "_geoBoundingBox([1, 181], [0, 0])",
    "_geoBoundingBox([1, 2], [-91, 0])",
    "_geoBoundingBox([1, 2], [0, -181])",
    "_geoPolygon([0, 0], [0, 1], [91, 1])",
    "_geoRadius(-91, 0, 1)",
  ])
    assert.throws(() => found(index, filter), /must be contained between/, filter);
  index.close();
});

test("a box round the globe holds what lies on either side of the antimeridian, and nothing beyond", () => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["_geo"] } }]);
  const lngs = [170, 180, -180, -170, 169, -169, 0, 480, -300, 540, 185, -185];
  index.run([addition(lngs.map((lng, id) => documentOf(id, [0, lng])))]);
  assert.deepEqual(found(index, "_geoBoundingBox([1, -170], [-1, 170])"), [0, 1, 2, 3]);
  // Degrees beyond the map are in no box.
  assert.deepEqual(found(index, "_geoBoundingBox([1, 180], [-1, -180])"), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(found(index, "_geoBoundingBox([1, -180], [-1, 180])"), [1, 2]);
  // A box without width is a line, not the whole globe.
  assert.deepEqual(found(index, "_geoBoundingBox([1, 170], [-1, 170])"), [0]);
  index.close();
});

test("a number that cannot be in an area is shown with its place in the filter", () => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes: ["_geo", "_geojson"] } }]);
  const faults: [filter: string, message: RegExp][] = [
    ["_geoRadius(-100, 150, 10)", /^Bad latitude `-100`.*\n12:16 _geoRadius/],
    ["_geo.lat = 1 OR _geoRadius(9, +181, 10)", /^Bad longitude `181`.*`-179`.*\n31:35 _geo.lat/],
    ["_geoBoundingBox([9, 1], [0,  -180.0001])", /^Bad longitude.*try using `179\.9999`.*\n30:39 /],
    ["_geoPolygon([0, 0], [0, 1], [91, 200])", /^Bad latitude `91`.*\n30:32 /],
    ["_geoRadius(1, 2, 3, 2.9)", /^The resolution must be from 3 to 1000, but is `2\.9`\.\n21:24 /],
    ["_geoRadius(1, 2, 1e400)", /found `1e400`\.\n18:23 /],
    ["_geoRadius(1, x, 3)", /found `x, 3\)`\.\n15:20 /],
    // The order of the corners is no matter of a single number.
    ["_geoBoundingBox([0, 0], [10, 0])", /top latitude `0` is below the bottom latitude `10`\.\n1:33 /],
  ];
  for (const [filter, message] of faults) assert.throws(() => found(index, filter), { message }, filter);
  index.close();
});
