// The documents whose shapes meet an area. Called by evaluate.ts.
import type { Box, GeometryHeads } from "../../segment/geometryformat.ts";
import type { Bitmaps } from "../search/bitmaps.ts";
import type { Area } from "./area.ts";

/** Adds the documents whose shapes meet one of some areas to a bitmap. */
export function addDocumentsIn(bitmaps: Bitmaps, areas: readonly Area[], into: number): void {
  const { reader } = bitmaps;
  const { u8 } = reader.share.core;
  for (const open of reader.segments) {
    const geometries = open.segment.geometries();
    if (!geometries) continue;
    const { heads } = geometries;
    for (let at = 0; at < heads.count; at++) {
      const near = areas.filter(({ box }) => reaches(box, heads, at));
      const docid = heads.docids[at];
      if (near.length === 0 || !reader.livesIn(open, docid)) continue;
      const geometry = geometries.read(at);
      if (near.some((area) => area.meets(geometry))) u8[into + (docid >>> 3)] |= 1 << (docid & 7);
    }
  }
}

/** True when the box of an area and that of a geometry meet. */
function reaches(box: Box, { west, south, east, north }: GeometryHeads, at: number): boolean {
  if (west[at] > box.east || east[at] < box.west) return false;
  return south[at] <= box.north && north[at] >= box.south;
}
