// Vectors as JSON: as documents show them, and as they are written back into a document when its embedder is
// removed. Called by documentvectors.ts, retrieval.ts and salvage.ts.
import { floatsText } from "../../core/floattext.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import type { EmbedderState } from "../../segment/manifeststate.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";

/** `{"embeddings": [[...]], "regenerate": ...}` */
export function shownVectors({ values, dimensions, slots, regenerates }: Shown): string {
  const embeddings = slots.map((_, i) => floatsText(values.subarray(i * dimensions, (i + 1) * dimensions)));
  return `{"embeddings":[${embeddings.join(",")}],"regenerate":${regenerates}}`;
}

/**
 * The vectors that an index with the same settings accepts: those of another length than the embedder has now
 * are left out. Null: the embedder makes new ones.
 */
export function fittingVectors(
  vectors: DocumentVectors,
  { source }: EmbedderSettings,
  { dimensions }: EmbedderState,
): DocumentVectors | null {
  if (vectors.slots.length === 0 || vectors.dimensions === dimensions) return vectors;
  return vectors.regenerates && source !== "userProvided" ? null : { ...vectors, slots: [] };
}

type Shown = Pick<DocumentVectors, "values" | "dimensions" | "slots" | "regenerates">;

/** For a document of which nothing is known. */
export const NO_VECTORS = '{"embeddings":[],"regenerate":true}';

/** JSON of `_vectors` from the JSON texts of its members. */
export function membersJson(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
