// The settings of features that this server does not have, `foreignKeys` and `chat`: they are kept and shown,
// and have no effect. Called by settings.ts; the routes of the settings show the defaults.
import { DOCUMENT_TEMPLATE_DEFAULT, DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX } from "../embedders/defaults.ts";
import { TarsierError } from "../errors.ts";
import type { ChatPatch, ChatSearchParameters, ChatSettings } from "../schemas/chat.ts";
import type { ForeignKey } from "../schemas/settings.ts";
import { type Work, waitFor } from "./work.ts";

/** Setting -> the experimental feature that it belongs to. */
export const FEATURE_OF_SETTING = { foreignKeys: "foreignKeys", chat: "chatCompletions" } as const;

export type UnbuiltSetting = keyof typeof FEATURE_OF_SETTING;

const SEMANTIC_RATIO_DEFAULT = 0.5;

export function defaultUnbuilt(): { foreignKeys: ForeignKey[]; chat: ChatSettings } {
  return {
    foreignKeys: [],
    chat: {
      description: "",
      documentTemplate: DOCUMENT_TEMPLATE_DEFAULT,
      documentTemplateMaxBytes: DOCUMENT_TEMPLATE_DEFAULT_BYTES_MAX,
      searchParameters: {},
    },
  };
}

/** Value of a field after an object patch: an absent one is kept, null resets it. */
export function choose<T>(sent: T | null | undefined, current: T, reset: T): T {
  return sent === undefined ? current : (sent ?? reset);
}

/**
 * Parses the template of a patch.
 * @throws TarsierError when it has a mistake
 */
export function* checkChat({ documentTemplate }: ChatPatch): Work<void> {
  if (!documentTemplate) return;
  // Loads the template engine, which most batches do without.
  const { parsingFault } = yield* waitFor(() => import("../embedders/liquid.ts"));
  const fault = parsingFault(documentTemplate);
  if (fault === null) return;
  const place = "Field `.chat.documentTemplate`";
  throw new TarsierError("invalid_chat_setting_document_template", {
    place,
    expected: "a Liquid template",
    found: `a mistake in it: ${fault}`,
  });
}

/** Absent fields keep their value, null takes the default. @throws TarsierError for a size of 0 */
export function mergeChat(patch: ChatPatch, current = defaultUnbuilt().chat): ChatSettings {
  const defaults = defaultUnbuilt().chat;
  const { documentTemplateMaxBytes, searchParameters } = patch;
  if (documentTemplateMaxBytes === 0) {
    throw new TarsierError("invalid_settings_embedders", {
      place: "Field `.chat.documentTemplateMaxBytes`",
      expected: "a positive integer",
      found: "0",
    });
  }
  return {
    description: choose(patch.description, current.description, defaults.description),
    documentTemplate: choose(patch.documentTemplate, current.documentTemplate, defaults.documentTemplate),
    documentTemplateMaxBytes: choose(
      ...([documentTemplateMaxBytes, current.documentTemplateMaxBytes] as const),
      defaults.documentTemplateMaxBytes,
    ),
    searchParameters:
      searchParameters === null ? {} : mergeParameters(searchParameters ?? {}, current.searchParameters),
  };
}

/** The parameters that are set, in the order of the schema. */
function mergeParameters(
  sent: NonNullable<ChatPatch["searchParameters"]>,
  current: ChatSearchParameters,
): ChatSearchParameters {
  const { hybrid } = sent;
  const spelledOut = hybrid ? { semanticRatio: SEMANTIC_RATIO_DEFAULT, ...hybrid } : hybrid;
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries({ ...sent, hybrid: spelledOut })) {
    if (value !== undefined) merged[name] = value;
  }
  const set = PARAMETER_NAMES.filter((name) => (merged[name] ?? null) !== null);
  return Object.fromEntries(set.map((name) => [name, merged[name]]));
}

const PARAMETER_NAMES = [
  "hybrid",
  "limit",
  "sort",
  "distinct",
  "matchingStrategy",
  "attributesToSearchOn",
  "rankingScoreThreshold",
] as const satisfies readonly (keyof ChatSearchParameters)[];
