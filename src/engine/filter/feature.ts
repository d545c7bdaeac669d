// Filters as the routes see them: whether they parse, and whether what they use is switched on. Called before
// anything else is looked at, so that a wrong filter is refused at once.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import type { Token } from "./expression.ts";
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
    const need = (action: string, feature: string, place: Token) => {
      if (isFeatureOn(feature)) return;
      const { message } = new TarsierError("feature_not_enabled", { action, feature });
      throw filterError("feature_not_enabled", message, place);
    };
    if (condition.kind === "contains")
      need("The filter operator `CONTAINS`", "containsFilter", condition.attribute);
    if (condition.kind === "vectors") need("The filter on `_vectors`", "multimodal", condition.place);
  });
}
