// Shapes without any cleverness: whether a GeoJSON geometry and an area bounded by rings have a place in
// common, in whole degrees, where all products are exact. Twin of src/engine/filter/area.ts.

export type Position = readonly [x: number, y: number];
export type PlainRing = readonly Position[];
export interface GeoJson {
  type: string;
  coordinates?: unknown;
  geometries?: GeoJson[];
  features?: GeoJson[];
  geometry?: GeoJson | null;
}

export function shapeMeets(shape: GeoJson | null | undefined, area: readonly PlainRing[]): boolean {
  if (!shape) return false;
  const { type, coordinates } = shape;
  const polygonMeets = (rings: PlainRing[]) =>
    rings.some((ring) => ring.some(([x, y]) => isIn(area, x, y)) || edgesMeet(ring, area, true)) ||
    area.some((ring) => ring.some(([x, y]) => isIn(rings, x, y)));
  const lineMeets = (line: PlainRing) =>
    line.some(([x, y]) => isIn(area, x, y)) || edgesMeet(line, area, false);
  switch (type) {
    case "Point":
      return isIn(area, ...(coordinates as Position));
    case "MultiPoint":
      return (coordinates as Position[]).some(([x, y]) => isIn(area, x, y));
    case "LineString":
      return lineMeets(coordinates as PlainRing);
    case "MultiLineString":
      return (coordinates as PlainRing[]).some(lineMeets);
    case "Polygon":
      return polygonMeets(coordinates as PlainRing[]);
    case "MultiPolygon":
      return (coordinates as PlainRing[][]).some(polygonMeets);
    case "Feature":
      return shapeMeets(shape.geometry, area);
    default:
      return (shape.geometries ?? shape.features)!.some((part) => shapeMeets(part, area));
  }
}

/** Inside by the even-odd rule, or on an edge. */
function isIn(rings: readonly PlainRing[], x: number, y: number): boolean {
  let crossings = 0;
  for (const ring of rings) {
    for (const [[ax, ay], [bx, by]] of edgesOf(ring, true)) {
      if (isOn(ax, ay, bx, by, x, y)) return true;
      if (ay > y === by > y) continue;
      // Where the edge is at this height, times (by - ay).
      const at = ax * (by - ay) + (y - ay) * (bx - ax);
      if (by > ay ? at > x * (by - ay) : at < x * (by - ay)) crossings++;
    }
  }
  return crossings % 2 === 1;
}

const isOn = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  (bx - ax) * (y - ay) === (by - ay) * (x - ax) &&
  x >= Math.min(ax, bx) &&
  x <= Math.max(ax, bx) &&
  y >= Math.min(ay, by) &&
  y <= Math.max(ay, by);

function edgesMeet(line: PlainRing, area: readonly PlainRing[], isClosed: boolean): boolean {
  return edgesOf(line, isClosed).some((edge) =>
    area.some((ring) => edgesOf(ring, true).some((other) => meet(edge, other))),
  );
}

function meet([[ax, ay], [bx, by]]: Edge, [[cx, cy], [dx, dy]]: Edge): boolean {
  const ends = [isOn(ax, ay, bx, by, cx, cy), isOn(ax, ay, bx, by, dx, dy)];
  if (ends.some(Boolean) || isOn(cx, cy, dx, dy, ax, ay) || isOn(cx, cy, dx, dy, bx, by)) return true;
  // A place on both lines is a + t (b - a) and c + u (d - c); t and u times the divisor:
  const divisor = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx);
  const t = (cx - ax) * (dy - cy) - (cy - ay) * (dx - cx);
  const u = (cx - ax) * (by - ay) - (cy - ay) * (bx - ax);
  const isPart = (n: number) => (divisor > 0 ? n >= 0 && n <= divisor : n <= 0 && n >= divisor);
  return divisor !== 0 && isPart(t) && isPart(u);
}

type Edge = readonly [Position, Position];
const edgesOf = (ring: PlainRing, isClosed: boolean): Edge[] =>
  ring.flatMap((from, i): Edge[] =>
    i + 1 < ring.length || isClosed ? [[from, ring[(i + 1) % ring.length]]] : [],
  );
