// Settings of dumps before V6, in their present form. Called by the readers of those versions.
import { sortedSet } from "../../core/bytes.ts";
import { objectOf } from "./put.ts";

type Fields = Record<string, unknown>;

/** Rules that are not attributes; `wordsPosition` of the first version has no successor. */
const RULES = ["words", "typo", "proximity", "attribute", "sort", "exactness"];
const ASCENDING_OR_DESCENDING = /^(asc|desc)\((.+)\)$/;
const SORTED = /^.*:(asc|desc)$/;

/** For V1, where `attributesForFaceting` made attributes filterable and sortable. */
export function readSettingsOfV1(value: unknown): Fields {
  const { attributesForFaceting, ...settings } = objectOf(value);
  if (attributesForFaceting !== undefined) {
    settings.filterableAttributes = attributesForFaceting;
    settings.sortableAttributes = attributesForFaceting;
  }
  return readOldSettings(sortSet(settings, "displayedAttributes"));
}

/** For V2 to V5, where the filterable attributes, now a list of rules, were a set of names. */
export function readOldSettings(value: unknown): Fields {
  const settings = sortSet(objectOf(value), "filterableAttributes");
  if (Array.isArray(settings.rankingRules)) settings.rankingRules = readRules(settings.rankingRules);
  if (settings.pagination) settings.pagination = readPagination(objectOf(settings.pagination));
  return settings;
}

/** Settings of an update of V1: snake_case, with `"Nothing"`, `"Clear"` or `{"Update": value}`. */
export function readUpdateOfV1(value: unknown): Fields {
  const settings: Fields = {};
  for (const [name, change] of Object.entries(objectOf(value))) {
    const field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (change === "Clear") settings[field] = null;
    else if (change !== "Nothing") settings[field] = objectOf(change).Update;
  }
  const { rankingRules } = settings;
  if (Array.isArray(rankingRules)) settings.rankingRules = rankingRules.map(spellRule);
  return readSettingsOfV1(settings);
}

/** A value that is not a list of texts stays: it is refused, or left out, elsewhere. */
function sortSet(settings: Fields, name: string): Fields {
  const values = settings[name];
  if (!Array.isArray(values) || !values.every((one) => typeof one === "string")) return { ...settings };
  return { ...settings, [name]: sortedSet(values) };
}

/** Updates of V1 have `"Typo"` and `{"Asc": "x"}` where its settings have `typo` and `asc(x)`. */
function spellRule(rule: unknown): unknown {
  if (typeof rule === "string") return rule.charAt(0).toLowerCase() + rule.slice(1);
  const [[order, field] = []] = Object.entries(rule ?? {});
  return (order === "Asc" || order === "Desc") && typeof field === "string"
    ? `${order.toLowerCase()}(${field})`
    : rule;
}

/** Rules that no longer exist are left out. */
function readRules(rules: unknown[]): string[] {
  const written = rules.map((rule) => {
    const [, direction, attribute] = ASCENDING_OR_DESCENDING.exec(String(rule)) ?? [];
    return direction === undefined ? String(rule) : `${attribute}:${direction}`;
  });
  return written.filter((rule) => RULES.includes(rule) || SORTED.test(rule));
}

function readPagination(pagination: Fields): Fields {
  const { maxTotalHits } = pagination;
  return maxTotalHits === 0 ? { ...pagination, maxTotalHits: 1 } : pagination;
}
