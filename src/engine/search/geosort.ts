// The rule that sorts by the distance from a point: documents without a location come last in both
// directions. Called by sorting.ts.
//
// Candidates are picked by the square of the chord between the directions of two points, in single precision,
// whose bits are the keys of a Selection. The picked ones are then sorted by their exact distance, and handed
// out as long as no candidate that is not picked yet can be nearer. The farthest from a point are the nearest
// to its antipode. Few documents are looked up one by one, and all are sorted.
import type { Core } from "../../core/core.ts";
import { directionOf, type Location, type PointArrays } from "../../segment/points.ts";
import type { Bitmaps } from "../bitmaps.ts";
import type { Corner } from "../filter/expression.ts";
import { CHORD_ERROR, distanceBetween, EARTH_RADIUS_METERS, eachSegmentPoints } from "../filter/geo.ts";
import { candidatesOf } from "./candidates.ts";
import type { Direction } from "./criterion.ts";
import { Documents } from "./documents.ts";
import { Remainder } from "./remainder.ts";
import type { Bucket, Rank, Rule } from "./rule.ts";
import { Selection } from "./selection.ts";

/** Documents that are farther than the first of a bucket by no more than this are in it, too. */
const BUCKET_METERS = 1;
const BUCKET_DOCUMENTS_MAX = 1000;
/** From this many candidates on, documents are ordered by exact distances; below, by whole metres. */
const EXACT_DOCUMENTS_MIN = 1000;
/** Bits of the square of the longest chord, with room for its error. */
const KEY_LAST = 0x40900000;
/** Neither rounding to whole metres nor the width of a bucket moves a document farther than this. */
const REACH_METERS = 3;

interface Place extends Location {
  docid: number;
  distance: number;
}

export function geoSortRule(bitmaps: Bitmaps, point: Corner, direction: Direction): Rule {
  const key = `_geoPoint(${point[0]}, ${point[1]}):${direction}`;
  const rank = (first: Place | null): Rank => {
    const value = first && { lat: first.lat, lng: first.lng };
    const distance = first ? first.distance : null;
    const fields = () => ({ value, distance });
    const standing = () => ({
      geoSort: { asc: direction === "asc", distance: first ? first.distance : null },
    });
    return { rule: "sort", rank: 1, max: 1, details: { key, fields, standing } };
  };
  return {
    *buckets(documents, paths): Generator<Bucket> {
      const rest = new Remainder(bitmaps, documents);
      const sorted = sortedPlaces(bitmaps, documents, point, direction === "desc");
      for (const places of nearGroups(bitmaps, sorted)) {
        const docids = Uint32Array.from(places, ({ docid }) => docid).sort();
        rest.take(docids);
        yield { documents: Documents.ofDocids(bitmaps, docids), paths, rank: rank(places[0]) };
      }
      const placeless = rest.documents();
      if (placeless.count > 0) yield { documents: placeless, paths, rank: rank(null) };
    },
  };
}

function* nearGroups(bitmaps: Bitmaps, places: Iterable<Place>): Generator<Place[]> {
  const isLeft = ({ docid }: Place) => bitmaps.excluded === 0 || !bitmaps.has(bitmaps.excluded, docid);
  let bucket: Place[] = [];
  for (const place of places) {
    if (!isLeft(place)) continue;
    const isFar = bucket.length > 0 && Math.abs(place.distance - bucket[0].distance) > BUCKET_METERS;
    if (isFar || bucket.length === BUCKET_DOCUMENTS_MAX) {
      yield bucket;
      bucket = [];
      if (!isLeft(place)) continue;
    }
    bucket.push(place);
  }
  if (bucket.length > 0) yield bucket;
}

