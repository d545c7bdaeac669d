// The embedders of a thread. Used by roles.ts and pool.ts.
import type { Embedder } from "../../embedders/embedder.ts";
import { TarsierError } from "../../errors.ts";
import type { EmbedderSettings } from "../../schemas/embedders.ts";
import type { EmbedderSource } from "./plan.ts";

export function openEmbedders(): EmbedderSource {
  return { open };
}

function open(name: string, settings: EmbedderSettings): Embedder {
  const fail = () => {
    throw new TarsierError("vector_embedding_error", { embedder: name, reason: "it embeds nothing" });
  };
  return {
    name,
    settings,
    inputs: "none",
    distribution: settings.distribution ?? null,
    dimensions: async () => settings.dimensions ?? fail(),
    promptsOf: () => [],
    embedDocuments: fail,
    embedQuery: async () => fail(),
  };
}
