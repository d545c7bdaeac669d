// Filters as the routes see them: whether they are texts and lists of texts, whether they parse, and whether
// what they use is switched on. Called when the rest of the request is known to be right, and before anything
// is done for it.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import { filterKind, strictObject } from "../../schemas/fields.ts";
import { checker } from "../../schemas/validator.ts";
import type { Token } from "./expression.ts";
import { filterError } from "./failures.ts";
import { eachCondition, type FilterSource, isFilter, parseFilter } from "./parse.ts";

/** `filter`: as it came. @throws TarsierError of `code`, or `feature_not_enabled` */
export function checkFilterSyntax(
  filter: FilterSource | null,
  code: ErrorCode,
  isFeatureOn: (feature: string) => boolean,
): void {
  if (filter !== null && !isFilter(filter)) refuseKind(filter, code);
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

/** Throws what the check of a body would say. */
function refuseKind(filter: unknown, code: ErrorCode): void {
  checker(strictObject({ filter: filterKind }, { "x-codes": { filter: code } }))({ filter });
}
