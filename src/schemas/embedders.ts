// One entry of the `embedders` setting, as clients send it. src/engine/embedderchecks.ts checks which fields
// a source takes, and with which values.
import type { Static, TObject, TProperties } from "typebox";
import * as Type from "typebox";
import {
  bounded,
  flag,
  patchOf,
  positiveBound,
  positiveCount,
  ratio,
  recordOf,
  strictObject,
  text,
} from "./fields.ts";

export const SOURCES = ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"] as const;
export type EmbedderSource = (typeof SOURCES)[number];

const Fragments = recordOf(optionalFragment());
const Distribution = strictObject({ mean: ratio, sigma: Type.Number({ exclusiveMinimum: 0, maximum: 1 }) });

/** Fields of an embedder in the order they are shown. */
const fields = {
  source: Type.Enum([...SOURCES]),
  model: text,
  revision: text,
  pooling: Type.Enum(["useModel", "forceCls", "forceMean"]),
  apiKey: text,
  dimensions: positiveCount,
  binaryQuantized: flag,
  documentTemplate: text,
  documentTemplateMaxBytes: positiveBound,
  url: text,
  indexingFragments: Fragments,
  searchFragments: Fragments,
  request: Type.Unknown(),
  response: Type.Unknown(),
  headers: recordOf(text),
};

/** An embedder inside a composite one. */
const SubEmbedder = patchOf(fields);
export type SubEmbedderPatch = Static<typeof SubEmbedder>;

export const EmbedderPatch = patchOf({
  ...fields,
  searchEmbedder: SubEmbedder,
  indexingEmbedder: SubEmbedder,
  distribution: Distribution,
});
export type EmbedderPatch = Static<typeof EmbedderPatch>;

/** A stored embedder: the sum of its patches; absent fields have the default of the source. */
export type EmbedderSettings = { source: EmbedderSource } & {
  [Name in Exclude<keyof EmbedderPatch, "source">]?: NonNullable<EmbedderPatch[Name]>;
};

/** Field names in the order they are shown. */
export const EMBEDDER_FIELDS = Object.keys(
  (EmbedderPatch as TObject<TProperties>).properties,
) as (keyof EmbedderPatch)[];

function optionalFragment() {
  return Type.Union([strictObject({ value: Type.Unknown() }), Type.Null()]);
}

export const EmbeddersPatch = recordOf(Type.Union([EmbedderPatch, Type.Null()]));
export type EmbeddersPatch = Static<typeof EmbeddersPatch>;

/** Part of boundedPatch (settings.ts). */
export function boundedEmbedders(patch: EmbeddersPatch): EmbeddersPatch {
  return Object.fromEntries(Object.entries(patch).map(([name, one]) => [name, one && boundedEmbedder(one)]));
}

function boundedEmbedder(patch: EmbedderPatch): EmbedderPatch {
  const { indexingEmbedder } = patch;
  return {
    ...bounded(patch, "documentTemplateMaxBytes"),
    ...(indexingEmbedder && { indexingEmbedder: bounded(indexingEmbedder, "documentTemplateMaxBytes") }),
  };
}
