// The rule that sorts by the distance from a point: documents without a location come last in both directions. Called by
// sorting.ts.
import type { Corner } from "../filter/expression.ts";
import { distanceBetween, eachPoint, type Located } from "../filter/geo.ts";
import type { Bitmaps } from "./bitmaps.ts";
import { listed } from "./columnsort.ts";
import { Documents } from "./documents.ts";
import type { Bucket, Rank, Rule } from "./rule.ts";
import type { Direction } from "./sorting.ts";

/** Documents farther from the first of a bucket by no more than this are in it, too. */
const BUCKET_METERS = 1;
const BUCKET_DOCUMENTS_MAX = 1000;
/** From so many candidates on, distances order documents exactly; below, in whole metres. */
const EXACT_DOCUMENTS_MIN = 1000;

interface Place extends Located {
  distance: number;
}

export function geoSortRule(bitmaps: Bitmaps, point: Corner, direction: Direction): Rule {
  const key = `_geoPoint(${point[0]}, ${point[1]}):${direction}`;
  const rank = (first: Place | null): Rank => {
    const value = first && { lat: first.lat, lng: first.lng };
    const fields = { value, distance: first && first.distance };
    return { rule: "sort", rank: 1, max: 1, details: { key, fields } };
  };
  return function* (documents, paths): Generator<Bucket> {
    const rest = bitmaps.create(documents.bitmap);
    const places = sortedPlaces(bitmaps, documents, point, direction);
    const { u8 } = bitmaps.reader.share.core;
    for (let i = 0; i < places.length; ) {
      const first = places[i];
      const docids: number[] = [];
      while (i < places.length && docids.length < BUCKET_DOCUMENTS_MAX) {
        const { docid, distance } = places[i];
        if (Math.abs(distance - first.distance) > BUCKET_METERS) break;
        u8[rest + (docid >>> 3)] &= ~(1 << (docid & 7));
        docids.push(docid);
        i++;
      }
      yield { documents: listed(bitmaps, docids.sort((a, b) => a - b)), paths, rank: rank(first) };
    }
    if (bitmaps.any(rest)) yield { documents: Documents.ofBitmap(bitmaps, rest), paths, rank: rank(null) };
  };
}

/** Candidates with a location, nearest or farthest first. */
function sortedPlaces(bitmaps: Bitmaps, documents: Documents, point: Corner, direction: Direction): Place[] {
  const { bitmap, count } = documents;
  const places: Place[] = [];
  eachPoint(bitmaps, (docid, lat, lng) => {
    if (bitmaps.has(bitmap, docid)) places.push({ docid, lat, lng, distance: distanceBetween(point, [lat, lng]) });
  });
  const measure = count < EXACT_DOCUMENTS_MIN ? Math.trunc : (meters: number) => meters;
  const sign = direction === "asc" ? 1 : -1;
  return places.sort((a, b) => sign * (measure(a.distance) - measure(b.distance)) || a.docid - b.docid);
}

