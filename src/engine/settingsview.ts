// Settings and settings patches as clients read them: keys in their order, secrets masked.
import { sortedSet } from "../core/bytes.ts";
import type { SettingName, Settings, SettingsPatch } from "../schemas/settings.ts";
import { settingsFields } from "../schemas/settings.ts";
import { shownEmbedder, shownEmbedderPatch } from "./embeddersettings.ts";
import { sortedByKey, spelledOut } from "./settings.ts";

/** The whole object as GET answers it. */
export function shownSettings(settings: Settings): Record<string, unknown> {
  const embedders = Object.entries(settings.embedders).map(([name, embedder]) => [
    name,
    shownEmbedder(embedder),
  ]);
  return inOrder({ ...settings, embedders: Object.fromEntries(embedders) });
}

/**
 * `details` of a settingsUpdate task: exactly the fields that were sent, sets sorted, lists as sent, null for
 * a reset (["*"] for the two lists that mean every attribute).
 */
export function shownPatch(patch: SettingsPatch): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...patch };
  for (const name of SETS) if (patch[name]) shown[name] = sortedSet(patch[name]);
  for (const name of ["displayedAttributes", "searchableAttributes"])
    if (shown[name] === null) shown[name] = ["*"];
  if (patch.filterableAttributes) shown.filterableAttributes = patch.filterableAttributes.map(spelledOut);
  if (patch.synonyms) shown.synonyms = sortedByKey(patch.synonyms);
  if (patch.typoTolerance) shown.typoTolerance = shownTypoTolerance(patch.typoTolerance);
  if (patch.embedders) {
    const embedders = Object.entries(patch.embedders);
    shown.embedders = Object.fromEntries(
      embedders.map(([name, one]) => [name, one && shownEmbedderPatch(one)]),
    );
  }
  return inOrder(shown);
}

const SETS = [
  "sortableAttributes",
  "stopWords",
  "nonSeparatorTokens",
  "separatorTokens",
  "dictionary",
] as const;

function shownTypoTolerance(patch: NonNullable<SettingsPatch["typoTolerance"]>): Record<string, unknown> {
  const { disableOnWords, disableOnAttributes } = patch;
  return {
    ...patch,
    ...(disableOnWords && { disableOnWords: sortedSet(disableOnWords) }),
    ...(disableOnAttributes && { disableOnAttributes: sortedSet(disableOnAttributes) }),
  };
}

function inOrder(settings: Record<string, unknown>): Record<string, unknown> {
  const names = (Object.keys(settingsFields) as SettingName[]).filter((name) => settings[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}
