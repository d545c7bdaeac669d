// Checks the fields that give the place of a document, `_geo` and `_geojson`, if it can be filtered or sorted
// by them, or will be from now on. Called by batchdocuments.ts.
import type { JsonScanner } from "../../core/json.ts";
import { DECIMAL } from "../../decimals.ts";
import { TarsierError } from "../../errors.ts";
import type { Located } from "../../segment/locateddocument.ts";
import { geometryFault } from "../filter/geojson.ts";

export type PlaceField = "_geo" | "_geojson";

/**
 * @throws TarsierError `invalid_document_geo_field` or `invalid_document_geojson_field` when one of the
 * fields is present but is no location, or no geometry. `isOld`: what earlier versions took is no fault.
 */
export function checkPlaces(
  scanner: JsonScanner,
  { pointer, length }: Located,
  fields: readonly PlaceField[],
  idOf: () => string,
  isOld: boolean,
): void {
  const members = scanner.entries(pointer, length);
  for (const field of fields) {
    const entry = members.findLast((member) => scanner.name(member) === field);
    if (!entry) continue;
    const { code, faultOf } = CHECKS[field];
    const reason = faultOf(JSON.parse(scanner.source(entry)), isOld);
    if (reason) throw new TarsierError(code, { documentId: idOf(), reason });
  }
}

const CHECKS = {
  _geo: { code: "invalid_document_geo_field", faultOf },
  _geojson: { code: "invalid_document_geojson_field", faultOf: geometryFault },
} as const;

/** Why a value is no location; null when it is one. */
function faultOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return "it is not an object";
  const { lat, lng, ...rest } = value as Record<string, unknown>;
  if (lat === undefined && lng === undefined) return "`lat` and `lng` are missing";
  if (lat === undefined) return "`lat` is missing";
  if (lng === undefined) return "`lng` is missing";
  const more = Object.keys(rest);
  if (more.length > 0) return `it holds \`${more[0]}\`, but only \`lat\` and \`lng\` are allowed`;
  const faults = Object.entries({ lat, lng }).filter(([, degrees]) => !isDegrees(degrees));
  if (faults.length === 0) return null;
  const [one, ...others] = faults.map(([name, degrees]) => `\`${name}\` is ${JSON.stringify(degrees)}`);
  return others.length === 0
    ? `${one}, which is not a finite number`
    : `${one} and ${others[0]}, which are not finite numbers`;
}

const isDegrees = (value: unknown): boolean =>
  (typeof value === "number" || (typeof value === "string" && DECIMAL.test(value))) &&
  Number.isFinite(Number(value));
