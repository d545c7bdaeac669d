// The settings of one index: merging a patch into them in normal form. The index worker merges what
// settingsUpdate tasks carry; src/operations checks patches before they become tasks (settingscheck.ts) and
// shows settings (settingsview.ts).
import { compareBytes, sortedSet } from "../core/bytes.ts";
import { normalizeStopWord } from "../core/patterns.ts";
import { TarsierError } from "../errors.ts";
import { threeLetterLocale } from "../schemas/locales.ts";
import type { FilterableRule, SettingName, Settings, SettingsPatch } from "../schemas/settings.ts";
import { settingsFields } from "../schemas/settings.ts";
import { defaultSettings } from "./defaultsettings.ts";
import { mergeEmbedders } from "./embeddersettings.ts";
import { choose, mergeChat } from "./unbuiltsettings.ts";

/** Turns a word into the form under which the tokenizer indexes it, without any settings. */
type WordFold = (word: string) => string;

/** The patch that resets every setting, as DELETE of the whole object means it. */
export function resetPatch(): SettingsPatch {
  return Object.fromEntries(Object.keys(settingsFields).map((name) => [name, null]));
}

/**
 * The settings after a patch: absent fields keep their value, null takes the default, objects merge field by
 * field. Throws a TarsierError when the resulting embedders contradict themselves although the patch alone
 * was sound; everything else is left to `checkMerged`. `fold`: for words that are compared with those of
 * queries.
 */
export function mergeSettings(
  settings: Settings,
  patch: SettingsPatch,
  fold: WordFold = (word) => word,
): Settings {
  const merged = { ...settings };
  for (const name of Object.keys(patch) as SettingName[]) {
    if (patch[name] === undefined) continue;
    const merge = MERGERS[name] as Merger<unknown>;
    const reset = (defaultSettings() as Record<string, unknown>)[name];
    const value = patch[name];
    const current = settings[name];
    Object.assign(merged, { [name]: value === null ? reset : merge(value as never, current, fold) });
    // Settings without a default are absent.
    if (merged[name] === undefined) delete merged[name];
  }
  return merged;
}

/**
 * Checked once all patches of a batch are merged: a later one may mend what an earlier one contradicts.
 * @throws TarsierError `invalid_settings_typo_tolerance`
 */
export function checkMerged({ typoTolerance }: Settings): void {
  const { oneTypo, twoTypos } = typoTolerance.minWordSizeForTypos;
  if (oneTypo <= twoTypos) return;
  throw new TarsierError("invalid_settings_typo_tolerance", {
    place: "Field `.typoTolerance.minWordSizeForTypos`",
    expected: "`oneTypo` to be at most `twoTypos`",
    found: `oneTypo ${oneTypo} and twoTypos ${twoTypos}`,
  });
}

type Merger<T> = (value: never, current: T, fold: WordFold) => T;

type SentList<Name extends SettingName> = NonNullable<SettingsPatch[Name]>;

const replace = <T>(value: T): T => value;
const set = (value: string[]) => sortedSet(value);
const attributes = (value: string[]) => (value.includes("*") ? ["*"] : [...new Set(value)]);

const MERGERS: { [Name in keyof Settings]-?: Merger<Settings[Name]> } = {
  displayedAttributes: attributes,
  searchableAttributes: attributes,
  filterableAttributes: (value: SentList<"filterableAttributes">) => value.map(spelledOut),
  sortableAttributes: set,
  rankingRules: replace,
  stopWords: (value: string[]) => sortedSet(value.map(normalizeStopWord)),
  nonSeparatorTokens: set,
  separatorTokens: set,
  dictionary: set,
  synonyms: (value: Settings["synonyms"]) => sortedByKey(value),
  distinctAttribute: replace,
  proximityPrecision: replace,
  typoTolerance: mergeTypoTolerance,
  faceting: mergeFaceting,
  pagination: (value: SentList<"pagination">, current) => {
    const reset = defaultSettings().pagination.maxTotalHits;
    return { maxTotalHits: choose(value.maxTotalHits, current.maxTotalHits, reset) };
  },
  embedders: mergeEmbedders,
  searchCutoffMs: replace,
  localizedAttributes: (value: SentList<"localizedAttributes">) => {
    return value.map((rule) => ({ ...rule, locales: rule.locales.map(threeLetterLocale) }));
  },
  facetSearch: replace,
  prefixSearch: replace,
  foreignKeys: replace,
  chat: mergeChat,
};

/** A rule with every feature written out; a plain name stays a name (all features on). */
export function spelledOut(rule: SentList<"filterableAttributes">[number]): string | FilterableRule {
  if (typeof rule === "string") return rule;
  const { facetSearch = false, filter = {} } = rule.features ?? {};
  const { equality = true, comparison = false } = filter;
  return {
    attributePatterns: rule.attributePatterns,
    features: { facetSearch, filter: { equality, comparison } },
  };
}

function mergeTypoTolerance(
  patch: SentList<"typoTolerance">,
  current: Settings["typoTolerance"],
  fold: WordFold,
): Settings["typoTolerance"] {
  const reset = defaultSettings().typoTolerance;
  const sizes = patch.minWordSizeForTypos;
  const now = sizes === null ? reset.minWordSizeForTypos : current.minWordSizeForTypos;
  const oneTypo = choose(sizes?.oneTypo, now.oneTypo, reset.minWordSizeForTypos.oneTypo);
  const twoTypos = choose(sizes?.twoTypos, now.twoTypos, reset.minWordSizeForTypos.twoTypos);
  return {
    enabled: choose(patch.enabled, current.enabled, reset.enabled),
    minWordSizeForTypos: { oneTypo, twoTypos },
    disableOnWords: sortedSet(choose(patch.disableOnWords, current.disableOnWords, []).map(fold)),
    disableOnAttributes: sortedSet(choose(patch.disableOnAttributes, current.disableOnAttributes, [])),
    disableOnNumbers: choose(patch.disableOnNumbers, current.disableOnNumbers, reset.disableOnNumbers),
  };
}

function mergeFaceting(patch: SentList<"faceting">, current: Settings["faceting"]): Settings["faceting"] {
  const reset = defaultSettings().faceting;
  const order = choose(patch.sortFacetValuesBy, current.sortFacetValuesBy, reset.sortFacetValuesBy);
  return {
    maxValuesPerFacet: choose(patch.maxValuesPerFacet, current.maxValuesPerFacet, reset.maxValuesPerFacet),
    sortFacetValuesBy: sortedByKey({ "*": "alpha", ...order }),
  };
}

export function sortedByKey<T>(object: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => compareBytes(a, b)));
}
