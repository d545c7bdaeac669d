// The geographic conditions of a filter: `_geoRadius`, `_geoBoundingBox`, `_geoPolygon`. Called by parse.ts.
// Degrees that are not on the globe are only noted: they are refused when the filter is evaluated (check.ts).
import type { Corner, Fault, Filter, Token } from "./expression.ts";
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
  const corners = points.map(cornerAt);
  const fault = faultIn(points);
  if (name === "_geoPolygon") {
    if (points.length < POLYGON_POINTS_MIN) throw refusal(lexer, name, from);
    return { kind: "polygon", place, fault, corners };
  }
  if (points.length !== 2) throw refusal(lexer, name, from);
  return { kind: "box", place, fault, topRight: corners[0], bottomLeft: corners[1] };
}

function radius(lexer: Lexer, from: number): Filter {
  const numbers: PlacedNumber[] = [];
  while (!lexer.takeSymbol(")")) {
    numbers.push(float(lexer));
    const isFollowed = lexer.takeSymbol(",");
    if (lexer.takeSymbol(")") === isFollowed) throw refusal(lexer, "_geoRadius", from);
    if (!isFollowed) break;
  }
  if (numbers.length !== 3 && numbers.length !== 4) throw refusal(lexer, "_geoRadius", from);
  const [lat, lng, meters, resolution] = numbers;
  return {
    kind: "radius",
    place: placeOf(lexer, from),
    fault: faultIn([[lat, lng]]),
    center: cornerAt([lat, lng]),
    meters: meters.number,
    resolution: resolution ? resolutionIn(lexer, resolution) : RESOLUTION_DEFAULT,
  };
}

function resolutionIn(lexer: Lexer, { number, place }: PlacedNumber): number {
  if (number >= RESOLUTION_MIN && number <= RESOLUTION_MAX) return Math.floor(number);
  const range = `from ${RESOLUTION_MIN} to ${RESOLUTION_MAX}`;
  throw lexer.error(`The resolution must be ${range}, but is \`${place.text}\`.`, place.from, place.to);
}

const RESOLUTION_MIN = 3;
const RESOLUTION_MAX = 1000;
const RESOLUTION_DEFAULT = 125;

interface PlacedNumber {
  number: number;
  place: Token;
}

type PlacedCorner = readonly [lat: PlacedNumber, lng: PlacedNumber];

const cornerAt = ([lat, lng]: PlacedCorner): Corner => [lat.number, lng.number];

function corner(lexer: Lexer, name: string, from: number): PlacedCorner {
  if (!lexer.takeSymbol("[")) throw refusal(lexer, name, from);
  const lat = float(lexer);
  if (!lexer.takeSymbol(",")) throw refusal(lexer, name, from);
  const lng = float(lexer);
  if (!lexer.takeSymbol("]")) throw refusal(lexer, name, from);
  return [lat, lng];
}

function float(lexer: Lexer): PlacedNumber {
  const text = lexer.takeMatch(FLOAT);
  const place = placeOf(lexer, lexer.at - text.length);
  const number = Number(text || Number.NaN);
  if (Number.isFinite(number)) return { number, place };
  const found = text || lexer.rest;
  throw lexer.error(`Expected a finite number, found \`${found}\`.`, place.from, place.from + found.length);
}

/** What is wrong with the first degrees that are not on the globe; null when all are. */
function faultIn(corners: readonly PlacedCorner[]): Fault | null {
  for (const [lat, lng] of corners) {
    const ofLatitude = latitudeFault(lat.number);
    if (ofLatitude) return { diagnosis: ofLatitude, place: lat.place };
    const ofLongitude = longitudeFault(lng.number);
    if (ofLongitude) return { diagnosis: ofLongitude, place: lng.place };
  }
  return null;
}

/** Why degrees are not a location; null when they are. */
export const degreesFault = (lat: number, lng: number): string | null =>
  latitudeFault(lat) ?? longitudeFault(lng);

const latitudeFault = (lat: number): string | null =>
  Math.abs(lat) <= 90
    ? null
    : `Bad latitude \`${lat}\`. Latitude must be contained between -90 and 90 degrees.`;

function longitudeFault(lng: number): string | null {
  if (Math.abs(lng) <= 180) return null;
  const normal = lng - 360 * Math.round(lng / 360);
  const hint = `Hint: try using \`${normal}\` instead.`;
  return `Bad longitude \`${lng}\`. Longitude must be contained between -180 and 180 degrees. ${hint}`;
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
