// Body of PATCH /experimental-features, and the names of the switches in the order of the answer.
import { flag, optional, strictObject } from "./fields.ts";

/** Kind under which the instance keeps the switches. */
export const FEATURE_KIND = "experimentalFeature";

/** Switches without a use here yet are kept as well: clients turn on what they are going to use. */
export const FEATURE_NAMES = [
  "metrics",
  "logsRoute",
  "editDocumentsByFunction",
  "containsFilter",
  "dynamicSearchRules",
  "network",
  "getTaskDocumentsRoute",
  "taskQueueCompactionRoute",
  "compositeEmbedders",
  "chatCompletions",
  "multimodal",
  "foreignKeys",
  "disableDocumentsFetchQueue",
  "legacySearch",
  "renderRoute",
] as const;

/** The feature that is neither on nor off until it is set. */
export const UNDECIDED_FEATURE = "legacySearch";

/** A switch as it is shown. `kept`: the value that the instance keeps. */
export function shownSwitch(name: FeatureName, kept: unknown): boolean | null {
  if (typeof kept === "boolean") return kept;
  return name === UNDECIDED_FEATURE ? null : false;
}

type FeatureName = (typeof FEATURE_NAMES)[number];

const fields = Object.fromEntries(FEATURE_NAMES.map((name) => [name, optional(flag)]));

/** A switch that is absent or null keeps its state. */
export const FeaturesBody = strictObject(
  fields as Record<FeatureName, ReturnType<typeof optional<typeof flag>>>,
);
