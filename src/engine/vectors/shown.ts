// Vectors as JSON: what documents show of them, and what is written into a document when its embedder goes.
// Called by hits, document reads, documentvectors.ts and salvage.ts.
import { floatsText } from "../../core/floattext.ts";
import { hasFragments } from "../../embedders/defaults.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import type { ManifestState } from "../../segment/manifeststate.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";

/** `{"embeddings": [[...]], "regenerate": ...}` */
export function shownVectors({ values, dimensions, slots, regenerates }: Shown): string {
  const embeddings = slots.map((_, i) => floatsText(values.subarray(i * dimensions, (i + 1) * dimensions)));
  return `{"embeddings":[${embeddings.join(",")}],"regenerate":${regenerates}}`;
}

/**
 * For an index with the same settings: it is to keep vectors of fragments as they are, and has no place for
 * those that users gave before the embedder got another length.
 */
export function copiedVectors(
  vectors: DocumentVectors,
  settings: EmbedderSettings,
  { embedders }: Pick<ManifestState, "embedders">,
): string {
  const isFitting = vectors.dimensions === embedders[vectors.embedder].dimensions;
  return shownVectors({
    ...vectors,
    slots: isFitting ? vectors.slots : [],
    regenerates: vectors.regenerates && !hasFragments(settings),
  });
}

type Shown = Pick<DocumentVectors, "values" | "dimensions" | "slots" | "regenerates">;

/** Of a document that nothing is known of. */
export const NO_VECTORS = '{"embeddings":[],"regenerate":true}';

/** JSON of `_vectors` from the JSON of its members. */
export function membersJson(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
