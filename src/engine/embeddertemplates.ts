// Whether the Liquid templates of a settings patch can be read. Called by src/http before the patch becomes a
// task; the template engine is loaded when there is a template.
import type { EmbedderPatch, EmbeddersPatch, SubEmbedderPatch } from "../schemas/embedders.ts";

/** Rejects with the TarsierError of the first mistake. */
export async function checkEmbedderTemplates(patches: EmbeddersPatch): Promise<void> {
  for (const [name, patch] of Object.entries(patches)) {
    for (const one of [patch, patch?.searchEmbedder, patch?.indexingEmbedder]) {
      if (one) await checkTemplates(name, one);
    }
  }
}

async function checkTemplates(name: string, patch: EmbedderPatch | SubEmbedderPatch): Promise<void> {
  const { documentTemplate, indexingFragments, searchFragments } = patch;
  if (!documentTemplate && !indexingFragments && !searchFragments) return;
  const { FragmentPrompts, QueryFragments, TextPrompts } = await import("../embedders/prompts.ts");
  if (documentTemplate) new TextPrompts(name, { source: "rest", documentTemplate });
  if (indexingFragments) new FragmentPrompts(name, indexingFragments);
  if (searchFragments) new QueryFragments(name, searchFragments);
}
