// Areas of the plane of degrees, bounded by rings: tells whether an area and the geometry of a document have
// a place in common, edges included. Made by globe.ts, asked by shapes.ts. Predicates are exact.
//
// The edges of an area are found by strips of latitude: a place or an edge only concerns those of the area's
// edges that reach into its strips.
import { orient2d } from "robust-predicates";
import {
  type Box,
  boxAround,
  type Geometry,
  kindOfRow,
  lengthOfRow,
  ROW_HOLE,
  ROW_LINE,
  ROW_POINTS,
} from "../../segment/geometryformat.ts";

const EDGES_PER_STRIP = 2;
const STRIPS_MAX = 256;

/** Longitude and latitude, one after the other. */
export type Ring = readonly number[];

/** How a place lies relative to an edge, looking towards the east. */
const MISSED = 0;
const CROSSED = 1;
const TOUCHED = 2;

export class Area {
  readonly box: Box;
  readonly #rings: readonly Ring[];
  /** Longitude and latitude of both ends of each edge. */
  readonly #edges: Float64Array;
  /** For each strip, places in `edges` of the edges that reach into it. */
  readonly #strips: number[][];
  readonly #stripHeight: number;

  /** Rings inside others are holes. */
  constructor(rings: readonly Ring[]) {
    this.#rings = rings;
    this.box = boxAround(Float64Array.from(rings.flat()));
    this.#edges = Float64Array.from(rings.flatMap(edgesOf));
    const edges = this.#edges.length / 4;
    const strips = Math.max(1, Math.min(STRIPS_MAX, Math.floor(edges / EDGES_PER_STRIP)));
    this.#stripHeight = (this.box.north - this.box.south) / strips;
    this.#strips = Array.from({ length: strips }, () => []);
    for (let at = 0; at < this.#edges.length; at += 4) {
      const [south, north] = [this.#edges[at + 1], this.#edges[at + 3]].sort((a, b) => a - b);
      for (let strip = this.#stripOf(south); strip <= this.#stripOf(north); strip++)
        this.#strips[strip].push(at);
    }
  }

  /** True when a geometry has a place in common with the area. */
  meets({ rows, positions }: Geometry): boolean {
    let from = 0;
    for (let i = 0; i < rows.length; i++) {
      const kind = kindOfRow(rows[i]);
      const to = from + 2 * lengthOfRow(rows[i]);
      if (kind === ROW_POINTS) {
        for (let at = from; at < to; at += 2) if (this.covers(positions[at], positions[at + 1])) return true;
      } else {
        if (this.covers(positions[from], positions[from + 1])) return true;
        if (this.#meetsEdges(positions, from, to, kind !== ROW_LINE)) return true;
        const isLast = i + 1 === rows.length || kindOfRow(rows[i + 1]) !== ROW_HOLE;
        if (kind !== ROW_LINE && isLast && this.#liesIn(rows, positions, i, to)) return true;
      }
      from = to;
    }
    return false;
  }

  /** True for a place in the area or on its edge. */
  covers(lng: number, lat: number): boolean {
    const { west, south, east, north } = this.box;
    if (!(lng >= west && lng <= east && lat >= south && lat <= north)) return false;
    const edges = this.#edges;
    let isInside = false;
    for (const at of this.#strips[this.#stripOf(lat)]) {
      const relation = relationOf(edges[at], edges[at + 1], edges[at + 2], edges[at + 3], lng, lat);
      if (relation === TOUCHED) return true;
      if (relation === CROSSED) isInside = !isInside;
    }
    return isInside;
  }

  /** True when an edge between the positions [from, to) meets one of the area's. */
  #meetsEdges(positions: Float64Array, from: number, to: number, isClosed: boolean): boolean {
    for (let at = from; at < to; at += 2) {
      const isEnd = at + 2 === to;
      if (isEnd && !isClosed) return false;
      const next = isEnd ? from : at + 2;
      if (this.#meetsEdge(positions[at], positions[at + 1], positions[next], positions[next + 1]))
        return true;
    }
    return false;
  }

  #meetsEdge(x1: number, y1: number, x2: number, y2: number): boolean {
    const { west, south, east, north } = this.box;
    const [left, right] = x1 < x2 ? [x1, x2] : [x2, x1];
    const [low, high] = y1 < y2 ? [y1, y2] : [y2, y1];
    if (right < west || left > east || high < south || low > north) return false;
    const edges = this.#edges;
    const last = this.#stripOf(high);
    for (let strip = this.#stripOf(low); strip <= last; strip++) {
      for (const at of this.#strips[strip]) {
        if (edgesMeet(x1, y1, x2, y2, edges[at], edges[at + 1], edges[at + 2], edges[at + 3])) return true;
      }
    }
    return false;
  }

  /**
   * True when a ring of the area lies in the polygon whose last ring is row `last` and ends at `end`. Their
   * edges must not meet.
   */
  #liesIn(rows: Uint32Array, positions: Float64Array, last: number, end: number): boolean {
    let begin = end;
    for (let i = last; ; i--) {
      begin -= 2 * lengthOfRow(rows[i]);
      if (kindOfRow(rows[i]) !== ROW_HOLE) break;
    }
    return this.#rings.some(([lng, lat]) => {
      let isInside = false;
      let to = end;
      for (let i = last; to > begin; i--) {
        const from = to - 2 * lengthOfRow(rows[i]);
        if (crossesOften(positions, from, to, lng, lat)) isInside = !isInside;
        to = from;
      }
      return isInside;
    });
  }

