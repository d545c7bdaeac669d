// Reads criteria to sort by, from the request (`sort`) or from the ranking rules (`field:asc`), and makes
// rules of them. Called by collection.ts, rulelist.ts and the listing of documents.
import { type ErrorCode, TarsierError } from "../../errors.ts";
import { nameList } from "../../schemas/phrases.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Bitmaps } from "../bitmaps.ts";
import { shownNames } from "../displayed.ts";
import { isSortable } from "../filter/attributes.ts";
import type { Corner } from "../filter/expression.ts";
import { degreesFault, numberIn } from "../filter/geoparse.ts";
import { columnSortRule } from "./columnsort.ts";
import type { Criterion, Direction } from "./criterion.ts";
import { geoSortRule } from "./geosort.ts";
import type { Rule } from "./rule.ts";

const ENDING = "ending by `:asc` or `:desc`";
/** Names of functions and computed fields; of these only `_geoPoint(...)` can be sorted by. */
const RESERVED = /^_(geo|geojson|geoDistance|geoRadius|geoBoundingBox|geoPolygon)(\(.*)?$/s;

/** @throws TarsierError of `code` for a text that is no criterion */
export function parseSort(criteria: readonly string[] | null, code: ErrorCode): Criterion[] {
  return (criteria ?? []).map((text) => parseCriterion(text, code));
}

/** @throws TarsierError of `code` for a field that the settings do not allow to sort by */
export function checkSortable(criteria: readonly Criterion[], settings: Settings, code: ErrorCode): void {
  for (const criterion of criteria) {
    const name = criterion.kind === "geo" ? "_geo" : criterion.name;
    if (isSortable(settings, name)) continue;
    const { sortableAttributes } = settings;
    const rest = sortableAttributes.length
      ? `Available sortable attributes are: ${shownNames(settings, sortableAttributes)}.`
      : "This index does not have configured sortable attributes.";
    throw new TarsierError(code, { message: `Attribute \`${name}\` is not sortable. ${rest}` });
  }
}

/** The criterion of a ranking rule; null for a rule of another kind. */
export function criterionOfRule(rule: string): Criterion | null {
  const [, name, direction] = /^(.*):(asc|desc)$/s.exec(rule) ?? [];
  return name === undefined ? null : { kind: "field", name, direction: direction as Direction };
}

/** The rule that sorts by a criterion. */
export function sortRule(bitmaps: Bitmaps, criterion: Criterion): Rule {
  if (criterion.kind === "geo") return geoSortRule(bitmaps, criterion.point, criterion.direction);
  const { displayedAttributes } = bitmaps.reader.settings;
  // Unlike elsewhere, a field below a displayed one must be named itself.
  const isHidden = !["*", criterion.name].some((name) => displayedAttributes.includes(name));
  return columnSortRule(bitmaps, criterion.name, criterion.direction, isHidden);
}

function parseCriterion(text: string, code: ErrorCode): Criterion {
  const colon = text.lastIndexOf(":");
  const name = text.slice(0, colon);
  const direction = text.slice(colon + 1);
  if (colon < 0 || (direction !== "asc" && direction !== "desc")) {
    throw new TarsierError(code, {
      message: `Invalid syntax for the sort parameter: expected expression ${ENDING}, found \`${text}\`.`,
    });
  }
  if (name.startsWith("_geoPoint")) return { kind: "geo", point: parsePoint(name, code), direction };
  if (RESERVED.test(name)) {
    const hint = "use the `_geoPoint(latitude, longitude)` built-in rule to sort on `_geo` field coordinates";
    throw new TarsierError(code, {
      message: `\`${name}\` is a reserved keyword and thus can't be used as a sort expression: ${hint}.`,
    });
  }
  return { kind: "field", name, direction };
}

function parsePoint(text: string, code: ErrorCode): Corner {
  const [, arguments_] = /^_geoPoint\((.*)\)$/s.exec(text) ?? [];
  const numbers = arguments_?.split(",").map((part) => numberIn(part.trim())) ?? [];
  const [lat, lng] = numbers;
  if (numbers.length !== 2 || lat === null || lng === null) {
    const expected = `expression formatted like \`_geoPoint(latitude, longitude)\` and ${ENDING}`;
    throw new TarsierError(code, {
      message: `Invalid syntax for the geo parameter: expected ${expected}, found \`${text}\`.`,
    });
  }
  const fault = degreesFault(lat, lng);
  if (fault)
    throw new TarsierError(code, { message: `${fault} Found in the sort parameter ${nameList([text])}.` });
  return [lat, lng];
}
