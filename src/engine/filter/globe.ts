// The conditions of a filter as areas of the plane of degrees (area.ts): circles, boxes, polygons. Called by
// evaluate.ts, for the shapes of documents.
//
// The plane repeats itself every 360 degrees: each area is made three times, so that it meets shapes that
// cross the antimeridian or are drawn beyond it.
import { Area, type Ring } from "./area.ts";
import type { Corner } from "./expression.ts";
import { EARTH_RADIUS_METERS } from "./geo.ts";

const RADIANS = Math.PI / 180;
const TURNS = [0, 360, -360];
/** Half-way round the globe. */
const METERS_MAX = Math.PI * EARTH_RADIUS_METERS;

export function areasOfBox([top, right]: Corner, [bottom, left]: Corner): Area[] {
  return repeated([rectangle(left, bottom, right < left ? right + 360 : right, top)]);
}

export function areasOfPolygon(corners: readonly Corner[]): Area[] {
  return repeated([corners.flatMap(([lat, lng]) => [lng, lat])]);
}

/** `resolution`: number of corners of the polygon that approximates the circle. */
export function areasOfCircle(center: Corner, meters: number, resolution: number): Area[] {
  if (meters < 0) return [];
  const [lat, lng] = center;
  if (meters >= METERS_MAX) return repeated([rectangle(-180, -90, 180, 90)]);
  if (meters === 0) return repeated([[lng, lat]]);
  const degrees = meters / EARTH_RADIUS_METERS / RADIANS;
  const hasNorth = lat + degrees > 90;
  const hasSouth = lat - degrees < -90;
  if (hasNorth && hasSouth) {
    // Everything except the circle around the antipode.
    const hole = corners([-lat, lng + 180], METERS_MAX - meters, resolution);
    return repeated([rectangle(lng, -90, lng + 360, 90), hole.flat()]);
  }
  const around = corners(center, meters, resolution);
  if (!hasNorth && !hasSouth) return repeated([around.flat()]);
  // Around a pole: from one meridian to the same one a turn further, and back along the pole.
  around.sort(([a], [b]) => a - b);
  const [west] = around[0];
  const pole = hasNorth ? 90 : -90;
  return repeated([[...around.flat(), west + 360, around[0][1], west + 360, pole, west, pole]]);
}

/**
 * Places at a distance from another one, clockwise from the north; none of their longitudes is half a turn
 * away from its own.
 */
function corners([lat, lng]: Corner, meters: number, count: number): [lng: number, lat: number][] {
  const angle = meters / EARTH_RADIUS_METERS;
  const [sine, cosine] = [Math.sin(lat * RADIANS), Math.cos(lat * RADIANS)];
  return Array.from({ length: count }, (_, i) => {
    const bearing = (2 * Math.PI * i) / count;
    const height = sine * Math.cos(angle) + cosine * Math.sin(angle) * Math.cos(bearing);
    const across = Math.sin(bearing) * Math.sin(angle) * cosine;
    const turn = Math.atan2(across, Math.cos(angle) - sine * height);
    return [lng + turn / RADIANS, Math.asin(Math.max(-1, Math.min(1, height))) / RADIANS];
  });
}

const rectangle = (west: number, south: number, east: number, north: number): Ring => [
  west,
  south,
  east,
  south,
  east,
  north,
  west,
  north,
];

const repeated = (rings: readonly Ring[]): Area[] =>
  TURNS.map((turn) => new Area(rings.map((ring) => ring.map((degree, i) => degree + (i % 2 ? 0 : turn)))));
