// The part of the settings that decides what is indexed: a segment built under another one must be rebuilt.
// Used by the writing side.
import { createHash } from "node:crypto";
import type { Settings } from "../schemas/settings.ts";
import { columnRules, filtersShapes, hasPoints } from "./filter/attributes.ts";

/**
 * Of the rules by which text becomes words. A change of them gets a new number: documents that were indexed
 * under another one are indexed anew with the next batch of their index.
 */
const WORD_RULES = 2;

/** Settings that make no columns. */
const NO_SORTING = { sortableAttributes: [], rankingRules: [], distinctAttribute: null };

/**
 * Equal for settings under which every document gives the same words at the same places and the same columns.
 */
export function settingsHash(settings: Settings): string {
  const facts = {
    ...wordFacts(settings),
    columns: columnRules(settings),
    // Columns that are filtered by have posting lists.
    filtered: columnRules({ ...NO_SORTING, filterableAttributes: settings.filterableAttributes }),
    points: hasPoints(settings),
    // Absent where there are none: segments that are older than shapes stay good.
    ...(filtersShapes(settings) && { geometries: true }),
  };
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}

/** What has to be made anew in the segments there are. */
export type SettingsChange = "none" | "columns" | "words";

/** What a change of the settings means to segments that were made under those before, or by older rules. */
export function settingsChange(
  before: Settings,
  after: Settings,
  segments: readonly { settingsHash: string }[],
): SettingsChange {
  const hash = settingsHash(before);
  if (segments.some((segment) => segment.settingsHash !== hash)) return "words";
  if (hash === settingsHash(after)) return "none";
  const keepsWords = JSON.stringify(wordFacts(before)) === JSON.stringify(wordFacts(after));
  return keepsWords ? "columns" : "words";
}

function wordFacts(settings: Settings) {
  const { searchableAttributes, stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
  return {
    rules: WORD_RULES,
    // Only the set matters: weights are looked up when a query runs.
    searchable: searchableAttributes.includes("*") ? ["*"] : [...searchableAttributes].sort(),
    stopWords: [...stopWords].sort(),
    separatorTokens: [...separatorTokens].sort(),
    nonSeparatorTokens: [...nonSeparatorTokens].sort(),
    dictionary: [...dictionary].sort(),
    localizedAttributes: settings.localizedAttributes ?? [],
  };
}
