// The `chat` setting, which belongs to an experimental feature that is not built: it is checked, and has no
// effect. Part of settings.ts.
import { Type } from "typebox";
import { count, patchOf, ratio, strictObject, text, texts } from "./fields.ts";

const Hybrid = strictObject({ embedder: text, semanticRatio: Type.Optional(ratio) });

const SearchParameters = patchOf({
  hybrid: Hybrid,
  limit: count,
  sort: texts,
  distinct: text,
  matchingStrategy: Type.Enum(["last", "all", "frequency"]),
  attributesToSearchOn: texts,
  rankingScoreThreshold: ratio,
});

export const ChatPatch = patchOf({
  description: text,
  documentTemplate: text,
  documentTemplateMaxBytes: count,
  searchParameters: SearchParameters,
});
