// Random GeoJSON with whole degrees near the middle of the map, for the tests of filters on shapes.
import fc from "fast-check";
import type { GeoJson, PlainRing, Position } from "../twins/shapes.ts";

export const DEGREES_MAX = 6;
export const position: fc.Arbitrary<Position> = fc.tuple(
  fc.integer({ min: -DEGREES_MAX, max: DEGREES_MAX }),
  fc.integer({ min: -DEGREES_MAX, max: DEGREES_MAX }),
);
const line = fc.array(position, { minLength: 2, maxLength: 5 });
export const ring: fc.Arbitrary<PlainRing> = fc
  .tuple(fc.array(position, { minLength: 3, maxLength: 6 }), fc.boolean())
  .map(([open, closes]) => (closes ? [...open, open[0]] : open))
  .filter((all) => all.length > 3 || String(all[0]) !== String(all[2]));
const polygon = fc.array(ring, { minLength: 1, maxLength: 2 });

const typed = (type: string, coordinates: fc.Arbitrary<unknown>): fc.Arbitrary<GeoJson> =>
  coordinates.map((value) => ({ type, coordinates: value }));

const { geometry } = fc.letrec<{ geometry: GeoJson }>((tie) => ({
  geometry: fc.oneof(
    { maxDepth: 2 },
    typed("Point", position),
    typed("MultiPoint", fc.array(position, { maxLength: 3 })),
    typed("LineString", line),
    typed("MultiLineString", fc.array(line, { maxLength: 2 })),
    typed("Polygon", polygon),
    typed("MultiPolygon", fc.array(polygon, { maxLength: 2 })),
    fc.array(tie("geometry"), { maxLength: 3 }).map((geometries) => ({
      type: "GeometryCollection",
      geometries,
    })),
  ),
}));

const feature: fc.Arbitrary<GeoJson> = fc
  .option(geometry)
  .map((inner) => ({ type: "Feature", geometry: inner }));

export const geojson: fc.Arbitrary<GeoJson> = fc.oneof(
  { arbitrary: geometry, weight: 6 },
  feature,
  fc.array(feature, { maxLength: 3 }).map((features) => ({ type: "FeatureCollection", features })),
);
