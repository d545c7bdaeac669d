// What a change of an embedder's settings means for its stored vectors. Called by the write thread
// (src/engine/vectors) with the settings before and after.
import { isDeepStrictEqual } from "node:util";
import type { EmbedderSettings } from "../schemas/embedders.ts";
import { hasFragments, withDefaults } from "./defaults.ts";

export type Reembedding =
  /** All vectors stay. */
  | { kind: "none" }
  /** Embeds documents again whose prompts differ between the two settings. */
  | { kind: "prompts" }
  /** Embeds these fragments again (`changed`, which includes new ones) and drops those in `removed`. */
  | { kind: "fragments"; changed: string[]; removed: string[] }
  /** Drops every vector that the embedder made, and makes it again. */
  | { kind: "full" };

/** Documents that do not regenerate their vectors are left alone, whatever the outcome. */
export function reembeddingFor(before: EmbedderSettings | undefined, after: EmbedderSettings): Reembedding {
  if (before === undefined || before.source !== after.source) return { kind: "full" };
  if (after.source === "composite") return reembeddingFor(inner(before), inner(after));
  const [old, fresh] = [withDefaults(before), withDefaults(after)];
  const fields = [...ALWAYS, after.source === "openAi" ? "dimensions" : "url"] as const;
  if (fields.some((field) => !isDeepStrictEqual(old[field], fresh[field]))) return { kind: "full" };
  if (hasFragments(before) !== hasFragments(after)) return { kind: "full" };
  return hasFragments(after) ? fragmentChanges(before, after) : templateChanges(old, fresh);
}

/** Fields whose change gives every text another vector. */
const ALWAYS = ["model", "revision", "pooling", "request", "response"] as const;

function inner({ indexingEmbedder }: EmbedderSettings): EmbedderSettings {
  return indexingEmbedder as EmbedderSettings;
}

function fragmentChanges(before: EmbedderSettings, after: EmbedderSettings): Reembedding {
  const [old, fresh] = [before.indexingFragments ?? {}, after.indexingFragments ?? {}];
  const changed = Object.keys(fresh).filter((name) => !isDeepStrictEqual(old[name], fresh[name]));
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(fresh, name));
  return changed.length + removed.length > 0 ? { kind: "fragments", changed, removed } : { kind: "none" };
}

/** A lower bound embeds nothing again: the stored vectors were made from more of each document. */
function templateChanges(before: EmbedderSettings, after: EmbedderSettings): Reembedding {
  const isOther = before.documentTemplate !== after.documentTemplate;
  const isLonger = Number(after.documentTemplateMaxBytes) > Number(before.documentTemplateMaxBytes);
  return { kind: isOther || isLonger ? "prompts" : "none" };
}
