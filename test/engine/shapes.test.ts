// Filters on the shapes of documents: areas against a plain twin, circles against distances, and what
// settings that speak of `_geojson` mean to documents.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Area } from "../../src/engine/filter/area.ts";
import { distanceBetween } from "../../src/engine/filter/geo.ts";
import { geometryFault, geometryOf } from "../../src/engine/filter/geojson.ts";
import { areasOfCircle } from "../../src/engine/filter/globe.ts";
import { checkStorage } from "../../src/segment/check.ts";
import { type PlainRing, shapeMeets } from "../twins/shapes.ts";
import { geojson, ring } from "./geojson.ts";
import { addition, found, TestIndex } from "./index.ts";

const EARTH_METERS = 6_371_000;
/** Edges are straight on the map, and a circle has corners. */
const CIRCLE_ERROR_METERS = 100_000;

const polygon = (...ring: number[][]) => ({ type: "Polygon", coordinates: [ring] });
const point = (...coordinates: number[]) => ({ type: "Point", coordinates });
const documents = (shapes: Record<number, unknown>) =>
  Object.entries(shapes).map(([id, _geojson]) => JSON.stringify({ id: Number(id), _geojson }));
const indexOf = (shapes: Record<number, unknown>, ...filterableAttributes: string[]): TestIndex => {
  const index = new TestIndex();
  index.run([{ kind: "settings", patch: { filterableAttributes } }]);
  index.run([addition(documents(shapes))]);
  return index;
};

