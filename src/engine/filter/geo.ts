// Locations of documents: distances, and the documents around a point or inside a box. Called by evaluate.ts and by the sort
// by distance (search/geosort.ts).
import type { Bitmaps } from "../search/bitmaps.ts";
import type { Corner } from "./expression.ts";

const EARTH_RADIUS_METERS = 6_371_000;
const RADIANS = Math.PI / 180;
const METERS_PER_DEGREE = EARTH_RADIUS_METERS * RADIANS;

export interface Located {
  docid: number;
  lat: number;
  lng: number;
}

/** The location that the value of `_geo` is: degrees as numbers or as texts; null when it is none. */
export function locationOf(value: unknown): { lat: number; lng: number } | null {
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
  const a = half(otherLat - lat) + Math.cos(lat * RADIANS) * Math.cos(otherLat * RADIANS) * half(otherLng - lng);
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

/** Bitmap of the documents in a box, its edges included; one whose right edge lies left of the left one goes round the globe. */
export function documentsInBox(bitmaps: Bitmaps, [top, right]: Corner, [bottom, left]: Corner): number {
  const isRound = right < left;
  return documentsWhere(bitmaps, (lat, lng) => {
    if (lat > top || lat < bottom) return false;
    return isRound ? lng >= left || lng <= right : lng >= left && lng <= right;
  });
}

/** Tells the location of every living document that has one. */
export function eachPoint(bitmaps: Bitmaps, visit: (docid: number, lat: number, lng: number) => void): void {
  const { reader } = bitmaps;
  const { core } = reader.share;
  for (const open of reader.segments) {
    const { points } = open.segment.meta;
    if (!points) continue;
    const address = open.segment.load("points");
    const degrees = new Float64Array(core.memory.buffer, address, 2 * points);
    const docids = new Uint32Array(core.memory.buffer, address + 16 * points, points);
    for (let i = 0; i < points; i++) {
      if (reader.livesIn(open, docids[i])) visit(docids[i], degrees[i], degrees[points + i]);
    }
  }
}

function documentsWhere(bitmaps: Bitmaps, holds: (lat: number, lng: number) => boolean): number {
  const { u8 } = bitmaps.reader.share.core;
  const result = bitmaps.create();
  eachPoint(bitmaps, (docid, lat, lng) => {
    if (holds(lat, lng)) u8[result + (docid >>> 3)] |= 1 << (docid & 7);
  });
  return result;
}
