// The names that a ranking rule may have. Part of settings.ts; the engine interprets the built-in ones.
import * as Type from "typebox";
import { nameList } from "./phrases.ts";

export const BUILT_IN_RULES = [
  "words",
  "typo",
  "proximity",
  "attribute",
  "attributeRank",
  "wordPosition",
  "sort",
  "exactness",
];

/** Names of functions or computed fields, which are never attributes to sort by. */
const RESERVED_NAME = /^_(geo|geojson|geoDistance|geoPoint|geoRadius|geoBoundingBox|geoPolygon)(\(.*\))?$/;

const description = `one of ${nameList(BUILT_IN_RULES)}, or an attribute followed by \`:asc\` or \`:desc\``;

export const RankingRule = Type.Refine(Type.String({ description }), isRankingRule);

function isRankingRule(rule: string): boolean {
  if (BUILT_IN_RULES.includes(rule)) return true;
  const colon = rule.lastIndexOf(":");
  const attribute = rule.slice(0, colon);
  const direction = rule.slice(colon + 1);
  // A field may have an empty name.
  if (colon < 0 || (direction !== "asc" && direction !== "desc")) return false;
  return !RESERVED_NAME.test(attribute);
}
