// The part of the settings that decides what is indexed: a segment built under another one must be rebuilt.
// Used by the writing side.
import { createHash } from "node:crypto";
import type { Settings } from "../schemas/settings.ts";
import { columnRules, filtersShapes, hasPoints } from "./filter/attributes.ts";

/**
 * Version of the rules by which text becomes words. Raise it when they change: documents that were indexed
 * under another version are indexed anew with the next batch of their index.
 */
const WORD_RULES = 3;

/** Values of the sorting settings with which they make no columns. */
const NO_SORTING = { sortableAttributes: [], rankingRules: [], distinctAttribute: null };

/**
 * Equal for settings under which every document yields the same words in the same places and the same
 * columns.
 */
export function settingsHash(settings: Settings): string {
  const facts = {
    ...wordFacts(settings),
    columns: columnRules(settings),
    // Columns that are filtered by also have posting lists.
    filtered: columnRules({ ...NO_SORTING, filterableAttributes: settings.filterableAttributes }),
    points: hasPoints(settings),
    // Absent when no shapes are filtered: segments from before shapes existed stay valid.
    ...(filtersShapes(settings) && { geometries: true }),
  };
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}

/** What has to be rebuilt in the existing segments. */
export type SettingsChange = "none" | "columns" | "words";

/**
 * What a change of the settings means for segments that were made under the previous ones, or under older
 * rules.
 */
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
    // Only which attributes are listed matters: their weights are looked up when a query runs.
    searchable: searchableAttributes.includes("*") ? ["*"] : [...searchableAttributes].sort(),
    stopWords: [...stopWords].sort(),
    separatorTokens: [...separatorTokens].sort(),
    nonSeparatorTokens: [...nonSeparatorTokens].sort(),
    dictionary: [...dictionary].sort(),
    localizedAttributes: settings.localizedAttributes ?? [],
  };
}
