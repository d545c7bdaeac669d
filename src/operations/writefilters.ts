// Checks the filters of writes: deletions by filter, and editions. Called by documentwrites.ts.
import { checkFilterSyntax, filterOf } from "../engine/filter/feature.ts";
import type { FilterSource } from "../engine/filter/parse.ts";
import { TarsierError } from "../errors.ts";
import type { Instance } from "../tasks/instance.ts";
import { isFeatureOn } from "./features.ts";

/**
 * Refuses what does not parse, what needs a feature that is off, and filters without a condition, which would
 * match every document. `otherwise`: what the message advises instead.
 */
export function checkWriteFilter(instance: Instance, value: unknown, otherwise: string): void {
  const filter = filterOf(value, "invalid_document_filter");
  if (filter === null || isEmpty(filter)) {
    const expected = `a filter with a condition (${otherwise})`;
    const parameters = { place: "Field `.filter`", expected, found: "an empty one" };
    throw new TarsierError("invalid_document_filter", parameters);
  }
  checkFilterSyntax(filter, "invalid_document_filter", (feature) => isFeatureOn(instance, feature));
}

/** Whether it holds nothing but blanks and empty lists. */
function isEmpty(filter: FilterSource): boolean {
  return typeof filter === "string" ? filter.trim() === "" : filter.every(isEmpty);
}
