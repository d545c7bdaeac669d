// `_vectors` of documents as `retrieveVectors` shows them: the members stored in the document, then its
// vectors for each embedder. Called by hits and document reads.
import type { JsonScanner } from "../../core/json.ts";
import { hasFragments } from "../../embedders/defaults.ts";
import { VECTORS_FIELD } from "../../schemas/vectorsfield.ts";
import type { DocumentVectors } from "../../segment/vectorformat.ts";
import { withMembers } from "../documents/members.ts";
import type { IndexReader } from "../reader.ts";
import { vectorMembers } from "./given.ts";
import { fittingVectors, membersJson, NO_VECTORS, shownVectors } from "./shown.ts";

/**
 * `"_vectors":{...}` of a live document. Invalidates what was located before in this thread. `isCopy`: for
 * another index, which must keep vectors of fragments as they are, and refuses those of another length.
 */
export function vectorsMember(
  reader: IndexReader,
  scanner: JsonScanner,
  docid: number,
  isCopy = false,
): string {
  const { segment, ordinal } = reader.find(docid)!;
  const known = new Map(segment.vectorsOf(docid).map((vectors) => [vectors.embedder, vectors]));
  const members = new Map<string, string>();
  if (segment.meta.shapes[segment.shapeOf(ordinal)].includes(VECTORS_FIELD)) {
    const { pointer, length } = segment.document(ordinal);
    for (const [name, json] of vectorMembers(scanner, pointer, length) ?? []) members.set(name, json);
  }
  for (const name of Object.keys(reader.settings.embedders).sort()) {
    const vectors = known.get(name);
    const shown = vectors && isCopy ? copied(vectors, reader) : vectors;
    if (shown !== null) members.set(name, shown ? shownVectors(shown) : NO_VECTORS);
  }
  return `"${VECTORS_FIELD}":${membersJson(members)}`;
}

function copied(vectors: DocumentVectors, { settings, state }: IndexReader): DocumentVectors | null {
  const { embedder: name } = vectors;
  const fitting = fittingVectors(vectors, settings.embedders[name], state.embedders[name]);
  return fitting && hasFragments(settings.embedders[name]) ? { ...fitting, regenerates: false } : fitting;
}

/** An object with one more member added at the end. */
export function withMember(object: Uint8Array, member: string): Uint8Array {
  const text = Buffer.from(object.buffer, object.byteOffset, object.length).toString();
  return Buffer.from(withMembers(text, member));
}
