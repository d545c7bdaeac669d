// Decides in which fields the facets of a search are counted: from the patterns of the request to names, as
// far as the settings allow. Called by ../searchanswer.ts and ../federation/indexsearch.ts.
import { sortedSet } from "../../core/bytes.ts";
import { TarsierError } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { CoveringNames, covers, patternMatches } from "../fieldnames.ts";
import { filterFeatures, isFilterable, patternsOf } from "../filter/attributes.ts";
import { availablePatterns } from "../filter/check.ts";
import type { IndexReader } from "../reader.ts";

/**
 * Names of the fields to count, in order; null when none are asked for.
 * @throws TarsierError `invalid_search_facets` for a pattern that no filterable field can match
 */
export function facetFields(
  { knownFields, settings }: Pick<IndexReader, "knownFields" | "settings">,
  patterns: readonly string[] | null,
): string[] | null {
  if (patterns === null || patterns.length === 0) return null;
  const asked = sortedSet(patterns);
  for (const pattern of patterns) checkPattern(pattern, settings);
  const names = new CoveringNames(asked);
  const isAsked = (name: string) => {
    const features = filterFeatures(settings, name);
    if (!features || !isFilterable(features)) return false;
    // A name also selects the fields below it if the rule that allows this is a plain name itself.
    if (typeof settings.filterableAttributes[features.rule] === "string" && names.cover(name)) return true;
    return asked.some((pattern) => patternMatches(pattern, name));
  };
  return sortedSet([...knownFields].filter(isAsked));
}

function checkPattern(pattern: string, settings: Settings): void {
  const features = filterFeatures(settings, pattern);
  if (isFilterable(features)) return;
  if (features) throw disabled(pattern, features.rule);
  const { filterableAttributes } = settings;
  const isKnown = filterableAttributes.some(
    (entry) =>
      (typeof entry === "string" || entry.features.filter.equality || entry.features.filter.comparison) &&
      patternsOf(entry).some((own) => intersect(pattern, own)),
  );
  if (isKnown) return;
  const rest = availablePatterns(settings);
  const message = `Attribute \`${pattern}\` is not filterable, as facets need. ${rest}`;
  throw new TarsierError("invalid_search_facets", { message });
}

/** True when some field can match both: a name also stands for the fields below it. */
function intersect(pattern: string, own: string): boolean {
  if (patternMatches(pattern, own) || patternMatches(own, pattern) || covers(pattern, own)) return true;
  const isOpen = (one: string, other: string) => one.endsWith("*") && other.startsWith("*");
  return isOpen(pattern, own) || isOpen(own, pattern);
}

function disabled(name: string, rule: number): TarsierError {
  const message =
    `Attribute \`${name}\` matched rule #${rule} in \`filterableAttributes\`, but this rule does not ` +
    `enable filtering.\n  - Hint: enable equality or comparison in rule #${rule} by modifying the ` +
    `features.filter object.\n  - Hint: prepend another rule matching \`${name}\` with filtering ` +
    `enabled before rule #${rule}.`;
  return new TarsierError("invalid_search_facets", { message });
}
