// Which fields have columns, and what their rules allow: filterableAttributes, sortableAttributes, ranking
// rules that sort by a field, distinctAttribute. Used throughout src/engine: by the writing side (which
// columns to build) and by filters, facets and sorts.
import type { Settings } from "../../schemas/settings.ts";
import { CoveringNames, covers, hasPrefix, patternMatches } from "../fieldnames.ts";
import { remembered } from "../remembered.ts";

/** What a rule of filterableAttributes allows. */
interface FilterFeatures {
  equality: boolean;
  comparison: boolean;
  facetSearch: boolean;
  /** Place of the rule in the setting. */
  rule: number;
}

/** The names or patterns of one entry of filterableAttributes. */
export function patternsOf(entry: Settings["filterableAttributes"][number]): string[] {
  return typeof entry === "string" ? [entry] : entry.attributePatterns;
}

/** The first rule that matches a field decides; null when none does. */
export function filterFeatures(
  { filterableAttributes }: Pick<Settings, "filterableAttributes">,
  name: string,
): FilterFeatures | null {
  const { names, patterns } = knownRules(filterableAttributes);
  const plain = names.firstPlace(name);
  const found = patterns.find(
    (each) => each.rule > plain || each.patterns.some((pattern) => patternMatches(pattern, name)),
  );
  const rule = Math.min(plain, found?.rule ?? plain);
  if (rule === Number.POSITIVE_INFINITY) return null;
  const entry = filterableAttributes[rule];
  return typeof entry === "string"
    ? { equality: true, comparison: true, facetSearch: true, rule }
    : { ...entry.features.filter, facetSearch: entry.features.facetSearch, rule };
}

/** Rules by their places in the setting, in order. */
interface KnownRules {
  names: CoveringNames;
  patterns: { rule: number; patterns: readonly string[] }[];
}

/** Remembered by setting, which may have very many rules. */
const rulesOfLists = new WeakMap<Settings["filterableAttributes"], KnownRules>();

function knownRules(entries: Settings["filterableAttributes"]): KnownRules {
  return remembered(rulesOfLists, entries, () => ({
    names: new CoveringNames(entries.map((entry) => (typeof entry === "string" ? entry : null))),
    patterns: entries.flatMap((entry, rule) =>
      typeof entry === "string" ? [] : [{ rule, patterns: entry.attributePatterns }],
    ),
  }));
}

/** True for a field that may be used by filters, facets and `distinct`. */
export function isFilterable(features: FilterFeatures | null): boolean {
  return features !== null && (features.equality || features.comparison);
}

export function isSortable(settings: Settings, name: string): boolean {
  return settings.sortableAttributes.some((entry) => covers(entry, name));
}

/**
 * True when documents can be filtered by their locations: this takes the plain name in a rule, patterns do
 * not count.
 */
export function filtersLocations(settings: Settings): boolean {
  return settings.filterableAttributes.includes("_geo");
}

/** The same for their shapes. */
export function filtersShapes(settings: Settings): boolean {
  return settings.filterableAttributes.includes("_geojson");
}

/** True when locations of documents are indexed. */
export function hasPoints(settings: Settings): boolean {
  return filtersLocations(settings) || settings.sortableAttributes.includes("_geo");
}

/** The fields with columns, in normal form: names also cover the fields below them, patterns do not. */
export interface ColumnRules {
  names: string[];
  patterns: string[];
}

type ColumnSettings = Pick<
  Settings,
  "filterableAttributes" | "sortableAttributes" | "rankingRules" | "distinctAttribute"
>;

export function columnRules(settings: ColumnSettings): ColumnRules {
  const { filterableAttributes, sortableAttributes, rankingRules, distinctAttribute } = settings;
  const names = new Set(sortableAttributes);
  const patterns = new Set<string>();
  for (const entry of filterableAttributes) {
    if (typeof entry === "string") names.add(entry);
    else for (const pattern of entry.attributePatterns) patterns.add(pattern);
  }
  for (const rule of rankingRules) {
    const [, name] = /^(.*):(?:asc|desc)$/s.exec(rule) ?? [];
    if (name !== undefined) names.add(name);
  }
  if (distinctAttribute !== null) names.add(distinctAttribute);
  return { names: [...names].sort(), patterns: [...patterns].sort() };
}

/** True when every field that has a column under the first rules also has one under the second. */
export function columnsStay(before: ColumnRules, after: ColumnRules): boolean {
  const [names, patterns] = [coveringNames(before), new Set(before.patterns)];
  return (
    after.names.every((name) => names.cover(name)) && after.patterns.every((pattern) => patterns.has(pattern))
  );
}

/** True when a field has a column. */
export function hasColumn(rules: ColumnRules, name: string): boolean {
  return coveringNames(rules).cover(name) || rules.patterns.some((pattern) => patternMatches(pattern, name));
}

/** True when a field below `name` can have a column. */
export function hasColumnsBelow(rules: ColumnRules, name: string): boolean {
  const start = `${name}.`;
  if (coveringNames(rules).cover(name) || hasPrefix(rules.names, start)) return true;
  return rules.patterns.some((pattern) => {
    if (pattern.startsWith("*")) return true;
    const core = pattern.endsWith("*") ? pattern.slice(0, -1) : null;
    return pattern.startsWith(start) || (core !== null && start.startsWith(core));
  });
}

/** The covering names of some rules: every field of every document is looked up in them. */
const coveringNamesOf = new WeakMap<ColumnRules, CoveringNames>();

function coveringNames(rules: ColumnRules): CoveringNames {
  return remembered(coveringNamesOf, rules, () => new CoveringNames(rules.names));
}
