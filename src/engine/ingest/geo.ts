// The `_geo` field of a document, checked when it can be filtered or sorted by, or is to be from now on.
// Called by batchdocuments.ts.
import type { JsonScanner } from "../../core/json.ts";
import { TarsierError } from "../../errors.ts";
import type { Located } from "../../segment/documentblocks.ts";

/** @throws TarsierError `invalid_document_geo_field` when there is one that is no location */
export function checkGeo(scanner: JsonScanner, { pointer, length }: Located, idOf: () => string): void {
  const entry = scanner.entries(pointer, length).findLast((member) => scanner.name(member) === "_geo");
  if (!entry) return;
  const reason = faultOf(JSON.parse(scanner.source(entry)));
  if (reason) throw new TarsierError("invalid_document_geo_field", { documentId: idOf(), reason });
}

/** What keeps a value from being a location, or null. */
function faultOf(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return "it is not an object";
  const { lat, lng, ...rest } = value as Record<string, unknown>;
  if (lat === undefined && lng === undefined) return "`lat` and `lng` are missing";
  if (lat === undefined) return "`lat` is missing";
  if (lng === undefined) return "`lng` is missing";
  const more = Object.keys(rest);
  if (more.length > 0) return `it holds \`${more[0]}\`, but only \`lat\` and \`lng\` are allowed`;
  for (const [name, degrees] of Object.entries({ lat, lng })) {
    if (!isDegrees(degrees)) return `\`${name}\` is ${JSON.stringify(degrees)}, which is not a finite number`;
  }
  return null;
}

const isDegrees = (value: unknown): boolean =>
  (typeof value === "number" || (typeof value === "string" && value.trim() !== "")) &&
  Number.isFinite(Number(value));
