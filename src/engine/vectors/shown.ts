// Vectors as JSON: what documents show of them, and what is written into a document when its embedder goes.
// Called by hits, document reads and documentvectors.ts.
import { floatsText } from "../../core/floattext.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";

/** `{"embeddings": [[...]], "regenerate": ...}` */
export function shownVectors({ values, dimensions, slots, regenerates }: Shown): string {
  const embeddings = slots.map((_, i) => floatsText(values.subarray(i * dimensions, (i + 1) * dimensions)));
  return `{"embeddings":[${embeddings.join(",")}],"regenerate":${regenerates}}`;
}

type Shown = Pick<DocumentVectors, "values" | "dimensions" | "slots" | "regenerates">;

/** Of a document that nothing is known of. */
export const NO_VECTORS = '{"embeddings":[],"regenerate":true}';

/** JSON of `_vectors` from the JSON of its members. */
export function membersJson(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}
