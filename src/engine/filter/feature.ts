// Filters as the routes see them: checks whether they are texts and lists of texts, whether they parse, and
// whether the features that they use are switched on. Called before a request is acted upon, when the rest of
// its body has been found valid.
import type { Static } from "typebox";
import { type ErrorCode, TarsierError } from "../../errors.ts";
import { filterKind, strictObject } from "../../schemas/fields.ts";
import { validator } from "../../schemas/validator.ts";
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

type FilterKind = Static<typeof filterKind>;

/** Checks the form of a filter: a text, or a list of texts and lists of texts. */
export const isFilter = (value: unknown): value is FilterKind => kindFault(value) === null;

const kindFault = validator(filterKind);

/**
 * The filter of a request, whose schema lets any value through (`late`); null when there is none.
 * @throws TarsierError of `code`, as a check of the body would
 */
export function filterOf(value: unknown, code: ErrorCode): FilterKind | null {
  if (value === undefined || value === null) return null;
  if (isFilter(value)) return value;
  throw bodyValidator(code)({ filter: value })!;
}

/** One for each code, kept: compiling a schema takes longer than the rest of a refusal. */
const bodyValidators = new Map<ErrorCode, ReturnType<typeof validator>>();

function bodyValidator(code: ErrorCode): ReturnType<typeof validator> {
  const known = bodyValidators.get(code);
  if (known) return known;
  const made = validator(strictObject({ filter: filterKind }, { "x-codes": { filter: code } }));
  bodyValidators.set(code, made);
  return made;
}