describe("an area", () => {
  it("meets the shapes that a plain twin says it does", () => {
    const rings = fc.array(ring, { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(rings, fc.array(geojson, { minLength: 8, maxLength: 8 }), (area, shapes) => {
        const flat = new Area(area.map((one) => one.flat()));
        for (const shape of shapes) {
          assert.equal(geometryFault(shape), null);
          const geometry = geometryOf(shape);
          assert.equal(geometry !== null && flat.meets(geometry), shapeMeets(shape, area));
        }
      }),
      { numRuns: 500, interruptAfterTimeLimit: 10_000 },
    );
  });

  it("meets no shape in whose hole it lies", () => {
    const square = (degrees: number): PlainRing =>
      [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(([x, y]) => [x * degrees, y * degrees]);
    const shape = geometryOf({ type: "Polygon", coordinates: [square(6), square(3)] })!;
    assert.deepEqual(
      [1, 4, 9].map((degrees) => new Area([square(degrees).flat()]).meets(shape)),
      [false, true, true],
    );
    assert.match(geometryFault({ type: "Polygon", coordinates: [square(6), []] })!, /0 positions/);
  });

  it("of many edges meets the same", () => {
    const many = Array.from({ length: 300 }, (_, i) => {
      const reach = i % 2 ? 1 : 4;
      const turn = (2 * Math.PI * i) / 300;
      return [Math.round(1000 * reach * Math.sin(turn)), Math.round(1000 * reach * Math.cos(turn))] as const;
    });
    const star = new Area([many.flat()]);
    const whole = fc.integer({ min: -5000, max: 5000 });
    const line = fc.array(fc.tuple(whole, whole), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(line, (coordinates) => {
        for (const shape of [{ type: "LineString", coordinates }, point(...coordinates[0])])
          assert.equal(star.meets(geometryOf(shape)!), shapeMeets(shape, [many]));
      }),
    );
  });

  it("round a place has what is near it, at the poles and across the antimeridian, too", () => {
    const degrees = (most: number) =>
      fc.oneof(fc.integer({ min: -most, max: most }), fc.constantFrom(-most, most, 0, most - 1));
    const place = fc.tuple(degrees(90), degrees(180));
    const meters = fc.integer({ min: 0, max: Math.ceil(3.3 * EARTH_METERS) });
    fc.assert(
      fc.property(place, meters, fc.array(place, { minLength: 20, maxLength: 20 }), (center, far, others) => {
        const areas = areasOfCircle(center, far, 1000);
        for (const [lat, lng] of others) {
          const distance = distanceBetween(center, [lat, lng]);
          if (Math.abs(distance - far) < CIRCLE_ERROR_METERS) continue;
          assert.equal(
            areas.some((area) => area.covers(lng, lat)),
            distance < far,
            `${lat}, ${lng} is ${distance} away`,
          );
        }
      }),
      { numRuns: 60, interruptAfterTimeLimit: 10_000 },
    );
  });
});

describe("shapes of documents", () => {
  const box = "_geoBoundingBox([10, 10], [0, 0])";

  it("are filtered by circles, boxes and polygons that they meet, alone or beside locations", () => {
    const shapes = {
      1: point(5, 5),
      2: polygon([-50, -50], [50, -50], [50, 50], [-50, 50], [-50, -50]),
      3: {
        type: "LineString",
        coordinates: [
          [-5, 20],
          [20, -5],
        ],
      },
      4: point(10, 10.001),
      5: null,
      6: { type: "Feature", properties: {}, geometry: point(10, 10, 300) },
    };
    const index = indexOf(shapes, "_geojson");
    index.run([addition(['{"id":7,"_geo":{"lat":5,"lng":5}}', '{"id":8}'])]);
    assert.deepEqual(found(index, box), [1, 2, 3, 6]);
    assert.deepEqual(found(index, "_geoPolygon([0, 0], [10, 0], [10, 10], [0, 10])"), [1, 2, 3, 6]);
    assert.deepEqual(found(index, "_geoRadius(5, 5, 1000)"), [1, 2]);
    assert.deepEqual(found(index, "_geoRadius(5, 5, 0)"), [1, 2]);
    assert.deepEqual(found(index, `NOT ${box}`), [4, 5, 7, 8]);
    assert.deepEqual(found(index, '_geojson.type = "Point" AND _geojson EXISTS'), [1, 4]);
    // Corners of a circle lie on it: with few of them, less lies within.
    assert.deepEqual(found(index, "_geoRadius(5, 4, 120000, 3)"), [2]);
    assert.deepEqual(found(index, "_geoRadius(5, 4, 120000)"), [1, 2]);
    index.run([{ kind: "settings", patch: { filterableAttributes: ["_geojson", "_geo"] } }]);
    assert.deepEqual(found(index, box), [1, 2, 3, 6, 7]);
    assert.deepEqual(found(index, "_geoPolygon([0, 0], [10, 0], [10, 10], [0, 10])"), [1, 2, 3, 6]);
    index.run([
      { kind: "settings", patch: { filterableAttributes: ["_geojson"], sortableAttributes: ["_geo"] } },
    ]);
    assert.deepEqual(found(index, box), [1, 2, 3, 6]);
    index.close();
  });

  it("are met across the antimeridian, however they are drawn", () => {
    const index = indexOf(
      { 1: point(179.5, 0), 2: point(-179.5, 0), 3: point(180, 1), 4: point(181, 1), 5: point(0, 0) },
      "_geojson",
    );
    assert.deepEqual(found(index, "_geoBoundingBox([2, -178], [-2, 178])"), [1, 2, 3, 4]);
    assert.deepEqual(found(index, "_geoBoundingBox([2, -178], [-2, -180])"), [2, 3, 4]);
    assert.deepEqual(found(index, "_geoRadius(0, 180, 60000)"), [1, 2]);
    index.close();
  });

  it("follow settings, deletions and merges, and stand a check", () => {
    const index = new TestIndex();
    index.run([addition(documents({ 1: point(5, 5), 2: point(6, 6), 3: point(60, 60) }))]);
    const set = (...filterableAttributes: string[]) =>
      index.run([{ kind: "settings", patch: { filterableAttributes } }]);
    assert.throws(() => found(index, box), { code: "invalid_document_filter", message: /_geo\/_geojson/ });
    const triangle = "_geoPolygon([0, 0], [9, 0], [9, 9])";
    set("_geo");
    assert.deepEqual(found(index, box), []);
    assert.throws(() => found(index, triangle), { message: /Attribute `_geojson` is not filterable/ });
    set("_geojson");
    assert.deepEqual(found(index, triangle), [1, 2]);
    set("id", "_geojson");
    index.run([addition(documents({ 2: point(61, 61), 4: polygon([1, 1], [2, 1], [2, 2]) }))]);
    index.run([{ kind: "deleteIds", ids: ["1"] }]);
    assert.deepEqual(found(index, box), [4]);
    assert.deepEqual([...checkStorage(index.storage)], []);
    assert.ok(index.mergeAll() > 0);
    assert.deepEqual(found(index, box), [4]);
    assert.deepEqual(found(index, "_geoBoundingBox([90, 90], [-90, -90])"), [2, 3, 4]);
    assert.deepEqual([...checkStorage(index.storage)], []);
    set("id");
    assert.throws(() => found(index, box), { code: "invalid_document_filter" });
    set("_geojson");
    index.run([{ kind: "settings", patch: { stopWords: ["a"] } }]);
    assert.deepEqual(found(index, box), [4]);
    // What is not named by an update stays.
    index.run([addition(['{"id":4,"name":"x"}'], "update")]);
    assert.deepEqual(found(index, box), [4]);
    index.close();
  });

  it("are filtered by the plain name only, not by a pattern", () => {
    const features = { facetSearch: true, filter: { equality: true, comparison: true } };
    const index = new TestIndex();
    const patch = { filterableAttributes: [{ attributePatterns: ["_geojson"], features }] };
    index.run([{ kind: "settings", patch }]);
    index.run([addition(['{"id":1,"_geojson":"nothing"}'])]);
    assert.throws(() => found(index, box), { code: "invalid_document_filter" });
    index.close();
  });

  it("must be shapes, once they are filtered by", () => {
    const feature = { type: "Feature", geometry: point(1, 2) };
    const faults: [unknown, RegExp][] = [
      ["x", /it is "x", not an object/],
      [{}, /`type` is missing/],
      [{ type: "Circle" }, /`type` is "Circle", not one of Point/],
      [{ type: "toString" }, /`type` is "toString"/],
      [{ type: "Point" }, /`coordinates` is missing/],
      [{ type: "Point", coordinates: [1] }, /`coordinates` is \[1\], not a position/],
      [{ type: "Point", coordinates: ["1", 2] }, /`coordinates\[0\]` is "1", not a finite number/],
      [{ type: "LineString", coordinates: [[1, 2]] }, /`coordinates` has 1 positions, fewer than 2/],
      [polygon([1, 2], [3, 4], [1, 2]), /`coordinates\[0\]` has 2 positions, fewer than 3/],
      [{ type: "GeometryCollection", geometries: [null] }, /`geometries\[0\]` is null/],
      [{ type: "Feature", geometry: { type: "Point", coordinates: 1 } }, /`geometry.coordinates` is 1/],
      [{ type: "FeatureCollection", features: {} }, /`features` is \{\}, not an array/],
      // Each kind of object in its place.
      [
        { type: "FeatureCollection", features: [point(1, 2)] },
        /`features\[0\].type` is "Point", not Feature/,
      ],
      [{ type: "GeometryCollection", geometries: [feature] }, /`geometries\[0\].type` is "Feature", not one/],
      [{ type: "Feature", geometry: feature }, /`geometry.type` is "Feature", not one of Point/],
    ];
    const index = indexOf({}, "_geojson");
    const code = "invalid_document_geojson_field";
    for (const [value, message] of faults)
      assert.throws(() => index.run([addition(documents({ 7: value }))]), { code, message });
    assert.throws(() => index.run([addition(documents({ 7: "x" }))]), { message: /`7`/ });
    index.run([{ kind: "settings", patch: { filterableAttributes: [] } }]);
    index.run([addition(documents({ 7: "x", 8: { type: "Feature", geometry: null } }))]);
    const before = index.state;
    const geo = { filterableAttributes: ["_geojson"] };
    for (const more of [{}, { stopWords: ["a"] }]) {
      assert.throws(() => index.run([{ kind: "settings", patch: { ...geo, ...more } }]), { code });
      assert.deepEqual(index.state, before);
    }
    index.run([addition(documents({ 7: null })), { kind: "settings", patch: geo }]);
    assert.deepEqual(found(index, box), []);
    index.close();
  });

  it("may be one that earlier versions took, in a document that is there already", () => {
    const older = {
      1: { type: "FeatureCollection", features: [point(1, 1)] },
      2: { type: "Feature", geometry: { type: "Feature", geometry: point(1, 1) } },
    };
    const index = indexOf(older, "none");
    index.run([{ kind: "settings", patch: { filterableAttributes: ["_geojson"] } }]);
    assert.deepEqual(found(index, "_geoPolygon([0, 0], [0, 2], [2, 2], [2, 0])"), [1, 2]);
    assert.throws(() => index.run([addition(documents(older))]), { message: /not Feature/ });
    index.close();
  });
});
