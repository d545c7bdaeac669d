// Filters as the routes see them: whether they parse, and whether what they use is switched on. Called before
// anything else is looked at, so that a wrong filter is refused at once.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import { filterError } from "./failures.ts";
import { eachCondition, type FilterSource, parseFilter } from "./parse.ts";

/** @throws TarsierError of `code`, or `feature_not_enabled` */
export function checkFilterSyntax(
  filter: FilterSource | null,
  code: ErrorCode,
  isFeatureOn: (feature: string) => boolean,
): void {
  const tree = parseFilter(filter, code);
  if (!tree) return;
  eachCondition(tree, (condition) => {
    if (condition.kind !== "contains" || isFeatureOn("containsFilter")) return;
    const { message } = new TarsierError("feature_not_enabled", {
      action: "The filter operator `CONTAINS`",
      feature: "containsFilter",
    });
    throw filterError("feature_not_enabled", message, condition.attribute);
  });
}
