// The geographic conditions of a filter: `_geoRadius`, `_geoBoundingBox`, `_geoPolygon`. Called by parse.ts;
// ranges of degrees are checked when the filter is evaluated (check.ts).
import type { Corner, Filter, Token } from "./expression.ts";
import type { Lexer } from "./lexer.ts";

const POLYGON_POINTS_MIN = 3;

/** The condition at this place, or null when it is not a geographic one. */
export function parseGeo(lexer: Lexer): Filter | null {
  const name = lexer.peekWord();
  if (name !== "_geoRadius" && name !== "_geoBoundingBox" && name !== "_geoPolygon") return null;
  const from = lexer.at;
  if (lexer.source[from + name.length] !== "(" && name === "_geoPolygon") return null;
  lexer.at += name.length;
  if (lexer.source[lexer.at] !== "(") throw refusal(lexer, name, from);
  lexer.at++;
  if (name === "_geoRadius") return radius(lexer, from);
  const points = [];
  while (!lexer.takeSymbol(")")) {
    points.push(corner(lexer, name, from));
    // After the last point, a polygon may have one more.
    if (lexer.takeSymbol(",")) {
      if (name !== "_geoPolygon" && lexer.takeSymbol(")")) throw refusal(lexer, name, from);
      continue;
    }
    if (lexer.takeSymbol(")")) break;
    throw refusal(lexer, name, from);
  }
  const place = placeOf(lexer, from);
  if (name === "_geoPolygon") {
    if (points.length < POLYGON_POINTS_MIN) throw refusal(lexer, name, from);
    return { kind: "polygon", place, corners: points };
  }
  if (points.length !== 2) throw refusal(lexer, name, from);
  return { kind: "box", place, topRight: points[0], bottomLeft: points[1] };
}

function radius(lexer: Lexer, from: number): Filter {
  const numbers: number[] = [];
  while (!lexer.takeSymbol(")")) {
    numbers.push(float(lexer));
    const isFollowed = lexer.takeSymbol(",");
    if (lexer.takeSymbol(")") === isFollowed) throw refusal(lexer, "_geoRadius", from);
    if (!isFollowed) break;
  }
  if (numbers.length !== 3 && numbers.length !== 4) throw refusal(lexer, "_geoRadius", from);
  const [lat, lng, meters, resolution = RESOLUTION_DEFAULT] = numbers;
  if (resolution < RESOLUTION_MIN || resolution > RESOLUTION_MAX) {
    throw lexer.error(`The resolution must be from ${RESOLUTION_MIN} to ${RESOLUTION_MAX}.`, from, lexer.at);
  }
  return {
    kind: "radius",
    place: placeOf(lexer, from),
    center: [lat, lng],
    meters,
    resolution: Math.floor(resolution),
  };
}

const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;
const RESOLUTION_DEFAULT = 125;

function corner(lexer: Lexer, name: string, from: number): Corner {
  if (!lexer.takeSymbol("[")) throw refusal(lexer, name, from);
  const lat = float(lexer);
  if (!lexer.takeSymbol(",")) throw refusal(lexer, name, from);
  const lng = float(lexer);
  if (!lexer.takeSymbol("]")) throw refusal(lexer, name, from);
  return [lat, lng];
}

function float(lexer: Lexer): number {
  const number = Number(lexer.takeMatch(FLOAT) || Number.NaN);
  if (Number.isFinite(number)) return number;
  throw lexer.error(`Expected a finite number, found \`${lexer.rest}\`.`);
}

const FLOAT = /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/y;

/** The number that the whole text is, or null. */
export function numberIn(text: string): number | null {
  FLOAT.lastIndex = 0;
  if (FLOAT.exec(text)?.[0] !== text) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const placeOf = (lexer: Lexer, from: number): Token => {
  const { source, at } = lexer;
  return { text: source.slice(from, at), from, to: at, source };
};

const FORMS: Record<string, string> = {
  _geoRadius:
    "_geoRadius(latitude, longitude, radius) or _geoRadius(latitude, longitude, radius, resolution)",
  _geoBoundingBox: "_geoBoundingBox([latitude, longitude], [latitude, longitude])",
  _geoPolygon: "_geoPolygon([latitude, longitude], [latitude, longitude], [latitude, longitude], ...)",
};

const refusal = (lexer: Lexer, name: string, from: number) =>
  lexer.error(`The \`${name}\` filter expects its arguments in the form: \`${FORMS[name]}\`.`, from);
