// Locations of documents: distances, and the documents around a point or inside a box. Called by evaluate.ts
// and by the sort by distance (search/geosort.ts).
import { directionOf, type Location, PointArrays } from "../../segment/points.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment } from "../reader.ts";
import type { Corner } from "./expression.ts";

export const EARTH_RADIUS_METERS = 6_371_000;
const RADIANS = Math.PI / 180;
/** Single precision changes a chord by less than this part of the radius. */
export const CHORD_ERROR = 1e-6;

/** The location in a value of `_geo`: degrees as numbers or as texts; null when the value is no location. */
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

/**
 * Bitmap of the documents at most this many metres away. Chords in single precision decide nearly all of
 * them; those close to the limit are measured exactly. Latitudes beyond a pole continue on its other side.
 */
export function documentsInRadius(bitmaps: Bitmaps, center: Corner, meters: number): number {
  const { core, scratch } = bitmaps.reader.share;
  const result = bitmaps.create();
  const direction = directionOf({ lat: center[0], lng: center[1] });
  const [sure, most] = squaresAround(meters);
  const mark = scratch.mark();
  eachSegmentPoints(bitmaps, ({ count, lats, lngs, docids }, address, { tombstones }) => {
    const doubtful = scratch.alloc(4 * count);
    const found = core.exports.pointsNear(
      ...([address, count, ...direction, sure, most] as const),
      ...([tombstones, bitmaps.words, result, doubtful] as const),
    );
    for (const place of core.u32.subarray(doubtful >>> 2, (doubtful >>> 2) + found)) {
      if (distanceBetween(center, [lats[place], lngs[place]]) > meters) continue;
      core.u8[result + (docids[place] >>> 3)] |= 1 << (docids[place] & 7);
    }
  });
  scratch.release(mark);
  return result;
}

/** Squares of chords: a point up to the first one is near enough for sure, one beyond the second is not. */
function squaresAround(meters: number): [sure: number, most: number] {
  const angle = meters / EARTH_RADIUS_METERS;
  if (angle >= Math.PI) return [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const chord = 2 * Math.sin(angle / 2);
  const less = chord - CHORD_ERROR;
  return [less > 0 ? less * less : -1, (chord + CHORD_ERROR) ** 2];
}

/**
 * Bitmap of the documents in a box, its edges included; a box whose right edge is left of its left edge goes
 * round the globe: it is two boxes, on either side of the antimeridian.
 */
export function documentsInBox(bitmaps: Bitmaps, [top, right]: Corner, [bottom, left]: Corner): number {
  const { pointsInBox } = bitmaps.reader.share.core.exports;
  const result = bitmaps.create();
  const ranges = right < left ? [[left, 180] as const, [-180, right] as const] : [[left, right] as const];
  eachSegmentPoints(bitmaps, ({ count }, address, { tombstones }) => {
    for (const [west, east] of ranges)
      pointsInBox(address, count, top, east, bottom, west, tombstones, bitmaps.words, result);
  });
  return result;
}

/** Hands over the points of every segment, as arrays that are valid for this turn. */
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
