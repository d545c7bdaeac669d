// Checks that the Liquid templates of a settings patch can be parsed, and that their variables exist. Called
// by src/operations before the patch becomes a task; the template engine is loaded only when there is a
// template.
import type { EmbedderPatch, EmbeddersPatch, SubEmbedderPatch } from "../schemas/embedders.ts";

type Patch = EmbedderPatch | SubEmbedderPatch;

/** Each throws a TarsierError for the first mistake. `embedder`: its name. */
export interface TemplateCheck {
  documentTemplate: (embedder: string, patch: Patch) => void;
  fragments: (embedder: string, patch: Patch) => void;
}

/** Undefined for patches without templates. */
export async function templateCheckFor(patches: EmbeddersPatch): Promise<TemplateCheck | undefined> {
  const parts = Object.values(patches).flatMap((patch) => [
    patch,
    patch?.searchEmbedder,
    patch?.indexingEmbedder,
  ]);
  if (!parts.some((part) => part?.documentTemplate || part?.indexingFragments || part?.searchFragments))
    return;
  const { checkDocumentTemplate, FragmentPrompts, QueryFragments } = await import("../embedders/prompts.ts");
  return {
    documentTemplate(embedder, { documentTemplate }) {
      if (documentTemplate) checkDocumentTemplate(embedder, documentTemplate);
    },
    fragments(embedder, { indexingFragments, searchFragments }) {
      if (indexingFragments) new FragmentPrompts(embedder, indexingFragments);
      if (searchFragments) new QueryFragments(embedder, searchFragments);
    },
  };
}
