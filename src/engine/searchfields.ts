// The searchable fields of an index as one search sees them: their weight, whether typos are tolerated,
// whether the search looks there. Field numbers are those of the occurrences. Called by collection.ts and by
// others that ask which fields a pattern matches.
import { TarsierError } from "../errors.ts";
import type { Settings } from "../schemas/settings.ts";
import { VECTORS_FIELD } from "../schemas/vectorsfield.ts";
import { shownNames } from "./displayed.ts";
import { covers, patternMatches } from "./fieldnames.ts";

export interface SearchField {
  name: string;
  /**
   * Place of the first entry of searchableAttributes that covers the field; 0 when all fields are searchable;
   * -1 when the field is not.
   */
  weight: number;
  /** Only exact words count here (typoTolerance.disableOnAttributes). */
  exact: boolean;
  /** Words never count here, whatever the settings say. */
  neverSearched: boolean;
  /** The search looks here (attributesToSearchOn). */
  allowed: boolean;
}

/** Weight of a flattened field name under searchableAttributes, or -1 when it is not searchable. */
export function weightOf(settings: Settings, name: string): number {
  return isNeverSearched(name) ? -1 : settingsWeight(settings, name);
}

function settingsWeight(settings: Settings, name: string): number {
  if (settings.searchableAttributes.includes("*")) return 0;
  return settings.searchableAttributes.findIndex((entry) => covers(entry, name));
}

/** Vectors and places are found in other ways, and never by words, whatever the settings say. */
export const isNeverSearched = (name: string): boolean => NEVER_SEARCHED.some((field) => covers(field, name));

const NEVER_SEARCHED = [VECTORS_FIELD, "_geo", "_geojson"];

/** @throws TarsierError `invalid_search_attributes_to_search_on` for a name that is not searchable */
export function searchFields(
  names: readonly string[],
  settings: Settings,
  attributesToSearchOn: readonly string[] | null,
): SearchField[] {
  const isRestricted = attributesToSearchOn !== null && !attributesToSearchOn.includes("*");
  const patterns = isRestricted ? attributesToSearchOn : null;
  const fields = names.map((name) => {
    const neverSearched = isNeverSearched(name);
    return {
      name,
      weight: neverSearched ? -1 : settingsWeight(settings, name),
      exact: settings.typoTolerance.disableOnAttributes.some((entry) => covers(entry, name)),
      neverSearched,
      allowed: !neverSearched && (!patterns || patterns.some((one) => patternMatches(one, name))),
    };
  });
  if (attributesToSearchOn) checkSearchable(attributesToSearchOn, fields, settings);
  return fields;
}

/**
 * Further names beside `*` have no effect, but must be valid. Names of fields that do not exist yet find
 * nothing.
 */
function checkSearchable(asked: readonly string[], fields: readonly SearchField[], settings: Settings): void {
  const { searchableAttributes } = settings;
  if (searchableAttributes.includes("*")) return;
  const searchable = fields.filter(({ weight }) => weight >= 0);
  const isKnown = (pattern: string) =>
    pattern === "*" ||
    searchableAttributes.includes(pattern) ||
    searchable.some(({ name }) => patternMatches(pattern, name));
  const unknown = asked.find((pattern) => !isKnown(pattern));
  if (unknown === undefined) return;
  const names = shownNames(settings, searchableAttributes);
  const message = `\`${unknown}\` is not searchable. Searchable attributes are: ${names}.`;
  throw new TarsierError("invalid_search_attributes_to_search_on", { message });
}
