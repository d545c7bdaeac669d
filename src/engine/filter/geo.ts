// Locations of documents: distances, and the documents around a point or inside a box. Called by evaluate.ts
// and by the sort by distance (search/geosort.ts).
import { type Location, PointArrays } from "../../segment/points.ts";
import type { OpenSegment } from "../reader.ts";
import type { Bitmaps } from "../search/bitmaps.ts";
import type { Corner } from "./expression.ts";

export const EARTH_RADIUS_METERS = 6_371_000;
const RADIANS = Math.PI / 180;
const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS;

/** The location that the value of `_geo` is: degrees as numbers or as texts; null when it is none. */
export function locationOf(value: unknown): Location | null {
  if (typeof value !== "object" || value === null) return null;
  const [lat, lng] = ["lat", "lng"].map((name) => {
    const degrees = (value as Record<string, unknown>)[name];
    const isText = typeof degrees === "string" && degrees.trim() !== "";
    return typeof degrees === "number" || isText ? Number(degrees) : Number.NaN;
  });
  return Number.isFinite(lat) && Number.isFinite(lng) ? { lat, lng } : null;
}

/** Metres along a great circle, by the haversine formula, in whole millimetres. */
export function distanceBetween([lat, lng]: Corner, [otherLat, otherLng]: Corner): number {
  const half = (degrees: number) => Math.sin((degrees * RADIANS) / 2) ** 2;
  const a =
    half(otherLat - lat) + Math.cos(lat * RADIANS) * Math.cos(otherLat * RADIANS) * half(otherLng - lng);
  return Math.round(2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(a))) * 1000) / 1000;
}

/** Bitmap of the documents at most so many metres away. */
export function documentsInRadius(bitmaps: Bitmaps, center: Corner, meters: number): number {
  // Nothing farther north or south can be near enough; half a degree pays for rounding.
  const reach = meters / METERS_PER_DEGREE + 0.5;
  return documentsWhere(bitmaps, (lat, lng) => {
    return Math.abs(lat - center[0]) <= reach && distanceBetween(center, [lat, lng]) <= meters;
  });
}

/**
 * Bitmap of the documents in a box, its edges included; one whose right edge lies left of the left one goes
 * round the globe.
 */
export function documentsInBox(bitmaps: Bitmaps, [top, right]: Corner, [bottom, left]: Corner): number {
  const isRound = right < left;
  return documentsWhere(bitmaps, (lat, lng) => {
    if (lat > top || lat < bottom) return false;
    return isRound ? lng >= left || lng <= right : lng >= left && lng <= right;
  });
}

/** Tells the points of every segment: arrays that hold for this turn. */
export function eachSegmentPoints(
  bitmaps: Bitmaps,
  visit: (points: PointArrays, address: number, open: OpenSegment) => void,
): void {
  const { reader } = bitmaps;
  const { core } = reader.share;
  for (const open of reader.segments) {
    const { points } = open.segment.meta;
    if (!points) continue;
    const address = open.segment.load("points");
    visit(new PointArrays(core.memory.buffer, address, points), address, open);
  }
}

function documentsWhere(bitmaps: Bitmaps, holds: (lat: number, lng: number) => boolean): number {
  const { reader } = bitmaps;
  const { u8 } = reader.share.core;
  const result = bitmaps.create();
  eachSegmentPoints(bitmaps, ({ count, lats, lngs, docids }, _, open) => {
    for (let i = 0; i < count; i++) {
      if (!holds(lats[i], lngs[i]) || !reader.livesIn(open, docids[i])) continue;
      u8[result + (docids[i] >>> 3)] |= 1 << (docids[i] & 7);
    }
  });
  return result;
}
