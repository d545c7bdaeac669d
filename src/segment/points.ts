// Section `points`: the locations of documents, ascending by docid. Written by builder.ts and pointmerge.ts,
// read by geographic filters and sorts (engine/filter/geo.ts, engine/search/geosort.ts).
//
//   | f64 latitude each | f64 longitude each | u32 docid each | f32 x each | f32 y each | f32 z each |
//
// x, y and z are the point on the unit sphere: they give the distance of two points directly.
import { placeOf } from "../core/ascending.ts";
import type { SegmentWriter } from "./writer.ts";

/** In degrees. */
export interface Location {
  lat: number;
  lng: number;
}

export const POINT_BYTES = 32;
const RADIANS = Math.PI / 180;
const POINTS_FIRST = 16;
/** Direction of a location from the centre of the globe. */
export function directionOf({ lat, lng }: Location): [x: number, y: number, z: number] {
  const across = Math.cos(lat * RADIANS);
  return [across * Math.cos(lng * RADIANS), across * Math.sin(lng * RADIANS), Math.sin(lat * RADIANS)];
}

/** The arrays of a section, or of memory that is laid out like one. */
export class PointArrays {
  readonly count: number;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
  readonly docids: Uint32Array;
  /** Address of the directions: all x, then y, then z. */
  readonly directions: Float32Array;

  constructor(buffer: ArrayBufferLike, address: number, count: number) {
    this.count = count;
    this.lats = new Float64Array(buffer, address, count);
    this.lngs = new Float64Array(buffer, address + 8 * count, count);
    this.docids = new Uint32Array(buffer, address + 16 * count, count);
    this.directions = new Float32Array(buffer, address + 20 * count, 3 * count);
  }

  /** Place of a document's point in the arrays; -1 when it has none. */
  placeOf(docid: number): number {
    return placeOf(this.docids, docid);
  }
}

/** Gathers points in order of their docids. */
export class PointList {
  #count = 0;
  #degrees = new Float64Array(0);
  #docids = new Uint32Array(0);

  add(docid: number, { lat, lng }: Location): void {
    if (this.#count === this.#docids.length) this.#grow();
    this.#degrees[2 * this.#count] = lat;
    this.#degrees[2 * this.#count + 1] = lng;
    this.#docids[this.#count++] = docid;
  }

  /** Writes the section if there are any points. Returns their number. */
  writeTo(writer: SegmentWriter): number {
    if (this.#count === 0) return 0;
    const count = this.#count;
    const bytes = new Uint8Array(POINT_BYTES * count);
    const points = new PointArrays(bytes.buffer, 0, count);
    for (let i = 0; i < count; i++) {
      const location = { lat: this.#degrees[2 * i], lng: this.#degrees[2 * i + 1] };
      points.lats[i] = location.lat;
      points.lngs[i] = location.lng;
      points.docids[i] = this.#docids[i];
      const direction = directionOf(location);
      for (let axis = 0; axis < 3; axis++) points.directions[axis * count + i] = direction[axis];
    }
    writer.writeSection("points", bytes);
    return count;
  }

  #grow(): void {
    const length = Math.max(POINTS_FIRST, 2 * this.#docids.length);
    const degrees = new Float64Array(2 * length);
    const docids = new Uint32Array(length);
    degrees.set(this.#degrees);
    docids.set(this.#docids);
    this.#degrees = degrees;
    this.#docids = docids;
  }
}