/** Candidates with a location, nearest or farthest first. */
function* sortedPlaces(
  bitmaps: Bitmaps,
  documents: Documents,
  point: Corner,
  isDown: boolean,
): Generator<Place> {
  const measure = documents.count < EXACT_DOCUMENTS_MIN ? Math.trunc : (meters: number) => meters;
  const sign = isDown ? -1 : 1;
  // A single order, read from either end.
  const byDistance = (a: Place, b: Place) =>
    sign * (measure(a.distance) - measure(b.distance) || a.docid - b.docid);
  if (documents.isShortList) {
    yield* listedPlaces(bitmaps, documents, point).sort(byDistance);
    return;
  }
  const { core, scratch } = bitmaps.reader.share;
  const located = new LocatedCandidates(bitmaps, documents, isDown ? opposite(point) : point);
  const selection = new Selection(core, scratch, located, KEY_LAST);
  let waiting: Place[] = [];
  for (let stretch = selection.next(); stretch; stretch = selection.next()) {
    for (const index of stretch.docids) waiting.push(located.place(index, point));
    waiting.sort(byDistance);
    const reach = reachOf(stretch.bound);
    let done = 0;
    for (const place of waiting) {
      const fromEnd = isDown ? Math.PI * EARTH_RADIUS_METERS - place.distance : place.distance;
      if (fromEnd > reach) break;
      done++;
      yield place;
    }
    waiting = waiting.slice(done);
  }
  yield* waiting;
}

/** The documents with a location, of few that are each looked up. */
function listedPlaces(bitmaps: Bitmaps, documents: Documents, from: Corner): Place[] {
  const places: Place[] = [];
  eachSegmentPoints(bitmaps, (points, _address, open) => {
    for (const docid of candidatesOf(bitmaps, open, documents).docids) {
      const at = points.placeOf(docid);
      if (at >= 0) places.push(placeAt(points, at, from));
    }
  });
  return places;
}

function placeAt(points: PointArrays, at: number, from: Corner): Place {
  const [lat, lng] = [points.lats[at], points.lngs[at]];
  return { docid: points.docids[at], lat, lng, distance: distanceBetween(from, [lat, lng]) };
}

const opposite = ([lat, lng]: Corner): Corner => [-lat, lng > 0 ? lng - 180 : lng + 180];

/** Distance within which all candidates have keys below `bound`. */
function reachOf(bound: number): number {
  const chord = Math.sqrt(new Float32Array(Uint32Array.of(bound).buffer)[0]) - CHORD_ERROR;
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.max(0, Math.min(1, chord / 2))) - REACH_METERS;
}

/**
 * The candidates with a location in all segments, numbered as they are found: these numbers take the place of
 * docids.
 */
class LocatedCandidates {
  readonly docids: number;
  readonly keys: number;
  count = 0;
  /** Address of an array with each candidate's place among the points of its segment. */
  readonly #places: number;
  readonly #core: Core;
  /** The points of each segment, with the number of its first candidate. */
  readonly #parts: { points: PointArrays; first: number }[] = [];

  constructor(bitmaps: Bitmaps, documents: Documents, from: Corner) {
    const { core, scratch } = bitmaps.reader.share;
    this.#core = core;
    const most = bitmaps.reader.segments.reduce((sum, { segment }) => sum + segment.meta.points, 0);
    [this.docids, this.keys, this.#places] = [0, 0, 0].map(() => scratch.alloc(4 * most));
    const direction = directionOf({ lat: from[0], lng: from[1] });
    eachSegmentPoints(bitmaps, (points, address, { tombstones }) => {
      this.#parts.push({ points, first: this.count });
      const outputs = [this.keys, this.#places, this.docids].map((array) => array + 4 * this.count);
      this.count += core.exports.pointKeys(
        ...([address, points.count, ...direction] as const),
        ...([documents.bitmap, tombstones, bitmaps.words] as const),
        ...([outputs[0], outputs[1], outputs[2], this.count] as const),
      );
    });
  }

  place(number: number, from: Corner): Place {
    const { points } = this.#parts.findLast(({ first }) => first <= number)!;
    const at = this.#core.u32[this.#places / 4 + number];
    return placeAt(points, at, from);
  }
}
