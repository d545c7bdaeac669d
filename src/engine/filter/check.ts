// Checks a filter against the settings: every field must be filterable, with the operator that is used on it;
// degrees must be on the globe. Called by evaluate.ts.
import { sortedSet } from "../../core/bytes.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Settings } from "../../schemas/settings.ts";
import { shownNames } from "../displayed.ts";
import { filterFeatures, filtersLocations, filtersShapes, isFilterable, patternsOf } from "./attributes.ts";
import type { Corner, Fault, Filter, Token } from "./expression.ts";
import { filterError } from "./failures.ts";
import { eachCondition } from "./parse.ts";
import { checkVectorCondition } from "./vectors.ts";

type Feature = "equality" | "comparison" | "either";

/** @throws TarsierError of `code` for the first condition that is not allowed */
export function checkFilter(filter: Filter, settings: Settings, code: ErrorCode): void {
  eachCondition(filter, (condition) => {
    switch (condition.kind) {
      case "radius":
        needGeo(settings, condition.place, code);
        checkFault(condition.fault, code);
        break;
      case "box":
        needGeo(settings, condition.place, code);
        checkFault(condition.fault, code);
        checkBox(condition.topRight, condition.bottomLeft, condition.place, code);
        break;
      case "polygon":
        if (!filtersShapes(settings)) throw notFilterable(settings, "_geojson", condition.place, code);
        checkFault(condition.fault, code);
        break;
      case "vectors":
        checkVectorCondition(condition, settings, code);
        break;
      case "and":
      case "or":
      case "not":
        break;
      default:
        needFeature(settings, condition.attribute, featureOf(condition), operatorOf(condition), code);
    }
  });
}

type Condition = Exclude<Filter, { kind: "and" | "or" | "not" | "radius" | "box" | "polygon" | "vectors" }>;

function featureOf(condition: Condition): Feature | null {
  if (condition.kind === "compare") return /^!?=$/.test(condition.operator) ? "equality" : "comparison";
  if (condition.kind === "in") return "equality";
  if (condition.kind === "range") return "comparison";
  return condition.kind === "contains" || condition.kind === "starts" ? null : "either";
}

function operatorOf(condition: Condition): string {
  if (condition.kind === "compare") return condition.operator;
  const names = {
    range: "TO",
    in: "IN",
    exists: "EXISTS",
    null: "IS NULL",
    empty: "IS EMPTY",
    contains: "CONTAINS",
    starts: "STARTS WITH",
  };
  return names[condition.kind];
}

function needFeature(
  settings: Settings,
  attribute: Token,
  feature: Feature | null,
  operator: string,
  code: ErrorCode,
): void {
  const features = filterFeatures(settings, attribute.text);
  if (!features || !isFilterable(features)) {
    throw notFilterable(settings, attribute.text, attribute, code);
  }
  if (feature === null || feature === "either" || features[feature]) return;
  const allowed = [
    "OR",
    "AND",
    "NOT",
    ...(features.equality ? ["=", "!=", "IN"] : []),
    ...(features.comparison ? ["<", ">", "<=", ">=", "TO"] : []),
    "IS EMPTY",
    "IS NULL",
    "EXISTS",
  ];
  const diagnosis =
    `Filter operator \`${operator}\` is not allowed for the attribute \`${attribute.text}\`.\n` +
    `  - Note: allowed operators: ${allowed.join(", ")}.\n` +
    `  - Note: field \`${attribute.text}\` matched rule #${features.rule} in \`filterableAttributes\`.\n` +
    `  - Hint: enable ${feature} in rule #${features.rule} by modifying the features.filter object.\n` +
    `  - Hint: prepend another rule matching \`${attribute.text}\` with appropriate filter features ` +
    `before rule #${features.rule}.`;
  throw filterError(code, diagnosis, attribute);
}

function needGeo(settings: Settings, place: Token, code: ErrorCode): void {
  if (filtersLocations(settings) || filtersShapes(settings)) return;
  throw notFilterable(settings, "_geo/_geojson", place, code);
}

function notFilterable(settings: Settings, name: string, place: Token, code: ErrorCode) {
  return filterError(code, `Attribute \`${name}\` is not filterable. ${availablePatterns(settings)}`, place);
}

/** Which fields a request may name, as refusals put it. */
export function availablePatterns(settings: Settings): string {
  const { filterableAttributes } = settings;
  const patterns = sortedSet(filterableAttributes.flatMap(patternsOf));
  if (patterns.length === 0) return "This index does not have configured filterable attributes.";
  const hint = filterableAttributes.includes("*")
    ? ' Hint: as a plain string `*` is the name of a field; all fields are `{"attributePatterns": ["*"]}`.'
    : "";
  return `Available filterable attribute patterns are: ${shownNames(settings, patterns)}.${hint}`;
}

function checkFault(fault: Fault | null, code: ErrorCode): void {
  if (fault) throw filterError(code, fault.diagnosis, fault.place);
}

function checkBox(topRight: Corner, bottomLeft: Corner, place: Token, code: ErrorCode): void {
  if (topRight[0] >= bottomLeft[0]) return;
  throw filterError(
    code,
    `The top latitude \`${topRight[0]}\` is below the bottom latitude \`${bottomLeft[0]}\`.`,
    place,
  );
}
