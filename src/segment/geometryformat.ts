// Section `geometries`: the shapes that documents have on the globe, ascending by docid. Written by
// geometrylist.ts and geometrymerge.ts, read by geographic filters (engine/filter/shapes.ts), checked by
// geometrycheck.ts.
//
//   section   | f64 west each | f64 south each | f64 east each | f64 north each
//             | u32 docid each | u32 start each, one closing | geometry, geometry, ... |
//   geometry  | u32 rows | u32 row each | 0 | f64 longitude, f64 latitude of each position |
//   row       positions << 2 | kind
//
// The four edges are those of the box around a geometry, which suffices to decide most cases. A start counts
// units of 8 bytes from the first geometry on. A row is a run of positions; the last one of a ring is joined
// to the first and not repeated. Positions are degrees of a plane: edges are straight in it.

/** Separate positions. */
export const ROW_POINTS = 0;
/** A line. */
export const ROW_LINE = 1;
/** The first ring of a polygon; below, its further rings, which are holes. */
export const ROW_POLYGON = 2;
export const ROW_HOLE = 3;

const UNIT_BYTES = 8;
const POSITION_BYTES = 16;
const ALIGNMENT_BYTES = 16;

/** A shape as it is stored. */
export interface Geometry {
  rows: Uint32Array;
  /** Longitude and latitude of each position. */
  positions: Float64Array;
}

/** Edges in degrees. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

export const rowOf = (kind: number, positions: number): number => (positions << 2) | kind;
export const kindOfRow = (row: number): number => row & 3;
export const lengthOfRow = (row: number): number => row >>> 2;

/** Bytes of the arrays before the geometries, for this many geometries. */
export function headBytes(count: number): number {
  return Math.ceil((4 * 8 * count + 4 * count + 4 * (count + 1)) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}

/** The arrays before the geometries, over memory that is laid out like a section. */
export class GeometryHeads {
  readonly count: number;
  readonly west: Float64Array;
  readonly south: Float64Array;
  readonly east: Float64Array;
  readonly north: Float64Array;
  readonly docids: Uint32Array;
  readonly starts: Uint32Array;

  constructor(buffer: ArrayBufferLike, address: number, count: number) {
    this.count = count;
    const edges = (place: number) => new Float64Array(buffer, address + 8 * place * count, count);
    [this.west, this.south, this.east, this.north] = [0, 1, 2, 3].map(edges);
    this.docids = new Uint32Array(buffer, address + 32 * count, count);
    this.starts = new Uint32Array(buffer, address + 36 * count, count + 1);
  }

  /** Where a geometry is in the section. */
  place(at: number): { offset: number; length: number } {
    const [from, to] = [this.starts[at] * UNIT_BYTES, this.starts[at + 1] * UNIT_BYTES];
    return { offset: headBytes(this.count) + from, length: to - from };
  }
}

export function encodeGeometry({ rows, positions }: Geometry): Uint8Array {
  const start = positionsStart(rows.length);
  const bytes = new Uint8Array(start + 8 * positions.length);
  new Uint32Array(bytes.buffer, 0, 1)[0] = rows.length;
  new Uint32Array(bytes.buffer, 4, rows.length).set(rows);
  new Float64Array(bytes.buffer, start).set(positions);
  return bytes;
}

/** Views of a geometry of `length` bytes; null when the bytes are no geometry. */
export function decodeGeometry(buffer: ArrayBufferLike, address: number, length: number): Geometry | null {
  if (length < UNIT_BYTES) return null;
  const [count] = new Uint32Array(buffer, address, 1);
  const start = positionsStart(count);
  if (start > length) return null;
  const rows = new Uint32Array(buffer, address + 4, count);
  let positions = 0;
  for (const row of rows) positions += lengthOfRow(row);
  if (start + POSITION_BYTES * positions !== length) return null;
  return { rows, positions: new Float64Array(buffer, address + start, 2 * positions) };
}

/** The box around positions. */
export function boxAround(positions: Float64Array): Box {
  const box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (let i = 0; i < positions.length; i += 2) {
    const [lng, lat] = [positions[i], positions[i + 1]];
    if (lng < box.west) box.west = lng;
    if (lng > box.east) box.east = lng;
    if (lat < box.south) box.south = lat;
    if (lat > box.north) box.north = lat;
  }
  return box;
}

/** Bytes before the positions. */
const positionsStart = (rows: number): number => Math.ceil((4 + 4 * rows) / UNIT_BYTES) * UNIT_BYTES;

/** Length of a geometry in the units of the starts. */
export const unitsOf = (bytes: number): number => bytes / UNIT_BYTES;
