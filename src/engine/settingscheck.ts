// What a schema cannot say about a settings patch: ranking rules, order of the typo sizes, embedders, and
// settings behind an experimental feature. Called by src/http before a patch becomes a task.
import { TarsierError } from "../errors.ts";
import { nameList } from "../schemas/phrases.ts";
import type { SettingsPatch } from "../schemas/settings.ts";
import { checkEmbedderPatches } from "./embedderchecks.ts";
import { typoOrderError } from "./settings.ts";

/** Whether an experimental feature is on. */
type FeatureCheck = (feature: string) => boolean;

const BUILT_IN_RULES = [
  "words",
  "typo",
  "proximity",
  "attribute",
  "attributeRank",
  "wordPosition",
  "sort",
  "exactness",
];

/** Names that are functions or computed fields, never attributes to sort by. */
const RESERVED_NAME = /^_(geo|geojson|geoDistance|geoPoint|geoRadius|geoBoundingBox|geoPolygon)(\(.*\))?$/;

/** Throws the TarsierError of the first thing that is wrong with a patch whose types were checked already. */
export function checkSettingsPatch(patch: SettingsPatch, enabled: FeatureCheck): void {
  checkFeatures(patch, enabled);
  if (patch.rankingRules) checkRankingRules(patch.rankingRules);
  const { oneTypo, twoTypos } = patch.typoTolerance?.minWordSizeForTypos ?? {};
  if (typeof oneTypo === "number" && typeof twoTypos === "number" && oneTypo > twoTypos) {
    throw typoOrderError(oneTypo, twoTypos);
  }
  if (patch.embedders) checkEmbedderPatches(patch.embedders);
}

function checkFeatures(patch: SettingsPatch, enabled: FeatureCheck): void {
  const need = (action: string, feature: string) => {
    if (!enabled(feature)) throw new TarsierError("feature_not_enabled", { action, feature });
  };
  if (patch.foreignKeys) need("Setting `foreignKeys`", "foreignKeys");
  if (patch.chat) need("Setting `chat`", "chatCompletions");
  for (const [name, embedder] of Object.entries(patch.embedders ?? {})) {
    const isComposite =
      embedder?.source === "composite" || embedder?.searchEmbedder || embedder?.indexingEmbedder;
    if (isComposite) need(`The composite embedder \`${name}\``, "compositeEmbedders");
    const parts = [embedder, embedder?.searchEmbedder, embedder?.indexingEmbedder];
    const hasFragments = parts.some((part) => part?.indexingFragments || part?.searchFragments);
    if (hasFragments) need(`The embedder \`${name}\` with fragments`, "multimodal");
  }
}

function checkRankingRules(rules: string[]): void {
  rules.forEach((rule, position) => {
    if (!isRankingRule(rule)) throw ruleError(`Field \`.rankingRules[${position}]\``, `\`${rule}\``);
  });
  const half = rules.find((rule) => rule === "attributeRank" || rule === "wordPosition");
  if (half !== undefined && rules.includes("attribute")) {
    throw new TarsierError("invalid_settings_ranking_rules", {
      place: "Field `.rankingRules`",
      expected: "either `attribute` or its halves `attributeRank` and `wordPosition`",
      found: `\`attribute\` together with \`${half}\``,
    });
  }
}

function isRankingRule(rule: string): boolean {
  if (BUILT_IN_RULES.includes(rule)) return true;
  const colon = rule.lastIndexOf(":");
  const attribute = rule.slice(0, colon);
  const direction = rule.slice(colon + 1);
  if (colon <= 0 || (direction !== "asc" && direction !== "desc")) return false;
  return !RESERVED_NAME.test(attribute);
}

function ruleError(place: string, found: string): TarsierError {
  const expected = `one of ${nameList(BUILT_IN_RULES)}, or an attribute followed by \`:asc\` or \`:desc\``;
  return new TarsierError("invalid_settings_ranking_rules", { place, expected, found });
}
