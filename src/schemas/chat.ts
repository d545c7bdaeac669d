// The `chat` setting of an experimental feature that is not built: it is checked and kept, but has no effect.
// Part of settings.ts.
import type { Static } from "typebox";
import * as Type from "typebox";
import { bound, bounded, patchOf, ratio, strictObject, text, texts } from "./fields.ts";

const Hybrid = strictObject({ embedder: text, semanticRatio: Type.Optional(ratio) });

const searchParameters = {
  hybrid: Hybrid,
  limit: bound,
  sort: texts,
  distinct: text,
  matchingStrategy: Type.Enum(["last", "all", "frequency"]),
  attributesToSearchOn: texts,
  rankingScoreThreshold: ratio,
};

const chat = { description: text, documentTemplate: text, documentTemplateMaxBytes: bound };

export const ChatPatch = patchOf({ ...chat, searchParameters: patchOf(searchParameters) });
export type ChatPatch = Static<typeof ChatPatch>;

/** Part of boundedPatch (settings.ts). */
export function boundedChat(patch: ChatPatch): ChatPatch {
  const { searchParameters } = patch;
  return {
    ...bounded(patch, "documentTemplateMaxBytes"),
    ...(searchParameters && { searchParameters: bounded(searchParameters, "limit") }),
  };
}

const whole = strictObject(chat);
const wholeParameters = strictObject(searchParameters);
export type ChatSearchParameters = Partial<Static<typeof wholeParameters>>;
export type ChatSettings = Static<typeof whole> & { searchParameters: ChatSearchParameters };
