// Finds the documents whose shapes meet an area. Called by evaluate.ts.
import type { Geometries } from "../../segment/geometries.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { OpenSegment } from "../reader.ts";
import type { Area } from "./area.ts";

/**
 * Adds to a bitmap the documents whose shapes meet one of some areas. The areas are only made when there are
 * shapes.
 */
export function addDocumentsIn(bitmaps: Bitmaps, areas: () => readonly Area[], into: number): void {
  const { reader } = bitmaps;
  reader.share.deadline.check();
  let made: readonly Area[] | null = null;
  for (const open of reader.segments) {
    const geometries = open.segment.geometries();
    if (!geometries) continue;
    made ??= areas();
    for (const area of made) addMet(bitmaps, open, geometries, area, into);
  }
}

/** The same for one area and one segment. */
function addMet(
  { reader }: Bitmaps,
  open: OpenSegment,
  geometries: Geometries,
  area: Area,
  into: number,
): void {
  const { u8 } = reader.share.core;
  const { count, west, south, east, north, docids } = geometries.heads;
  const { box } = area;
  for (let at = 0; at < count; at++) {
    if (west[at] > box.east || east[at] < box.west) continue;
    if (south[at] > box.north || north[at] < box.south) continue;
    const docid = docids[at];
    const byte = into + (docid >>> 3);
    const bit = 1 << (docid & 7);
    if (u8[byte] & bit || !reader.livesIn(open, docid)) continue;
    if (area.meets(geometries.read(at))) u8[byte] |= bit;
  }
}
