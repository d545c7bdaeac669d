// The languages in which a query, and each text of a document, is read. Called by collection.ts, hittexts.ts,
// facet searches and indexing.
import type { Settings } from "../../schemas/settings.ts";
import { patternMatches } from "../fieldnames.ts";
import type { SearchField } from "../searchfields.ts";

/** Locales of a field by the first localizedAttributes rule that matches it, or undefined. */
export function localesOfField(settings: Settings, name: string): string[] | undefined {
  const rules = settings.localizedAttributes ?? [];
  const matches = (pattern: string) => patternMatches(pattern, name);
  return rules.find(({ attributePatterns }) => attributePatterns.some(matches))?.locales;
}

/** The request's locales, else all those of the searched fields; undefined: to be detected from the text. */
export function localesOfQuery(
  settings: Settings,
  requested: readonly string[] | null,
  fields: readonly SearchField[],
): string[] | undefined {
  if (requested?.length) return [...requested];
  if (requested || !settings.localizedAttributes) return undefined;
  const searched = fields.filter(({ allowed, weight }) => allowed && weight >= 0);
  const union = new Set(searched.flatMap(({ name }) => localesOfField(settings, name) ?? []));
  return union.size ? [...union] : undefined;
}
