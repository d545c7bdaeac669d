// Reads the geometry in a value of `_geojson`: a GeoJSON geometry (RFC 7946), or a feature or collection of
// them. Called where documents are checked and indexed (ingest/).
//
// What is inside must be of the kind that belongs there: features in a collection of features, geometries
// elsewhere. Members that say nothing about the shape (`bbox`, `properties`, `id`) may be anything. Earlier
// versions took features and geometries in each other's places: documents that are there already keep such
// shapes.
//
// A ring need not repeat its first position at its end. A value without any position is no shape, but no
// mistake either.
import {
  type Geometry,
  ROW_HOLE,
  ROW_LINE,
  ROW_POINTS,
  ROW_POLYGON,
  rowOf,
} from "../../segment/geometryformat.ts";

const POSITION_NUMBERS_MIN = 2;
const LINE_POSITIONS_MIN = 2;
const RING_POSITIONS_MIN = 3;
const SHOWN_CHARACTERS_MAX = 40;

/** How the coordinates of each type of geometry are added to a shape. */
const COORDINATES: Record<string, (shape: Shape, value: unknown, place: string) => string | null> = {
  Point: (shape, value, place) => shape.addPosition(value, place) ?? shape.endRow(ROW_POINTS, 1),
  MultiPoint: (shape, value, place) => shape.addRow(ROW_POINTS, 0, value, place),
  LineString: (shape, value, place) => shape.addLine(value, place),
  MultiLineString: (shape, value, place) => each(value, place, (line, where) => shape.addLine(line, where)),
  Polygon: (shape, value, place) => shape.addPolygon(value, place),
  MultiPolygon: (shape, value, place) =>
    each(value, place, (polygon, where) => shape.addPolygon(polygon, where)),
};
const COLLECTION = "GeometryCollection";
const GEOMETRIES = [...Object.keys(COORDINATES), COLLECTION];
const FEATURE = "Feature";
const TYPES = [...GEOMETRIES, FEATURE, "FeatureCollection"];

/** The geometry in a JSON value; null when it is not one or has no position. */
export function geometryOf(value: unknown): Geometry | null {
  const shape = new Shape(true);
  if (value === null || shape.add(value, "", TYPES) !== null || shape.positions.length === 0) return null;
  return { rows: Uint32Array.from(shape.rows), positions: Float64Array.from(shape.positions) };
}

/** Why a JSON value is no geometry; null when it is one. `isOld`: its document was there already. */
export function geometryFault(value: unknown, isOld = false): string | null {
  return value === null ? null : new Shape(isOld).add(value, "", TYPES);
}

/** Adds the value found at a place; returns what is wrong with it, or null. */
type Add = (value: unknown, place: string) => string | null;

/** Rows and positions of all that is added. */
class Shape {
  readonly rows: number[] = [];
  readonly positions: number[] = [];
  readonly #takesAnyInside: boolean;

  constructor(takesAnyInside: boolean) {
    this.#takesAnyInside = takesAnyInside;
  }

  /** Adds a geometry, or an object that contains geometries, if it is of one of the types. */
  add(value: unknown, place: string, types: readonly string[]): string | null {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return fault(value, place, "an object");
    const { type, geometry, geometries, features, coordinates } = value as Record<string, unknown>;
    const at = (name: string) => (place === "" ? name : `${place}.${name}`);
    const belonging = (some: readonly string[]) => (this.#takesAnyInside ? TYPES : some);
    const inner: (types: readonly string[]) => Add = (some) => (one, where) =>
      this.add(one, where, belonging(some));
    if (typeof type !== "string" || !types.includes(type))
      return fault(type, at("type"), `${types.length > 1 ? "one of " : ""}${types.join(", ")}`);
    if (type === COLLECTION) return each(geometries, at("geometries"), inner(GEOMETRIES));
    if (type === "FeatureCollection") return each(features, at("features"), inner([FEATURE]));
    if (type !== FEATURE) return COORDINATES[type](this, coordinates, at("coordinates"));
    return geometry === null ? null : inner(GEOMETRIES)(geometry, at("geometry"));
  }

  addLine(value: unknown, place: string): string | null {
    return this.addRow(ROW_LINE, LINE_POSITIONS_MIN, value, place);
  }

  /** Adds rings: the outer one, then holes. */
  addPolygon(value: unknown, place: string): string | null {
    let kind = ROW_POLYGON;
    return each(value, place, (ring, where) => {
      const wrong = this.addRow(kind, RING_POSITIONS_MIN, ring, where);
      kind = ROW_HOLE;
      return wrong;
    });
  }

  /**
   * Adds positions, of which there must be at least `least`. An empty line adds nothing; an empty ring is a
   * mistake.
   */
  addRow(kind: number, least: number, value: unknown, place: string): string | null {
    const from = this.positions.length;
    const wrong = each(value, place, (position, where) => this.addPosition(position, where));
    if (wrong) return wrong;
    const isRing = kind === ROW_POLYGON || kind === ROW_HOLE;
    if (isRing && this.#closes(from)) this.positions.length -= 2;
    const count = (this.positions.length - from) / 2;
    if (count < least && (count > 0 || isRing))
      return `\`${place}\` has ${count} positions, fewer than ${least}`;
    return this.endRow(kind, count);
  }

  addPosition(value: unknown, place: string): string | null {
    const wrong = each(value, place, (number, where) =>
      typeof number === "number" && Number.isFinite(number) ? null : fault(number, where, "a finite number"),
    );
    if (wrong) return wrong;
    const [lng, lat] = value as number[];
    if (lat === undefined)
      return fault(value, place, `a position of at least ${POSITION_NUMBERS_MIN} numbers`);
    this.positions.push(lng, lat);
    return null;
  }

  endRow(kind: number, positions: number): null {
    if (positions > 0) this.rows.push(rowOf(kind, positions));
    return null;
  }

  /** True when the last position equals the first one of the ring that begins at `from`. */
  #closes(from: number): boolean {
    const { positions } = this;
    const last = positions.length - 2;
    return last > from && positions[last] === positions[from] && positions[last + 1] === positions[from + 1];
  }
}

/** Adds the elements of an array. */
function each(value: unknown, place: string, add: Add): string | null {
  if (!Array.isArray(value)) return fault(value, place, "an array");
  for (const [i, one] of value.entries()) {
    const wrong = add(one, `${place}[${i}]`);
    if (wrong) return wrong;
  }
  return null;
}

function fault(value: unknown, place: string, wanted: string): string {
  const name = place === "" ? "it" : `\`${place}\``;
  if (value === undefined) return `${name} is missing: ${wanted} is wanted`;
  const json = JSON.stringify(value);
  const shown = json.length > SHOWN_CHARACTERS_MAX ? `${json.slice(0, SHOWN_CHARACTERS_MAX)}...` : json;
  return `${name} is ${shown}, not ${wanted}`;
}
