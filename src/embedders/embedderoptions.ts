// The launch options that concern embedders, as embedders take them. Called by src/node.ts.

import type { Options } from "../options.ts";
import type { EmbedderOptions } from "./embedder.ts";

/**
 * Plain data: it travels to the threads. `environment` also holds the key that other tools for openAi read.
 */
export function embedderOptions(
  options: Options,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<EmbedderOptions, "client" | "log"> {
  return {
    cacheEntries: options.experimentalEmbeddingCacheEntries,
    requestTimeoutMs: options.experimentalRestEmbedderTimeoutSeconds * 1000,
    retryWaitMs: options.experimentalRestEmbedderMaxRetryDurationSeconds * 1000,
    failureModes: options.experimentalConfigEmbedderFailureModes,
    defaults: {
      openAiKey: options.openaiApiKey ?? environment.OPENAI_API_KEY ?? null,
      ollamaUrl: options.ollamaUrl,
    },
  };
}
