// Checks of a settings patch that a schema cannot express: ranking rules that exclude each other, embedders,
// and settings behind an experimental feature. Called by src/operations before a patch becomes a task.
import { TarsierError } from "../errors.ts";
import type { SettingsPatch } from "../schemas/settings.ts";
import { checkEmbedderPatches } from "./embedderchecks.ts";
import type { TemplateCheck } from "./embeddertemplates.ts";
import { FEATURE_OF_SETTING, type UnbuiltSetting } from "./unbuiltsettings.ts";

/** Whether an experimental feature is on. */
type FeatureCheck = (feature: string) => boolean;

/**
 * Throws a TarsierError for the first mistake in a patch whose types were already checked. `templates`: when
 * missing, templates are taken to be fine.
 */
export function checkSettingsPatch(
  patch: SettingsPatch,
  enabled: FeatureCheck,
  templates?: TemplateCheck,
): void {
  checkFeatures(patch, enabled);
  if (patch.rankingRules) checkRulesTogether(patch.rankingRules);
  if (patch.embedders) checkEmbedderPatches(patch.embedders, templates);
}

function checkFeatures(patch: SettingsPatch, enabled: FeatureCheck): void {
  const need = (action: string, feature: string) => {
    if (!enabled(feature)) throw new TarsierError("feature_not_enabled", { action, feature });
  };
  for (const [name, feature] of Object.entries(FEATURE_OF_SETTING)) {
    if (patch[name as UnbuiltSetting]) need(`Setting \`${name}\``, feature);
  }
  for (const [name, embedder] of Object.entries(patch.embedders ?? {})) {
    const isComposite =
      embedder?.source === "composite" || embedder?.searchEmbedder || embedder?.indexingEmbedder;
    if (isComposite) need(`The composite embedder \`${name}\``, "compositeEmbedders");
    const parts = [embedder, embedder?.searchEmbedder, embedder?.indexingEmbedder];
    const hasFragments = parts.some((part) => part?.indexingFragments || part?.searchFragments);
    if (hasFragments) need(`The embedder \`${name}\` with fragments`, "multimodal");
  }
}

function checkRulesTogether(rules: string[]): void {
  const half = rules.find((rule) => rule === "attributeRank" || rule === "wordPosition");
  if (half !== undefined && rules.includes("attribute")) {
    throw new TarsierError("invalid_settings_ranking_rules", {
      place: "Field `.rankingRules`",
      expected: "either `attribute` or its halves `attributeRank` and `wordPosition`",
      found: `\`attribute\` together with \`${half}\``,
    });
  }
}
