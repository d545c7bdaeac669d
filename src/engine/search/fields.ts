// The searchable fields of an index as one search sees them: weight, whether typos are tolerated, whether the
// search looks there. Field numbers are those of the occurrences. Called by collection.ts
// and what else asks which fields a pattern means.
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";

export interface SearchField {
  name: string;
  /**
   * Place of the first entry of searchableAttributes that covers the field; 0 when all fields are searchable;
   * -1: none.
   */
  weight: number;
  /** Only the exact word counts here (typoTolerance.disableOnAttributes). */
  exact: boolean;
  /** The search looks here (attributesToSearchOn). */
  allowed: boolean;
}

/** True when a setting's entry names a field or an ancestor of it. */
export const covers = (entry: string, name: string): boolean =>
  name === entry || name.startsWith(`${entry}.`);

/** Patterns of field names: `*`, `x*`, `*x`, `*x*` or exact; a `*` in the middle is literal. */
export function matchesPattern(name: string, pattern: string): boolean {
  if (pattern === "*") return true;
  const left = pattern.startsWith("*");
  const right = pattern.endsWith("*");
  const core = pattern.slice(left ? 1 : 0, right ? -1 : undefined);
  if (left && right) return name.includes(core);
  if (left) return name.endsWith(core);
  return right ? name.startsWith(core) : name === pattern;
}

/** Weight of a flattened field name under searchableAttributes, or -1 when it is not searchable. */
export function weightOf(settings: Settings, name: string): number {
  if (settings.searchableAttributes.includes("*")) return covers(VECTORS_FIELD, name) ? -1 : 0;
  return settings.searchableAttributes.findIndex((entry) => covers(entry, name));
}

/** @throws TarsierError `invalid_search_attributes_to_search_on` for a name that is not searchable */
export function searchFields(
  names: readonly string[],
  settings: Settings,
  attributesToSearchOn: readonly string[] | null,
): SearchField[] {
  const patterns = attributesToSearchOn?.includes("*") ? null : attributesToSearchOn;
  const fields = names.map((name) => ({
    name,
    weight: weightOf(settings, name),
    exact: settings.typoTolerance.disableOnAttributes.some((entry) => covers(entry, name)),
    allowed: !patterns || patterns.some((pattern) => matchesPattern(name, pattern)),
  }));
  const searchable = settings.searchableAttributes;
  if (patterns && !searchable.includes("*")) {
    for (const pattern of patterns) {
      const isDeclared = searchable.some((entry) => covers(entry, pattern) || matchesPattern(entry, pattern));
      if (!isDeclared && !fields.some(({ name, weight }) => weight >= 0 && matchesPattern(name, pattern))) {
        const names = searchable.join("`, `");
        const message = `\`${pattern}\` is not searchable. Searchable attributes are: \`${names}\`.`;
        throw new TarsierError("invalid_search_attributes_to_search_on", { message });
      }
    }
  }
  return fields;
}