  #stripOf(lat: number): number {
    if (!(this.#stripHeight > 0)) return 0;
    const strip = Math.floor((lat - this.box.south) / this.#stripHeight);
    return Math.max(0, Math.min(this.#strips.length - 1, strip));
  }
}

const edgesOf = (ring: Ring): number[] =>
  Array.from({ length: ring.length / 2 }, (_, i) => {
    const next = (2 * i + 2) % ring.length;
    return [ring[2 * i], ring[2 * i + 1], ring[next], ring[next + 1]];
  }).flat();

/** True when the way to the east crosses the ring of positions [from, to) an odd number of times. */
function crossesOften(positions: Float64Array, from: number, to: number, lng: number, lat: number): boolean {
  let isOdd = false;
  for (let at = from; at < to; at += 2) {
    const next = at + 2 === to ? from : at + 2;
    const [x1, y1, x2, y2] = [positions[at], positions[at + 1], positions[next], positions[next + 1]];
    if (relationOf(x1, y1, x2, y2, lng, lat) === CROSSED) isOdd = !isOdd;
  }
  return isOdd;
}

function relationOf(x1: number, y1: number, x2: number, y2: number, x: number, y: number): number {
  if ((y < y1 && y < y2) || (y > y1 && y > y2) || (x > x1 && x > x2)) return MISSED;
  const reaches = y1 > y !== y2 > y;
  if (x < x1 && x < x2) return reaches ? CROSSED : MISSED;
  const side = orient2d(x1, y1, x2, y2, x, y);
  if (side === 0) return TOUCHED;
  return reaches && side < 0 === y2 > y1 ? CROSSED : MISSED;
}

/**
 * True when two edges have a place in common: their boxes meet, and each edge reaches to both sides of the
 * other.
 */
function edgesMeet(
  ...[ax, ay, bx, by, cx, cy, dx, dy]: [
    ax: number,
    ay: number,
    bx: number,
    by: number,
    cx: number,
    cy: number,
    dx: number,
    dy: number,
  ]
): boolean {
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.min(ax, bx) > Math.max(cx, dx)) return false;
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.min(ay, by) > Math.max(cy, dy)) return false;
  const areOnOneSide = (one: number, other: number) => one * other > 0;
  return (
    !areOnOneSide(Math.sign(orient2d(ax, ay, bx, by, cx, cy)), Math.sign(orient2d(ax, ay, bx, by, dx, dy))) &&
    !areOnOneSide(Math.sign(orient2d(cx, cy, dx, dy, ax, ay)), Math.sign(orient2d(cx, cy, dx, dy, bx, by)))
  );
}
